-- Machines get accounts of their own. Today they would use a person's password, which 21 CFR 11.300 forbids, and could sign with it.

alter table users add column kind text not null default 'person' check (kind in ('person', 'service')),
  -- The person who answers for a service account.
  add column owner_id bigint,
  add column requests_per_second integer check (requests_per_second between 1 and 200),
  alter column email drop not null,
  add check ((kind = 'person') = (email is not null)),
  add check ((kind = 'service') = (owner_id is not null)),
  add check (kind = 'service' or requests_per_second is null),
  -- The installation is operated by people.
  add check (kind = 'person' or tenant_id <> 1),
  add foreign key (tenant_id, owner_id) references users (tenant_id, id);
comment on table users is
  'The people of a tenant and its service accounts, each with one role and single permissions granted or denied beside it.';
comment on column users.requests_per_second is 'The limit of a service account; null for the usual one.';
create index users_service on users (tenant_id, owner_id) where kind = 'service';
-- Otherwise a machine could become a signer, or the signer of a record a machine.
create trigger kind_stays before update on users for each row when (old.kind <> new.kind) execute function refuse_update();

create function is_service_account(user_id bigint) returns boolean language sql stable set search_path = pg_catalog, public, pg_temp as
  $$ select exists (select from users u where u.id = user_id and u.kind = 'service') $$;

-- Called for every table with a column that names a person who signs, decides, learns or is responsible.
create function refuse_service_account() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  designated text;
begin
  foreach designated in array tg_argv loop
    if is_service_account((to_jsonb(new) ->> designated)::bigint) then
      raise exception 'a service account cannot be % in %', designated, tg_table_name using errcode = 'QA002';
    end if;
  end loop;
  return new;
end $$;
create procedure people_only(name regclass, variadic columns text[]) language plpgsql as $$
declare
  listed text := (select string_agg(format('%I', each), ', ') from unnest(columns) each);
  arguments text := (select string_agg(format('%L', each), ', ') from unnest(columns) each);
begin
  execute format('create trigger people_only before insert or update of %s on %s for each row execute function refuse_service_account(%s)',
    listed, name, arguments);
end $$;

-- ALWAYS holds when replication skips triggers, too.
create function signer_is_person() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if is_service_account(new.signer_id) then
    raise exception 'a service account cannot sign' using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger signer_is_person before insert on signatures for each row execute function signer_is_person();
alter table signatures enable always trigger signer_is_person;

call people_only('users', 'owner_id', 'identity_verified_by');
call people_only('credentials', 'user_id');
call people_only('password_links', 'user_id');
call people_only('sessions', 'user_id');
call people_only('group_members', 'user_id');
call people_only('deputies', 'person_id', 'deputy_id');
call people_only('documents', 'owner_id');
call people_only('document_decisions', 'user_id');
call people_only('document_delegations', 'from_user_id', 'to_user_id');
call people_only('document_reviews', 'reviewer_id');
call people_only('deviations', 'assigned_to', 'closed_by');
call people_only('capas', 'assigned_to', 'approved_by', 'closed_by');
call people_only('capa_actions', 'assigned_to', 'approved_by');
call people_only('effectiveness_reviews', 'reviewer_id');
call people_only('due_date_extensions', 'decided_by');
call people_only('training_assignments', 'user_id', 'verified_by');
call people_only('controlled_copies', 'holder_id', 'issued_to');
call people_only('audit_reviews', 'reviewer_id');
call people_only('access_reviews', 'reviewer_id');
call people_only('configuration_changes', 'decided_by');
call people_only('file_removals', 'decided_by');
call people_only('signature_voids', 'voided_by');

-- A service account logs in nowhere, and nobody chooses a password for it.
create or replace function find_login(login text) returns table (tenant_id bigint, user_id bigint)
  language sql stable security definer set search_path = pg_catalog, public as
  $$ select u.tenant_id, u.id from users u
     where u.kind = 'person' and (lower(u.username) = lower(login) or lower(u.email) = lower(login)) limit 1 $$;

-- An access review lists the accounts of machines too.
alter table access_review_accounts drop constraint access_review_accounts_source_check,
  add constraint access_review_accounts_source_check check (source in ('local', 'service'));

create table api_keys (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  name text not null check (name <> ''),
  -- SHA-256 of the account and 256 random bits. Not made with SECRET_KEY, so that another one does not stop every machine.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  permissions text[] not null check (permissions <> '{}'),
  -- Empty: from anywhere.
  networks inet[] not null default '{}',
  expires_at timestamptz not null,
  -- The last notice of its end: so many days before it.
  warned_days integer check (warned_days between 1 and 30),
  replaces_id bigint,
  created_at timestamptz not null,
  created_by bigint,
  last_used_at timestamptz,
  last_used_addr text,
  revoked_at timestamptz,
  revoked_by bigint,
  revoke_reason text check (revoke_reason <> ''),
  unique (tenant_id, id),
  unique (tenant_id, secret_hash),
  -- A key is rotated once, also by two people at the same moment.
  unique (tenant_id, replaces_id),
  check (expires_at <= created_at + interval '366 days'),
  check ((revoked_at is null) = (revoke_reason is null)),
  check (revoked_by is null or revoked_at is not null),
  check ((last_used_at is null) = (last_used_addr is null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, revoked_by) references users (tenant_id, id),
  foreign key (tenant_id, replaces_id) references api_keys (tenant_id, id)
);
comment on table api_keys is 'Keys of service accounts: what each may do, from where, until when, and who revoked it.';
create index api_keys_user on api_keys (tenant_id, user_id, id);
create index api_keys_end on api_keys (tenant_id, expires_at) where revoked_at is null;
call tenant_table('api_keys');
call audited_table('api_keys', 'api_key', except_columns => '{last_used_at,last_used_addr}');
call people_only('api_keys', 'created_by', 'revoked_by');

create function key_of_service_account() returns trigger language plpgsql as $$
begin
  if not is_service_account(new.user_id) then
    raise exception 'a person logs in and has no key' using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger of_service_account after insert on api_keys for each row execute function key_of_service_account();

-- A key is used, ends earlier, and is revoked once; it is never widened, prolonged, or given to another account.
create trigger kept before update on api_keys for each row when (new.expires_at > old.expires_at or new.last_used_at < old.last_used_at
  or old.revoked_at is not null and (old.revoked_at, old.revoked_by, old.revoke_reason) is distinct from (new.revoked_at, new.revoked_by, new.revoke_reason)
  or (to_jsonb(old) - '{tenant_id,expires_at,warned_days,last_used_at,last_used_addr,revoked_at,revoked_by,revoke_reason}'::text[])
    is distinct from (to_jsonb(new) - '{tenant_id,expires_at,warned_days,last_used_at,last_used_addr,revoked_at,revoked_by,revoke_reason}'::text[]))
  execute function refuse_update();
