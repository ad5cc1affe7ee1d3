-- The audit trail: who did what, when and why. The trail of each tenant is a Merkle log (RFC 6962). Each entry is hashed in its own
-- transaction; a sealer then gives entries their places in a tree, without gaps, and signs its root (a checkpoint). Changing, removing or
-- reordering sealed entries would change the root. Two exceptions must be possible in a trail where nothing can be changed: to redact
-- personal data, and to continue after a restore, when the database has forgotten what was signed.

-- Tenant, person, moment and transaction come from the transaction itself: the application has no right to write these columns, so nobody
-- with its login can date an entry back or give it to another transaction. Name and role are copied from the account, so that a later change
-- of the account rewrites no entry. user_id is null for the system, and for a log-in that failed.
create table audit_entries (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  occurred_at timestamptz not null default clock_timestamp(),
  transaction_id uuid not null default current_transaction(),
  user_id bigint default current_actor(),
  username text,
  user_role text,
  client_addr text,
  outcome text not null check (outcome in ('success', 'denied', 'failed')),
  action text not null,
  resource_type text not null,
  resource_id bigint,
  resource_number text,
  resource_revision integer,
  -- json keeps the text byte for byte: it is hashed, and never written again.
  changes json,
  reason text,
  request_id text not null,
  -- A trigger fills these in: the defaults only keep them out of every insert.
  person_salt bytea default '' check (octet_length(person_salt) = 16),
  detail_salt bytea default '' check (octet_length(detail_salt) = 16),
  leaf text not null default '',
  leaf_hash bytea not null default '' check (octet_length(leaf_hash) = 32),
  unique (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  -- Each part is there with its salt, or neither is.
  constraint audit_entries_person check (num_nulls(username, user_role, client_addr, person_salt) in (0, 4)),
  constraint audit_entries_detail check (num_nulls(changes, detail_salt) = 0
    or num_nonnulls(changes, detail_salt, resource_number, resource_revision, reason) = 0)
)
-- Rows are only added: with the default, the visibility map for index-only scans would lag until a fifth of the table is new.
with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
comment on table audit_entries is 'The audit trail: one row for each recorded event, append-only.';
create index audit_entries_transaction on audit_entries (transaction_id);
create index audit_entries_resource on audit_entries (tenant_id, resource_type, resource_id, id);
create index audit_entries_user on audit_entries (tenant_id, user_id, id);
create index audit_entries_action on audit_entries (tenant_id, action, id);
create index audit_entries_time on audit_entries (tenant_id, occurred_at, id);
-- Numbers and reasons are found by any part of them.
create index audit_entries_reason on audit_entries using gin (tenant_id, reason gin_trgm_ops) where reason is not null;
create index audit_entries_number on audit_entries using gin (tenant_id, resource_number gin_trgm_ops) where resource_number is not null;
call tenant_table('audit_entries', 'select');
grant insert (username, user_role, client_addr, outcome, action, resource_type, resource_id, resource_number, resource_revision, changes,
  reason, request_id) on audit_entries to attest_app;

-- RFC 8785 of flat objects: the names are sorted, and PostgreSQL writes strings as RFC 8785 does.
create function audit_person(e audit_entries) returns text language sql immutable parallel safe as $$
  select format('{"client_addr":%s,"role":%s,"username":%s}', to_json(e.client_addr), to_json(e.user_role), to_json(e.username)) $$;
-- `changes` stands as the application wrote it, which is by RFC 8785.
create function audit_detail(e audit_entries) returns text language sql immutable parallel safe as $$
  select format('{"changes":%s,"number":%s,"reason":%s,"revision":%s}', e.changes, coalesce(to_json(e.resource_number)::text, 'null'),
    coalesce(to_json(e.reason)::text, 'null'), coalesce(to_json(e.resource_revision::text)::text, 'null')) $$;
-- Hashed with a salt, because names can be guessed: without the salt the hash says nothing about the text.
create function audit_commitment(salt bytea, opening text) returns text language sql immutable parallel safe as $$
  select 'sha256:' || encode(sha256('\x65716d732f76312f72656461637461626c6500'::bytea || salt || convert_to(opening, 'UTF8')), 'hex') $$;

-- The hashed text. Nothing in it is personal but the number of the account.
create function audit_leaf(e audit_entries, log uuid, person_commit text, detail_commit text) returns text language sql immutable parallel safe as $$
  select format('{"action":%s,"actor":%s,"actor_commit":%s,"detail_commit":%s,"id":"%s","log":"%s","outcome":%s,"request_id":%s,"resource":[%s,"%s"],"tenant":"%s","ts":"%s","v":"1"}',
    to_json(e.action), to_json(coalesce(e.user_id::text, 'system')), to_json(person_commit), to_json(detail_commit), e.id, log, to_json(e.outcome),
    to_json(e.request_id), to_json(e.resource_type), coalesce(e.resource_id::text, ''), e.tenant_id,
    to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) $$;
create function audit_leaf_hash(leaf text) returns bytea language sql immutable parallel safe as
  $$ select sha256('\x00'::bytea || convert_to(leaf, 'UTF8')) $$;

create table audit_logs (
  tenant_id bigint primary key default current_tenant() references tenants,
  -- Names the log in leaves and checkpoints without saying anything about the tenant.
  log_id uuid not null default gen_random_uuid(),
  epoch integer not null default 1,
  -- The number of leaves in the tree of this epoch, and the roots of its perfect subtrees, the largest first.
  size bigint not null default 0 check (size >= 0),
  frontier bytea[] not null default '{}',
  -- The last sequence number given; it continues from epoch to epoch.
  seq bigint not null default 0 check (seq >= size)
);
comment on table audit_logs is 'How far the audit trail of each tenant is sealed.';
call tenant_table('audit_logs', 'select, update');

create table audit_epochs (
  tenant_id bigint not null default current_tenant() references tenants,
  epoch integer not null check (epoch > 0),
  -- The sequence number of leaf 0.
  first_seq bigint not null check (first_seq > 0),
  reason text,
  started_at timestamptz not null default now(),
  -- The entry that says why the epoch began is leaf 0, whatever else waits to be sealed. The first epoch began with the log, without one.
  first_entry_id bigint,
  primary key (tenant_id, epoch),
  foreign key (tenant_id, first_entry_id) references audit_entries (tenant_id, id)
);
comment on table audit_epochs is
  'The trees of an audit trail. A new one begins when the previous one cannot continue: after a restore, or when a key was disclosed.';
call tenant_table('audit_epochs', 'select, insert');
call append_only('audit_epochs');

create function open_audit_epoch() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as
  $$ begin insert into audit_epochs (tenant_id, epoch, first_seq) values (new.tenant_id, new.epoch, new.seq + 1); return null; end $$;
create trigger first_epoch after insert on audit_logs for each row execute function open_audit_epoch();
create function open_audit_log() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as
  $$ begin insert into audit_logs (tenant_id) values (new.id); return null; end $$;
create trigger audit_log after insert on tenants for each row execute function open_audit_log();
insert into audit_logs (tenant_id) select id from tenants;

create function write_audit_leaf() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.user_id is not null then
    select u.username, r.name into strict new.username, new.user_role from users u
      join roles r on r.tenant_id = u.tenant_id and r.id = u.role_id where u.tenant_id = new.tenant_id and u.id = new.user_id;
  end if;
  -- 128 random bits: a UUID alone has 122.
  new.person_salt := substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16);
  new.detail_salt := substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16);
  new.leaf := audit_leaf(new, (select log_id from audit_logs where tenant_id = new.tenant_id),
    audit_commitment(new.person_salt, audit_person(new)), audit_commitment(new.detail_salt, audit_detail(new)));
  new.leaf_hash := audit_leaf_hash(new.leaf);
  return new;
