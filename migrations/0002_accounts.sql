-- People, what they may do, and how they prove who they are.

create table roles (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  -- What a system role grants is in the program, so that a new release's permissions reach every tenant; its two lists are empty here.
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
create index roles_inherits on roles (tenant_id, inherits_role_id);

create table users (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- Never an '@': a name that is another person's e-mail address would take over that person's log-in.
  username text not null check (username ~ '^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$'),
  email text not null check (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  full_name text,
  role_id bigint not null,
  granted text[] not null default '{}',
  denied text[] not null default '{}',
  is_active boolean not null default true,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  foreign key (tenant_id, role_id) references roles (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
-- In the whole service, because a log-in names no tenant (AUTH-01); compared without case (21 CFR 11.300(a)).
create unique index users_username on users (lower(username));
create unique index users_email on users (lower(email));
create index users_role on users (tenant_id, role_id);
alter table roles add foreign key (tenant_id, created_by) references users (tenant_id, id);
alter table roles add foreign key (tenant_id, updated_by) references users (tenant_id, id);
alter table audit_entries add foreign key (tenant_id, user_id) references users (tenant_id, id);

-- Apart from users, so that no list or join of people can carry a secret.
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
  -- Counted up by whatever must end the tokens that are out: a new password, another role, a deactivation.
  session_version integer not null default 1,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);

call tenant_table('roles', 'select, insert, update, delete');
call tenant_table('users');
call tenant_table('credentials');
call audited_table('roles', 'role');
call audited_table('users', 'user');
call audited_table('credentials', 'user', id_column => 'user_id',
  except_columns => '{totp_last_step,failed_attempts,locked_until,session_version}');

-- The one question that is asked before a tenant is known. It answers ids alone; all else is read inside the tenant.
create function find_login(login text) returns table (tenant_id bigint, user_id bigint)
  language sql stable security definer set search_path = pg_catalog, public as
  $$ select u.tenant_id, u.id from users u where lower(u.username) = lower(login) or lower(u.email) = lower(login) limit 1 $$;
revoke execute on function find_login(text) from public;
grant execute on function find_login(text) to attest_app;
