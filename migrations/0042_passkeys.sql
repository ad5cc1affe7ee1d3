-- Passkeys (WebAuthn): a key in a device that a PIN, a finger or a face unlocks. People log in and sign with them in the place of a password.

-- The name by which an authenticator knows the account. It is random, because it is shown to whoever holds the device.
alter table users add column passkey_handle bytea not null
  default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) check (octet_length(passkey_handle) = 32);

create table passkeys (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  credential_id bytea not null check (octet_length(credential_id) between 16 and 1023),
  -- As the authenticator gave it (COSE).
  public_key bytea not null,
  -- ES256, EdDSA, RS256: what `node:crypto` verifies for ever.
  algorithm integer not null check (algorithm = -7 or algorithm = -8 or algorithm = -257),
  -- Made with a key of the service's: whoever can only write to the database cannot give somebody a passkey.
  seal bytea not null check (octet_length(seal) = 32),
  -- How often the authenticator says that it was used; always 0 where it does not count.
  counter bigint not null check (counter between 0 and 4294967295),
  transports text[] not null,
  -- It never leaves the device; otherwise it may be copied to other devices of the person.
  is_device_bound boolean not null,
  is_backed_up boolean not null,
  name text not null check (name <> '' and length(name) <= 80),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  -- When the newest challenge was issued that it has answered at a log-in: each later one must be newer, so no answer counts twice.
  last_challenge_at timestamptz,
  revoked_at timestamptz,
  revoked_by bigint,
  revoke_reason text check (revoke_reason in ('revoked_by_user', 'revoked_by_admin', 'counter', 'password_reset')),
  unique (tenant_id, id),
  check ((revoked_at is null) = (revoke_reason is null)),
  check (revoked_by is null or revoked_at is not null),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, revoked_by) references users (tenant_id, id)
);
comment on table passkeys is 'Passkeys of users: their public keys, when they were used, and when and by whom they were revoked.';
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (tenant_id, user_id);
create index passkeys_revoker on passkeys (tenant_id, revoked_by);
call tenant_table('passkeys');
call audited_table('passkeys', 'passkey', except_columns => '{seal,counter,is_backed_up,last_used_at,last_challenge_at}');

-- A passkey is used, renamed and revoked, and nothing else: it is never given to somebody else, taken up again, or counted back.
create trigger kept before update on passkeys for each row when (old.revoked_at is not null or new.counter < old.counter
  or (to_jsonb(old) - '{tenant_id,seal,counter,is_backed_up,name,last_used_at,last_challenge_at,revoked_at,revoked_by,revoke_reason}'::text[])
    is distinct from (to_jsonb(new) - '{tenant_id,seal,counter,is_backed_up,name,last_used_at,last_challenge_at,revoked_at,revoked_by,revoke_reason}'::text[]))
  execute function refuse_update();

-- A log-in with a passkey names no tenant. The function answers ids alone; everything else is read inside the tenant.
create function find_passkey(credential bytea) returns table (tenant_id bigint, user_id bigint, passkey_id bigint)
  language sql stable security definer set search_path = pg_catalog, public as
  $$ select p.tenant_id, p.user_id, p.id from passkeys p where p.credential_id = credential $$;
revoke execute on function find_passkey(bytea) from public;
grant execute on function find_passkey(bytea) to attest_app;
call people_only('passkeys', 'user_id', 'revoked_by');
