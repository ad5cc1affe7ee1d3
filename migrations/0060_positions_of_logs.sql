-- How many entries the logs of some tenants have: a process with open event streams asks once a second for all of its tenants, and reads
-- the entries of those tenants alone whose number has grown.
create function audit_positions(tenants bigint[]) returns table (tenant_id bigint, seq bigint) language sql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
  select l.tenant_id, l.seq from audit_logs l where l.tenant_id = any(tenants) $$;
revoke execute on function audit_positions(bigint[]) from public;
grant execute on function audit_positions(bigint[]) to attest_app;