end $$;
create trigger leaf before insert on audit_entries for each row execute function write_audit_leaf();
alter table audit_entries enable always trigger leaf;

-- A list instead of "all above the last number", so that a transaction that commits late is sealed too.
create table audit_pending (
  tenant_id bigint not null default current_tenant(),
  entry_id bigint not null,
  primary key (tenant_id, entry_id),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table audit_pending is 'Committed entries that are not sealed yet.';
call tenant_table('audit_pending', 'select, insert, delete');
create function ask_to_seal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as
  $$ begin insert into audit_pending (tenant_id, entry_id) select tenant_id, id from written; return null; end $$;
create trigger pending after insert on audit_entries referencing new table as written for each statement execute function ask_to_seal();
alter table audit_entries enable always trigger pending;

create table audit_leaves (
  tenant_id bigint not null default current_tenant(),
  -- Without gaps from 1 on; the index of a leaf in its tree is `seq` minus the `first_seq` of its epoch.
  seq bigint not null check (seq > 0),
  entry_id bigint not null,
  epoch integer not null,
  primary key (tenant_id, seq),
  unique (tenant_id, entry_id),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id),
  foreign key (tenant_id, epoch) references audit_epochs (tenant_id, epoch)
);
comment on table audit_leaves is 'The places of entries in the trees.';
call tenant_table('audit_leaves', 'select, insert');
call append_only('audit_leaves');

