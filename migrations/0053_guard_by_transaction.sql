-- The guard looks for the entries of its own transaction and at no other, whatever the planner knows of the trail. With row security the tenant
-- would be one more way to them, and the record another: both lead past all the entries that the tenant, or the record, ever had. So both
-- are compared behind the fence.
create or replace function require_audit_entry() returns trigger language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  resource bigint := (to_jsonb(case when tg_op = 'DELETE' then old else new end) ->> tg_argv[1])::bigint;
begin
  if not exists (
    with own as materialized (select tenant_id, resource_type, resource_id from audit_entries where transaction_id = current_transaction())
    select from own where tenant_id = current_tenant() and resource_type = tg_argv[0] and resource_id = resource
  ) then
    raise exception 'change to % % (table %) has no audit entry', tg_argv[0], resource, tg_table_name using errcode = 'QA001';
  end if;
  return null;
end $$;

create or replace function require_record_entry() returns trigger language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  part jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if not exists (
    with own as materialized (select tenant_id, resource_type, resource_id from audit_entries where transaction_id = current_transaction())
    select from own where tenant_id = current_tenant()
      and resource_type = case when part -> 'deviation_id' = 'null' then 'capa' else 'deviation' end
      and resource_id = coalesce(part ->> 'deviation_id', part ->> 'capa_id')::bigint
  ) then
    raise exception 'change to table % has no audit entry of its record', tg_table_name using errcode = 'QA001';
  end if;
  return null;
end $$;
revoke execute on function require_audit_entry(), require_record_entry() from public;
