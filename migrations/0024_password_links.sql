-- One-time links by which people choose a password themselves, so that nobody else ever knows one of theirs.

create table password_links (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  purpose text not null check (purpose in ('reset', 'invitation')),
  -- Null for a person who has forgotten the password.
  requested_by bigint default current_actor(),
  requested_at timestamptz not null,
  -- Made when the message is sent, so that no queue and no backup ever holds a link. Sealed with a key of the service's: whoever can only
  -- write to the database cannot make a link.
  token_hash bytea check (octet_length(token_hash) = 32),
  expires_at timestamptz,
  ended_at timestamptz,
  is_used boolean not null default false,
  unique (tenant_id, id),
  check ((token_hash is null) = (expires_at is null)),
  check (not is_used or (ended_at is not null and token_hash is not null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id)
);
comment on table password_links is 'One-time links to choose a password, sent by e-mail.';
create index password_links_user on password_links (tenant_id, user_id, requested_at);
create unique index password_links_open on password_links (tenant_id, user_id) where ended_at is null;
call tenant_table('password_links');
call audited_table('password_links', 'user', id_column => 'user_id');
-- Not refuse_change(): a start takes that for the mark of a table that is only added to.
create function refuse_update() returns trigger language plpgsql as
  $$ begin raise exception 'this change of % is not possible', tg_table_name using errcode = 'QA002'; end $$;
create trigger ended before update on password_links for each row when (old.ended_at is not null) execute function refuse_update();

alter table mails
  add column password_link_id bigint,
  drop constraint mails_kind_check,
  drop constraint mails_notification_ids_check,
  add constraint mails_kind_check check (kind in ('notification', 'digest', 'password_link')),
  add check ((kind = 'password_link') = (password_link_id is not null)),
  add check ((kind = 'password_link') = (cardinality(notification_ids) = 0)),
  add foreign key (tenant_id, password_link_id) references password_links (tenant_id, id);
comment on table mails is 'E-mails: about one notification, a digest of several, or a link to choose a password.';

-- Whoever changes the address of another person could read the link that is sent there next.
alter table users add column email_changed_at timestamptz;

-- A queued message cannot be turned to another mailbox: its link would open the account of its user.
create trigger fixed before update on mails for each row when (
  (old.user_id, old.kind, old.notification_ids, old.address, old.password_link_id, old.message_id)
  is distinct from (new.user_id, new.kind, new.notification_ids, new.address, new.password_link_id, new.message_id))
  execute function refuse_update();
alter table mails add check (password_link_id is null or address is null);

-- A lower number would bring ended tokens back to life, and an account that seems unused has weaker rules.
create trigger kept before update on credentials for each row when (new.session_version < old.session_version
  or old.last_login_at is not null and new.last_login_at is null) execute function refuse_update();

-- The entry of this transaction that names the user and has one of these actions.
create function has_user_entry(user_id bigint, actions text[]) returns boolean language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  with own as materialized (select e.tenant_id, e.resource_type, e.resource_id, e.action from audit_entries e
    where e.transaction_id = current_transaction() and e.xmin = pg_current_xact_id()::xid)
  select exists (select from own where own.tenant_id = current_tenant() and own.resource_type = 'user'
    and own.resource_id = has_user_entry.user_id and own.action = any(actions)) $$;
revoke execute on function has_user_entry(bigint, text[]) from public;

-- A password and a second factor have an entry that says so, and whoever sets the password of somebody else takes their verification away.
create function keep_credentials() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  actor bigint := current_actor();
begin
  if old.totp_secret is distinct from new.totp_secret
      and not has_user_entry(new.user_id, '{user.totp_enrolled,user.totp_confirmed,user.totp_removed,user.totp_resealed}') then
    raise exception 'the second factor of user % changed without an entry that says so', new.user_id using errcode = 'QA001';
  end if;
  if old.password_hash = new.password_hash then
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
create constraint trigger keep_credentials after update on credentials deferrable initially deferred for each row
  when ((old.password_hash, old.totp_secret) is distinct from (new.password_hash, new.totp_secret)) execute function keep_credentials();

-- What src/modules/accounts decides of a user, as far as it needs no other row.
create function keep_user() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  actor bigint := current_actor();
  is_verified boolean := new.identity_verified_at is not null and (new.identity_verified_at, new.identity_verified_by,
    new.identity_verified_method) is distinct from (old.identity_verified_at, old.identity_verified_by, old.identity_verified_method);
begin
  if (new.username, new.created_by) is distinct from (old.username, old.created_by) then
    raise exception 'the user name of user %, and who created it, stay', new.id using errcode = 'QA002';
  end if;
  if (new.role_id, new.granted, new.denied) is distinct from (old.role_id, old.granted, old.denied)
      and (actor = new.id or not has_user_entry(new.id, '{user.role_changed,user.permissions_changed}')) then
    raise exception 'the role or the permissions of user % changed without an entry that says so, or by themselves', new.id using errcode = 'QA002';
  end if;
  if is_verified and (actor is distinct from new.identity_verified_by or actor = new.created_by or actor = any(old.account_openers)
      or not has_user_entry(new.id, '{user.identity_verified}')) then
    raise exception 'the identity of user % was not verified by another person', new.id using errcode = 'QA002';
  end if;
  if not is_verified and (old.identity_reset_at is not null and new.identity_reset_at is null
      or not old.account_openers <@ new.account_openers) then
    raise exception 'only a verification ends the reset of user %', new.id using errcode = 'QA002';
  end if;
  if new.email <> old.email and (new.email_changed_at is null or new.email_changed_at is not distinct from old.email_changed_at
      or new.email_changed_at < clock_timestamp() - interval '1 hour' or actor is not null and not actor = any(new.account_openers)) then
    raise exception 'the address of user % changed without its moment and its author', new.id using errcode = 'QA002';
  end if;
  return null;
end $$;
create constraint trigger keep_user after update on users deferrable initially deferred for each row
  when ((old.username, old.email, old.role_id, old.granted, old.denied, old.created_by, old.identity_reset_at, old.account_openers, old.identity_verified_at,
    old.identity_verified_by, old.identity_verified_method)
  is distinct from (new.username, new.email, new.role_id, new.granted, new.denied, new.created_by, new.identity_reset_at, new.account_openers, new.identity_verified_at,
    new.identity_verified_by, new.identity_verified_method))
  execute function keep_user();
revoke execute on function keep_credentials(), keep_user() from public;