create table audit_tiles (
  tenant_id bigint not null default current_tenant(),
  epoch integer not null,
  level integer not null check (level between 0 and 7),
  tile bigint not null check (tile >= 0),
  hashes bytea not null check (octet_length(hashes) = 256 * 32),
  -- A full tile is one hash of the level above: proofs across many tiles read 32 bytes of each.
  root bytea not null check (octet_length(root) = 32),
  primary key (tenant_id, epoch, level, tile),
  foreign key (tenant_id, epoch) references audit_epochs (tenant_id, epoch)
);
comment on table audit_tiles is
  'Full tiles of 256 hashes: those of leaves on level 0, the roots of full tiles of level 0 on level 1, and so on. Hashes outside of full tiles are read from the entries.';
-- Hashes do not compress, and a part of an uncompressed tile can be read alone.
alter table audit_tiles alter hashes set storage external;
call tenant_table('audit_tiles', 'select, insert');
call append_only('audit_tiles');

create table audit_checkpoints (
  tenant_id bigint not null default current_tenant(),
  epoch integer not null,
  size bigint not null check (size > 0),
  root bytea not null check (octet_length(root) = 32),
  note text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, epoch, size),
  foreign key (tenant_id, epoch) references audit_epochs (tenant_id, epoch)
);
comment on table audit_checkpoints is 'Signed roots as notes (C2SP tlog-checkpoint), each as it was signed.';
call tenant_table('audit_checkpoints', 'select, insert');
call append_only('audit_checkpoints');

-- The roots of perfect subtrees, the largest first, give the root of the whole tree (RFC 6962, 2.1).
create function audit_root(frontier bytea[]) returns bytea language plpgsql immutable set search_path = pg_catalog, public, pg_temp as $$
declare
  root bytea := frontier[cardinality(frontier)];
begin
  for place in reverse cardinality(frontier) - 1 .. 1 loop
    root := sha256('\x01'::bytea || frontier[place] || root);
  end loop;
  return root;
end $$;

-- A checkpoint of another size or root than those of the log would stop the sealing of its tenant.
create function keep_checkpoint() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from audit_logs l where l.tenant_id = new.tenant_id and l.epoch = new.epoch and l.size = new.size
      and audit_root(l.frontier) = new.root) then
    raise exception 'the checkpoint of % entries is not that of its log', new.size using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger keep_checkpoint after insert on audit_checkpoints deferrable initially deferred
  for each row execute function keep_checkpoint();

