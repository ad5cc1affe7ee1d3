-- Another time zone has other days. Records are counted by them some at a time, beside the counts by the days of the zone before: by those
-- statistics are read until all records are counted. Who changes a record meanwhile changes what it counts as by the one, and by the other if
-- it was counted by that already.

create table stat_zones (
  tenant_id bigint not null default current_tenant() references tenants,
  time_zone text not null,
  -- Records are counted by it up to this one: source by source (stat_sources), and there by id.
  up_to_source integer not null,
  up_to_id bigint not null,
  is_whole boolean not null generated always as (up_to_source = 1000) stored,
  primary key (tenant_id, time_zone)
);
create unique index stat_zones_whole on stat_zones (tenant_id, is_whole);
call tenant_table('stat_zones', 'select');
insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) select id, coalesce(settings ->> 'time_zone', 'UTC'), 1000, 0 from tenants;

alter table stat_counts add column time_zone text;
update stat_counts c set time_zone = z.time_zone from stat_zones z where z.tenant_id = c.tenant_id;
alter table stat_counts alter time_zone set not null, drop constraint stat_counts_pkey,
  add constraint stat_counts_pkey primary key (tenant_id, time_zone, measure, day, key, slot);

-- What is counted: the rows of each of these tables, by what the function says that one counts as.
create function stat_sources() returns table (source integer, name text, id text, facts text) language sql immutable as $$ values
  (1, 'documents', 'id', 'document_facts'),
  (2, 'document_index', 'version_id', 'document_index_facts'),
  (3, 'document_versions', 'id', 'document_version_facts'),
  (4, 'document_history', 'id', 'document_history_facts'),
  (5, 'document_reviews', 'id', 'document_review_facts'),
  (6, 'deviations', 'id', 'deviation_facts'),
  (7, 'record_history', 'id', 'record_history_facts'),
  (8, 'capas', 'id', 'capa_facts'),
  (9, 'effectiveness_reviews', 'id', 'effectiveness_review_facts'),
  (10, 'training_assignments', 'id', 'training_assignment_facts'),
  (11, 'training_attempts', 'id', 'training_attempt_facts') $$;

-- Who counts holds this until it commits; who counts for another zone waits for them, and they for it.
create function hold_counting(tenant bigint) returns void language sql as
  $$ select pg_advisory_xact_lock_shared(hashtextextended('stat_counts ' || tenant, 0)) $$;
create function stop_counting(tenant bigint) returns void language sql as
  $$ select pg_advisory_xact_lock(hashtextextended('stat_counts ' || tenant, 0)) $$;

do $do$
declare
  s record;
begin
  for s in select * from stat_sources() loop
    execute format($f$
      create or replace function count_%1$s() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        tenant bigint;
        free integer;
      begin
        for tenant in select distinct tenant_id from written loop
          perform hold_counting(tenant);
          free := slot_for_counting(tenant);
          if tg_op = 'INSERT' then
            insert into stat_counts as c (tenant_id, time_zone, measure, day, key, slot, n)
            select tenant, z.time_zone, f.measure, f.day, f.key, free, count(*)
            from stat_zones z join written w on w.tenant_id = z.tenant_id and (%2$s, w.%3$s) <= (z.up_to_source, z.up_to_id)
              cross join lateral %4$s(row(w.*)::%1$s, z.time_zone) f
            where z.tenant_id = tenant group by 2, 3, 4, 5
            on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n;
          else
            insert into stat_counts as c (tenant_id, time_zone, measure, day, key, slot, n)
            select tenant, s.time_zone, s.measure, s.day, s.key, free, sum(s.sign) from (
              select 1 as sign, z.time_zone, f.* from stat_zones z join written w on w.tenant_id = z.tenant_id and (%2$s, w.%3$s) <= (z.up_to_source, z.up_to_id)
                cross join lateral %4$s(row(w.*)::%1$s, z.time_zone) f where z.tenant_id = tenant
              union all
              select -1, z.time_zone, f.* from stat_zones z join gone g on g.tenant_id = z.tenant_id and (%2$s, g.%3$s) <= (z.up_to_source, z.up_to_id)
                cross join lateral %4$s(row(g.*)::%1$s, z.time_zone) f where z.tenant_id = tenant) s
            group by 2, 3, 4, 5 having sum(s.sign) <> 0
            on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n;
          end if;
        end loop;
        return null;
      end $$;
    $f$, s.name, s.source, s.id, s.facts);
  end loop;
