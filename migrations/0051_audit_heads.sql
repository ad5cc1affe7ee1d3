-- Checkpoints are kept outside of the database too: for that it is asked how far each log is sealed, whatever tenant's it is.

-- In the order of the tenants, those after one: page by page.
create function audit_heads(after_tenant bigint, most integer) returns table (tenant_id bigint, log_id uuid, epoch integer, size bigint, root bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select l.tenant_id, l.log_id, l.epoch, l.size, c.root
  from audit_logs l left join audit_checkpoints c on c.tenant_id = l.tenant_id and c.epoch = l.epoch and c.size = l.size
  where l.tenant_id > after_tenant order by l.tenant_id limit most $$;
revoke execute on function audit_heads(bigint, integer) from public;
grant execute on function audit_heads(bigint, integer) to attest_app;
