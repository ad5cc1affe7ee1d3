-- People, their roles and groups, and how they prove their identity.

create table roles (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  -- The program defines the permissions of a system role, so that those of a new release reach every tenant: its two lists are empty here.
  is_system boolean not null default false,
  inherits_role_id bigint,
  granted text[] not null default '{}',
  denied text[] not null default '{}',
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, name),
  foreign key (tenant_id, inherits_role_id) references roles (tenant_id, id),
  check (not is_system or (granted = '{}' and denied = '{}'))
);
comment on table roles is 'Sets of permissions, with or without an inherited role.';
create index roles_inherits on roles (tenant_id, inherits_role_id);

create table users (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- Without an '@': a name that is another person's e-mail address would take over that person's log-in.
  username text not null check (username ~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$'),
  email text not null check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  full_name text,
  role_id bigint not null,
  granted text[] not null default '{}',
  denied text[] not null default '{}',
  is_active boolean not null default true,
  -- The check of the signer's identity before the first signature (21 CFR 11.100(b)).
  identity_verified_at timestamptz,
  identity_verified_by bigint,
  identity_verified_method text,
  identity_verified_note text,
  -- The version of the statement of responsibility that the signer accepted (21 CFR 11.10(j)).
  signature_statement_version integer,
  signature_statement_accepted_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  check ((identity_verified_at is null) = (identity_verified_method is null)),
  check ((identity_verified_at is null) = (identity_verified_by is null)),
  check (identity_verified_by <> id),
  check ((signature_statement_version is null) = (signature_statement_accepted_at is null)),
  foreign key (tenant_id, role_id) references roles (tenant_id, id),
  foreign key (tenant_id, identity_verified_by) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table users is 'The people of a tenant, each with one role and single permissions granted or denied beside it.';
-- Unique in the whole service, because a log-in names no tenant (AUTH-01); compared without case (21 CFR 11.300(a)).
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_role on users (tenant_id, role_id);
alter table roles add foreign key (tenant_id, created_by) references users (tenant_id, id);
alter table roles add foreign key (tenant_id, updated_by) references users (tenant_id, id);

-- A table of its own, so that no list or join of users can carry a secret.
create table credentials (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  password_hash text not null,
  previous_hashes text[] not null default '{}',
  password_changed_at timestamptz not null default now(),
  must_change_password boolean not null default false,
  totp_secret bytea,
  totp_confirmed_at timestamptz,
  totp_last_step bigint not null default 0,
  failed_attempts integer not null default 0,
  locked_until timestamptz,
  -- Counted up by each change that must end existing sessions: a new password, another role, a deactivation.
  session_version integer not null default 1,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table credentials is 'Passwords and second factors of users.';

-- Deleted groups and former memberships stay: records of that time name them (EU GMP Annex 11, 12.4).
create table groups (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  group_type text not null check (group_type in ('job_function', 'department', 'site', 'project', 'custom')),
  deleted_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table groups is 'People who are named together: a job function, a department, a site.';
create unique index groups_name on groups (tenant_id, lower(name)) where deleted_at is null;

create table group_members (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  group_id bigint not null,
  user_id bigint not null,
  added_at timestamptz not null default now(),
  added_by bigint default current_actor(),
  removed_at timestamptz,
  removed_by bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, added_by) references users (tenant_id, id),
  foreign key (tenant_id, removed_by) references users (tenant_id, id)
);
comment on table group_members is 'Who was a member of a group, and when: a row for each time.';
create unique index group_members_once on group_members (tenant_id, group_id, user_id) where removed_at is null;
create index group_members_group on group_members (tenant_id, group_id, id);
create index group_members_user on group_members (tenant_id, user_id, group_id);

call tenant_table('roles', 'select, insert, update, delete');
call tenant_table('users');
call tenant_table('credentials');
call tenant_table('groups');
call tenant_table('group_members');
call audited_table('roles', 'role');
call audited_table('users', 'user');
call audited_table('credentials', 'user', id_column => 'user_id',
  except_columns => '{totp_last_step,failed_attempts,locked_until,session_version}');
call audited_table('groups', 'group');
call audited_table('group_members', 'group', id_column => 'group_id');

-- A log-in is looked up before its tenant is known. The function answers ids alone; everything else is read inside the tenant.
create function find_login(login text) returns table (tenant_id bigint, user_id bigint)
  language sql stable security definer set search_path = pg_catalog, public as
  $$ select u.tenant_id, u.id from users u where lower(u.username) = lower(login) or lower(u.email) = lower(login) limit 1 $$;
revoke execute on function find_login(text) from public;
grant execute on function find_login(text) to attest_app;
