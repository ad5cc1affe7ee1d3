-- Sessions that the service itself can end: without them a log-out had to end all tokens of a user, and nobody saw where an account was in use.

create table sessions (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('browser', 'token')),
  -- The seal of a browser's cookie, made with a key of the service's: whoever can only write to the database cannot make a session.
  secret_hash bytea check (octet_length(secret_hash) = 32),
  -- That of the account at the log-in: a later one ends the session.
  session_version integer not null,
  auth_time timestamptz not null,
  amr text[] not null,
  client_addr text not null,
  user_agent text not null check (length(user_agent) <= 300),
  -- The setting at the log-in, so that a longer one later does not bring a session back to life.
  idle_minutes integer check (idle_minutes between 5 and 480),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_by bigint,
  revoke_reason text check (revoke_reason in ('logged_out', 'ended_by_user', 'ended_by_admin', 'too_many')),
  unique (tenant_id, id),
  -- A second row with the same seal would be a longer session by the same cookie.
  unique (tenant_id, secret_hash),
  check ((kind = 'browser') = (secret_hash is not null)),
  check ((kind = 'browser') = (idle_minutes is not null)),
  check (kind = 'token' or expires_at <= auth_time + interval '24 hours'),
  check (created_at <= last_seen_at and last_seen_at <= expires_at),
  check ((revoked_at is null) = (revoke_reason is null)),
  check (revoked_by is null or revoked_at is not null),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, revoked_by) references users (tenant_id, id)
);
comment on table sessions is 'Log-ins: a row for each access token and each browser, and when and by whom it was ended.';
create index sessions_user on sessions (tenant_id, user_id, expires_at);
call tenant_table('sessions');
call audited_table('sessions', 'auth', id_column => 'user_id', except_columns => '{last_seen_at}');

-- A session is used and ended, and nothing else: it is never prolonged, given to somebody else, or taken up again.
create trigger kept before update on sessions for each row when (old.revoked_at is not null or new.last_seen_at < old.last_seen_at
  or (to_jsonb(old) - '{tenant_id,last_seen_at,revoked_at,revoked_by,revoke_reason}'::text[])
    is distinct from (to_jsonb(new) - '{tenant_id,last_seen_at,revoked_at,revoked_by,revoke_reason}'::text[])) execute function refuse_update();
