-- Log-in by the OpenID Connect provider of a company. A person is who the provider names by its subject, and never by an e-mail address:
-- whoever can set an address at the provider would own the account.

create table identity_providers (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  slug text not null check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null check (name <> ''),
  issuer text not null check (issuer ~ '^https://'),
  client_id text not null check (client_id <> ''),
  -- Sealed for this provider, issuer and client: a changed issuer is sent no secret.
  client_secret bytea,
  token_auth text not null check (token_auth in ('client_secret_basic', 'client_secret_post')),
  scopes text[] not null check ('openid' = any(scopes)),
  -- The names of claims: {username, email, full_name, groups}.
  claims jsonb not null,
  -- Entra ID gives a person another sub in each application; oid is the same in all of them.
  subject_claim text not null check (subject_claim in ('sub', 'oid')),
  provisioning text not null check (provisioning in ('linked', 'create')),
  roles_from text not null check (roles_from in ('service', 'claims')),
  default_role_id bigint,
  is_active boolean not null,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, slug),
  unique (tenant_id, issuer, client_id),
  check (not is_active or client_secret is not null),
  foreign key (tenant_id, default_role_id) references roles (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table identity_providers is 'OpenID Connect providers by which the people of a tenant log in.';
call tenant_table('identity_providers');
call audited_table('identity_providers', 'identity_provider');

create table user_identities (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  provider_id bigint not null,
  subject text not null check (subject <> '' and length(subject) <= 255),
  linked_at timestamptz not null,
  linked_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, provider_id, subject),
  unique (tenant_id, provider_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id),
  foreign key (tenant_id, linked_by) references users (tenant_id, id)
);
comment on table user_identities is 'Links of users to their subject at a provider. A log-in at the provider opens the account of the linked user, and no other.';
create index user_identities_user on user_identities (tenant_id, user_id);
-- A link is never turned to another person or subject.
call tenant_table('user_identities', 'select, insert, delete');
call audited_table('user_identities', 'user', id_column => 'user_id');

create table login_attempts (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('login', 'link', 'test')),
  provider_id bigint not null,
  -- Who links the own account, or tests the provider.
  user_id bigint,
  state_hash bytea not null check (octet_length(state_hash) = 32),
  -- Of the cookie of the browser that began it: an answer of the provider in another browser is refused.
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  return_to text not null,
  begun_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- The session that came of it, with the sealed ID token by which the provider is asked to end its own.
  session_id bigint,
  id_token bytea,
  unique (tenant_id, id),
  check ((kind = 'login') = (user_id is null)),
  check (session_id is null or kind = 'login' and used_at is not null),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, session_id) references sessions (tenant_id, id)
);
comment on table login_attempts is 'Log-ins that were sent to a provider, kept for a day.';
create index login_attempts_begun on login_attempts (tenant_id, begun_at);
create index login_attempts_session on login_attempts (tenant_id, session_id) where session_id is not null;
call tenant_table('login_attempts', 'select, insert, update, delete');
-- An answer is taken once, and for whom and what it was begun.
create trigger kept before update on login_attempts for each row when (old.used_at is not null and new.used_at is distinct from old.used_at
  or (to_jsonb(old) - '{tenant_id,used_at,session_id,id_token}'::text[])
    is distinct from (to_jsonb(new) - '{tenant_id,used_at,session_id,id_token}'::text[]))
  execute function refuse_update();

alter table sessions
  add column provider_id bigint,
  add column provider_sid text check (length(provider_sid) <= 255),
  add check (provider_sid is null or provider_id is not null),
  add foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id),
  drop constraint sessions_revoke_reason_check,
  add constraint sessions_revoke_reason_check
    check (revoke_reason in ('logged_out', 'ended_by_user', 'ended_by_admin', 'ended_by_provider', 'too_many'));
create index sessions_provider on sessions (tenant_id, provider_id, provider_sid) where provider_sid is not null;
call people_only('user_identities', 'user_id', 'linked_by');
call people_only('login_attempts', 'user_id');