-- The log grows with its leaves, and otherwise only into a new epoch.
create function keep_log() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.log_id <> old.log_id or new.seq < old.seq
      or new.seq <> coalesce((select max(seq) from audit_leaves where tenant_id = new.tenant_id), 0)
      or new.size <> new.seq + 1 - (select first_seq from audit_epochs where tenant_id = new.tenant_id and epoch = new.epoch)
      or new.size > 0 and not exists (select from audit_checkpoints c where c.tenant_id = new.tenant_id and c.epoch = new.epoch and c.size = new.size) then
    raise exception 'the log does not match its leaves and checkpoints' using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger keep_log after update on audit_logs deferrable initially deferred for each row execute function keep_log();

-- A key that is no longer used stays, because the checkpoints that it signed must remain verifiable.
create table audit_keys (
  key_id text primary key,
  public_key text not null,
  created_at timestamptz not null default now()
);
comment on table audit_keys is 'Public keys of the signatures on checkpoints.';
grant select, insert on audit_keys to attest_app;
call append_only('audit_keys');

-- Both parts of an entry are hashed with a salt of their own: without part and salt the leaf says nothing about the part, and every proof
-- stays valid.
create table audit_redactions (
  tenant_id bigint not null default current_tenant(),
  entry_id bigint not null,
  part text not null check (part in ('person', 'detail')),
  reason text not null check (reason <> ''),
  redacted_by text not null check (redacted_by <> ''),
  redacted_at timestamptz not null default now(),
  -- The audit entry of the redaction.
  recorded_in bigint not null,
  primary key (tenant_id, entry_id, part),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id),
  foreign key (tenant_id, recorded_in) references audit_entries (tenant_id, id)
);
comment on table audit_redactions is 'Recorded removals of personal data from entries.';
call tenant_table('audit_redactions', 'select');
call append_only('audit_redactions');

-- True if a change removes one part of an entry and nothing else, and this transaction has recorded the redaction. Entries about the trail
-- itself keep their details, because proofs are read by them.
create function is_redaction(was audit_entries, becomes audit_entries) returns boolean language plpgsql stable
  set search_path = pg_catalog, public, pg_temp as $$
declare
  without audit_entries := was;
  removed text := case when was.person_salt is not null and becomes.person_salt is null then 'person' else 'detail' end;
begin
  if removed = 'person' then
    without.username := null;
    without.user_role := null;
    without.client_addr := null;
    without.person_salt := null;
  elsif was.detail_salt is null or was.action in ('audit.redacted', 'audit.epoch_started', 'audit.key_rotated') then
    return false;
  else
    without.changes := null;
    without.resource_number := null;
    without.resource_revision := null;
    without.reason := null;
    without.detail_salt := null;
  end if;
  return without::text = becomes::text and exists (
    select from audit_redactions r join audit_entries told on told.tenant_id = r.tenant_id and told.id = r.recorded_in
    where r.tenant_id = was.tenant_id and r.entry_id = was.id and r.part = removed
      and told.action = 'audit.redacted' and told.transaction_id = current_transaction() and told.xmin = pg_current_xact_id()::xid);
end $$;
revoke execute on function is_redaction(audit_entries, audit_entries) from public;

-- The guard of append_only(), except for redactions. Only the owner can update at all: the application has no right to.
create trigger append_only before update on audit_entries for each row when (is_redaction(old, new) is not true) execute function refuse_change();
create trigger no_delete before delete on audit_entries for each row execute function refuse_change();
create trigger no_truncate before truncate on audit_entries for each statement execute function refuse_change();
alter table audit_entries enable always trigger append_only;
alter table audit_entries enable always trigger no_delete;
alter table audit_entries enable always trigger no_truncate;

-- Ends the tree of the transaction's tenant as it is, and begins another, whose leaf 0 says which tree it follows. The number of the epoch
-- is the seconds since 2026, or the last number plus one if that is more: no earlier restore of the same backup can have used it.
-- `anchored` is the newest checkpoint that is known outside of this database: {epoch, size, root}, the root in base64.
create function start_audit_epoch(why text, anchored jsonb default null) returns integer language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  log audit_logs;
  last audit_checkpoints;
  first_id bigint;
  number integer;
