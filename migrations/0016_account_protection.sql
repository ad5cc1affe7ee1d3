-- Accounts that one person alone cannot take over, and that an outsider cannot lock.

-- Whoever sets a password can log in with it, so signatures wait until another person has verified who the user is (21 CFR 11.300).
alter table users
  add column identity_reset_at timestamptz,
  -- The people who, since the last verification, reset the password or changed the e-mail address: none of them may verify.
  add column account_openers bigint[] not null default '{}',
  add check (identity_reset_at is null or identity_verified_at is null),
  add check (identity_reset_at is null or cardinality(account_openers) > 0);

-- failed_attempts and locked_until count attempts inside a valid session; log-ins are counted by address, below.
alter table credentials add column last_login_at timestamptz;
drop trigger audited on credentials;
drop trigger audited_update on credentials;
call audited_table('credentials', 'user', id_column => 'user_id',
  except_columns => '{totp_last_step,failed_attempts,locked_until,session_version,last_login_at}');

-- Failures are counted by account and address together, so that nobody locks an account for its owner.
create table login_addresses (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- Null for names that nobody has, which are counted in the platform's own tenant.
  user_id bigint,
  -- An IPv4 address, the first 64 bits of an IPv6 address, or 'anywhere' for all addresses without a successful log-in.
  address text not null check (address <> ''),
  failed_attempts integer not null default 0,
  locked_until timestamptz,
  last_attempt_at timestamptz not null,
  logged_in_at timestamptz,
  -- Failures since the last audit entry of this address, which one entry states together.
  repeated integer not null default 0 check (repeated >= 0),
  repeated_since timestamptz,
  unique nulls not distinct (tenant_id, user_id, address),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table login_addresses is 'Failed and successful log-ins of a user by network address.';
create index login_addresses_last on login_addresses (tenant_id, last_attempt_at);
call tenant_table('login_addresses', 'select, insert, update, delete');
