-- Mail domains by which a log-in page shows a person the providers of their company.
create table sso_domains (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  domain text not null check (domain = lower(domain) and domain ~ '^[a-z0-9.-]{3,253}$'),
  -- The text that the DNS of the domain shows.
  challenge text not null,
  verified_at timestamptz,
  verified_by_method text check (verified_by_method in ('dns', 'operator')),
  unique (tenant_id, id),
  unique (tenant_id, domain),
  check ((verified_at is null) = (verified_by_method is null))
);
comment on table sso_domains is 'Mail domains of a tenant, and how it was proven whose they are.';
-- A name that nobody has proven keeps it from nobody.
create unique index sso_domains_domain on sso_domains (domain) where verified_at is not null;
call tenant_table('sso_domains', 'select, insert, update, delete');
call audited_table('sso_domains', 'sso_domain');

-- Asked before a tenant is known, as find_login(). Answers ids alone.
create function find_sso_domain(mail_domain text) returns table (tenant_id bigint, domain_id bigint)
  language sql stable security definer set search_path = pg_catalog, public as
  $$ select d.tenant_id, d.id from sso_domains d join tenants t on t.id = d.tenant_id
     where d.domain = lower(mail_domain) and d.verified_at is not null and t.is_active $$;
revoke execute on function find_sso_domain(text) from public;
grant execute on function find_sso_domain(text) to attest_app;
