-- A list of waiting items grows by thousands in a minute, and statistics of it come later. By a plan from the time when it was short, each new item
-- read all that waited. Both numbers are at the end of an index, `job_turns` and `job_i11`, and the plan is held to these.
create or replace function pgboss.take_turn() returns trigger language plpgsql
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  room constant integer := 100000000;
  first constant integer := ceil(new.priority / room::numeric)::integer * room;
  final constant integer := first - room + 1;
  own integer;
  next integer;
begin
  select priority - 1 into own from pgboss.job_common
    where name = new.name and group_id = new.group_id and state <= 'active' and priority between final and first
    order by priority limit 1;
  select priority into next from pgboss.job_common
    where name = new.name and state < 'active' and not blocked and start_after <= now() and priority between final and first
    order by priority desc limit 1;
  if next is null then
    select min(priority) into next from pgboss.job_common
      where name = new.name and state = 'active' and group_id is not null and priority between final and first;
  end if;
  new.priority := greatest(least(own, next, first), final);
  return new;
end $$;
