-- One tenant cannot hold up the work of the others, or fill the disk for all of them.

-- Tenants take turns in a queue: the items of one that are still to be done get numbers that count on, and the lowest number is next. A
-- tenant without such items begins at the number that is next by then, so neither a long line nor an idle time gives it an advantage. The
-- number is taken off the priority, because the index that items are fetched by is in that order; an item that is tried again joins the end
-- of its line. A caller's priority leaves so much room that the numbers of two priorities never meet.
create index job_turns on pgboss.job_common (name, group_id, priority) where state <= 'active' and group_id is not null;
create function pgboss.take_turn() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  room constant integer := 100000000;
  first constant integer := ceil(new.priority / room::numeric)::integer * room;
  final constant integer := first - room + 1;
  own integer;
  next integer;
begin
  select min(priority) - 1 into own from pgboss.job_common
    where name = new.name and group_id = new.group_id and state <= 'active' and priority between final and first;
  select max(priority) into next from pgboss.job_common
    where name = new.name and state < 'active' and not blocked and start_after <= now() and priority between final and first;
  if next is null then
    select min(priority) into next from pgboss.job_common
      where name = new.name and state = 'active' and group_id is not null and priority between final and first;
  end if;
  new.priority := greatest(least(own, next, first), final);
  return new;
end $$;
create trigger take_turn before insert on pgboss.job_common for each row
  when (new.state < 'active' and new.group_id is not null) execute function pgboss.take_turn();

-- The limit of what a tenant may store.
alter table tenants add column storage_quota_mb integer check (storage_quota_mb > 0);
comment on column tenants.storage_quota_mb is 'Files of the tenant may take so many MiB together; null for no limit.';

-- The row is locked until the transaction that stores a file ends, so that two uploads at the same moment do not both take the last place.
create table storage_use (
  tenant_id bigint primary key default current_tenant() references tenants,
  bytes bigint not null check (bytes >= 0),
  files bigint not null check (files >= 0)
);
comment on table storage_use is 'How many files of records a tenant stores, and how large they are together.';
call tenant_table('storage_use');
insert into storage_use (tenant_id, bytes, files)
  select id, coalesce(sum(file_size), 0), count(file_size) from tenants left join (
    select tenant_id, file_size from document_versions union all select tenant_id, file_size from attachments) stored on tenant_id = id
  group by id;

-- The platform sees how much each tenant stores, and none of its records.
create function storage_use_of_tenants() returns table (tenant_id bigint, bytes bigint, files bigint)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select tenant_id, bytes, files from storage_use where current_tenant() = 1
$$;
revoke execute on function storage_use_of_tenants() from public;
grant execute on function storage_use_of_tenants() to attest_app;