begin
  select * into strict log from audit_logs where tenant_id = current_tenant() for update;
  select * into last from audit_checkpoints where tenant_id = log.tenant_id and epoch = log.epoch order by size desc limit 1;
  number := greatest((select max(epoch) + 1 from audit_epochs where tenant_id = log.tenant_id), (anchored ->> 'epoch')::integer + 1, floor(extract(epoch from clock_timestamp()))::bigint - 1767225600);
  -- By RFC 8785: the names are sorted.
  insert into audit_entries (username, user_role, outcome, action, resource_type, changes, reason, request_id, client_addr)
  values ('system', 'System', 'success', 'audit.epoch_started', 'audit', format(
    '{"epoch":{"from":%s,"to":%s}%s%s,"previous_origin":{"from":null,"to":"attest/t/%s/e%s"},"previous_size":{"from":null,"to":%s},"seq":{"from":null,"to":%s}}',
    log.epoch, number,
    case when anchored is not null then format(',"last_anchored":{"from":null,"to":{"epoch":%s,"root":%s,"size":%s}}',
      anchored -> 'epoch', anchored -> 'root', anchored -> 'size') end,
    case when last.epoch is not null then format(',"last_checkpoint":{"from":null,"to":{"epoch":%s,"root":"%s","size":%s}}',
      last.epoch, encode(last.root, 'base64'), last.size) end,
    log.log_id, log.epoch, log.size, log.seq + 1)::json, why, '', '')
  returning id into first_id;
  insert into audit_epochs (tenant_id, epoch, first_seq, reason, first_entry_id) values (log.tenant_id, number, log.seq + 1, why, first_id);
  update audit_logs set epoch = number, size = 0, frontier = '{}' where tenant_id = log.tenant_id;
  return number;
end $$;
revoke execute on function start_audit_epoch(text, jsonb) from public;
grant execute on function start_audit_epoch(text, jsonb) to attest_app;

-- The tenants with entries to seal, each with its first such entry: an entry that stays the first is not being sealed. It reads one row
-- per tenant; the entries are then sealed in a transaction of their own tenant.
create function tenants_to_seal() returns table (tenant_id bigint, entry_id bigint) language sql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
  with recursive waiting as (
    (select p.tenant_id, p.entry_id from audit_pending p order by p.tenant_id, p.entry_id limit 1)
    union all
    select next.* from waiting w cross join lateral
      (select p.tenant_id, p.entry_id from audit_pending p where p.tenant_id > w.tenant_id order by p.tenant_id, p.entry_id limit 1) next)
  select * from waiting $$;
revoke execute on function tenants_to_seal() from public;
grant execute on function tenants_to_seal() to attest_app;

-- How far the log of each tenant is sealed, for keeping checkpoints outside of the database: page by page in the order of tenants.
create function audit_heads(after_tenant bigint, most integer) returns table (tenant_id bigint, log_id uuid, epoch integer, size bigint, root bytea)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select l.tenant_id, l.log_id, l.epoch, l.size, c.root
  from audit_logs l left join audit_checkpoints c on c.tenant_id = l.tenant_id and c.epoch = l.epoch and c.size = l.size
  where l.tenant_id > after_tenant order by l.tenant_id limit most $$;
revoke execute on function audit_heads(bigint, integer) from public;
grant execute on function audit_heads(bigint, integer) to attest_app;

revoke execute on function open_audit_log(), open_audit_epoch(), write_audit_leaf(), keep_checkpoint(), keep_log(), audit_root(bytea[]), ask_to_seal(), audit_person(audit_entries), audit_detail(audit_entries),
  audit_commitment(bytea, text), audit_leaf(audit_entries, uuid, text, text), audit_leaf_hash(text) from public;
grant execute on function audit_person(audit_entries), audit_detail(audit_entries), audit_commitment(bytea, text),
  audit_leaf(audit_entries, uuid, text, text), audit_leaf_hash(text), audit_root(bytea[]) to attest_app;
