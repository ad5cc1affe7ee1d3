-- A provider ends sessions by a token, which is taken once.
create table logout_tokens (
  tenant_id bigint not null default current_tenant() references tenants,
  provider_id bigint not null,
  jti_hash bytea not null check (octet_length(jti_hash) = 32),
  expires_at timestamptz not null,
  primary key (tenant_id, provider_id, jti_hash),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id)
);
comment on table logout_tokens is 'Tokens by which providers have ended sessions, kept until they are too old to be taken again.';
call tenant_table('logout_tokens', 'select, insert, delete');
