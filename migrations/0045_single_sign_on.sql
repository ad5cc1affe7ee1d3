-- Accounts that a provider makes: they have no password, and their address does not log in. And accounts that get in without a provider.

alter table credentials
  alter column password_hash drop not null,
  add column is_break_glass boolean not null default false,
  -- The last reminder that the account be tried.
  add column break_glass_reminded_at timestamptz,
  add check (not is_break_glass or password_hash is not null);

alter table users add column email_logs_in boolean not null default true;
drop index users_email;
-- A person whom two companies have is one address in both, as long as it logs in for neither.
create unique index users_email on users (lower(email)) where email_logs_in;
create unique index users_email_in_tenant on users (tenant_id, lower(email));
create or replace function find_login(login text) returns table (tenant_id bigint, user_id bigint)
  language sql stable security definer set search_path = pg_catalog, public as
  $$ select u.tenant_id, u.id from users u
     where u.kind = 'person' and (lower(u.username) = lower(login) or u.email_logs_in and lower(u.email) = lower(login)) limit 1 $$;

-- As before, for accounts without a password too; and who may get in without a provider has an entry that says so.
create or replace function keep_credentials() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  actor bigint := current_actor();
begin
  if old.totp_secret is distinct from new.totp_secret
      and not has_user_entry(new.user_id, '{user.totp_enrolled,user.totp_confirmed,user.totp_removed,user.totp_resealed}') then
    raise exception 'the second factor of user % changed without an entry that says so', new.user_id using errcode = 'QA001';
  end if;
  if old.is_break_glass <> new.is_break_glass and not has_user_entry(new.user_id, '{user.break_glass_changed}') then
    raise exception 'user % may get in without a provider, or no longer, without an entry that says so', new.user_id using errcode = 'QA001';
  end if;
  if old.password_hash is not distinct from new.password_hash then
    return null;
  end if;
  if not has_user_entry(new.user_id, '{user.password_changed,user.password_reset,user.password_chosen,user.invited_again}') then
    raise exception 'the password of user % changed without an entry that says so', new.user_id using errcode = 'QA001';
  end if;
  if actor is distinct from new.user_id and new.last_login_at is not null and not exists (
      select from users u where u.tenant_id = new.tenant_id and u.id = new.user_id and u.identity_reset_at is not null
        and (actor is null or actor = any(u.account_openers))) then
    raise exception 'the password of user % was reset, and not their identity', new.user_id using errcode = 'QA002';
  end if;
  return null;
end $$;
drop trigger keep_credentials on credentials;
create constraint trigger keep_credentials after update on credentials deferrable initially deferred for each row
  when ((old.password_hash, old.totp_secret, old.is_break_glass) is distinct from (new.password_hash, new.totp_secret, new.is_break_glass))
  execute function keep_credentials();

create table identity_provider_mappings (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  provider_id bigint not null,
  claim_value text not null check (claim_value <> ''),
  role_id bigint,
  group_id bigint,
  priority integer not null,
  unique (tenant_id, id),
  unique nulls not distinct (tenant_id, provider_id, claim_value, role_id, group_id),
  check (num_nonnulls(role_id, group_id) = 1),
  foreign key (tenant_id, provider_id) references identity_providers (tenant_id, id),
  foreign key (tenant_id, role_id) references roles (tenant_id, id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id)
);
comment on table identity_provider_mappings is 'Which role and which groups people have by the groups of a provider.';
call tenant_table('identity_provider_mappings', 'select, insert, update, delete');
call audited_table('identity_provider_mappings', 'identity_provider', id_column => 'provider_id');