end $do$;

-- Counts so many more records of a tenant by the days of its new time zone, and reads by that once there are no more. Answers whether there are.
create function count_further(tenant bigint, most integer) returns boolean language plpgsql as $$
declare
  next stat_zones;
  s record;
  part bigint;
  last_id bigint;
begin
  perform stop_counting(tenant);
  select * into next from stat_zones z where z.tenant_id = tenant and not z.is_whole;
  if not found then return false; end if;
  for s in select * from stat_sources() where source >= next.up_to_source order by source loop
    if s.source > next.up_to_source then next.up_to_id := 0; end if;
    execute format('select count(*), max(id) from (select %2$I as id from %1$I where tenant_id = $1 and %2$I > $2 order by 1 limit $3) r', s.name, s.id)
      into part, last_id using tenant, next.up_to_id, most;
    if part > 0 then
      execute format('insert into stat_counts as c (tenant_id, time_zone, measure, day, key, slot, n)
        select $1, $2, f.measure, f.day, f.key, 0, count(*) from %1$I r cross join lateral %3$I(r, $2) f
        where r.tenant_id = $1 and r.%2$I > $3 and r.%2$I <= $4 group by 3, 4, 5
        on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n', s.name, s.id, s.facts)
        using tenant, next.time_zone, next.up_to_id, last_id;
    end if;
    most := most - part;
    if most <= 0 then
      update stat_zones z set up_to_source = s.source, up_to_id = last_id where z.tenant_id = tenant and not z.is_whole;
      return true;
    end if;
  end loop;
  -- Who reads by the zone before at this moment still finds its counts: they go when the next change begins.
  delete from stat_zones z where z.tenant_id = tenant and z.is_whole;
  update stat_zones z set up_to_source = 1000, up_to_id = 0 where z.tenant_id = tenant;
  return false;
end $$;
create function count_further(most integer) returns boolean language sql security definer set search_path = pg_catalog, public, pg_temp as
  $$ select count_further(current_tenant(), most) $$;

create or replace function count_tenant_anew() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform stop_counting(new.id);
  delete from stat_zones z where z.tenant_id = new.id and not z.is_whole;
  delete from stat_counts c where c.tenant_id = new.id
    and c.time_zone <> (select z.time_zone from stat_zones z where z.tenant_id = new.id and z.is_whole);
  insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) values (new.id, coalesce(new.settings ->> 'time_zone', 'UTC'), 0, 0)
  on conflict do nothing;
  -- Most tenants are counted at once.
  perform count_further(new.id, 2000);
  return null;
end $$;

create function open_stat_zone() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) values (new.id, coalesce(new.settings ->> 'time_zone', 'UTC'), 1000, 0);
  return null;
end $$;
create trigger stat_zone after insert on tenants for each row execute function open_stat_zone();

create or replace function stat_drift() returns table (measure text, day date, key text, counted bigint, is_so bigint) language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select measure, day, key, coalesce(c.n, 0)::bigint, coalesce(f.n, 0)
  from (select s.measure, s.day, s.key, sum(s.n) as n from stat_counts s
      where s.tenant_id = current_tenant() and s.time_zone = (select z.time_zone from stat_zones z where z.tenant_id = current_tenant() and z.is_whole)
      group by 1, 2, 3) c
    full join stat_facts(current_tenant(), (select z.time_zone from stat_zones z where z.tenant_id = current_tenant() and z.is_whole)) f
      using (measure, day, key)
  where coalesce(c.n, 0) <> coalesce(f.n, 0) $$;

create or replace function recount_stats() returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform stop_counting(current_tenant());
  delete from stat_counts where tenant_id = current_tenant();
  update stat_zones set up_to_source = 0, up_to_id = 0 where tenant_id = current_tenant() and not is_whole;
  insert into stat_counts (tenant_id, time_zone, measure, day, key, slot, n)
  select z.tenant_id, z.time_zone, f.measure, f.day, f.key, 0, f.n
  from stat_zones z cross join lateral stat_facts(z.tenant_id, z.time_zone) f where z.tenant_id = current_tenant() and z.is_whole;
end $$;

drop function zone_for_counting(bigint);
revoke execute on function hold_counting(bigint), stop_counting(bigint), count_further(bigint, integer), count_further(integer), open_stat_zone() from public;
grant execute on function count_further(integer) to attest_app;
