-- The audit trail of each tenant is a Merkle log (RFC 6962). What an entry says is hashed when it is written, in its own transaction; a
-- sealer gives entries their places in a tree, without gaps, and signs the root of it (a checkpoint). What was sealed cannot be changed,
-- left out or put in another order without another root.

-- The state of a tenant's log. The id names it in leaves and checkpoints, and says nothing of the tenant.
create table audit_logs (
  tenant_id bigint primary key default current_tenant() references tenants,
  log_id uuid not null default gen_random_uuid(),
  epoch integer not null default 1,
  -- How many leaves the tree of this epoch has, and the roots of the perfect trees that they fall into, the largest first.
  size bigint not null default 0 check (size >= 0),
  frontier bytea[] not null default '{}',
  -- The last sequence number that was given; it goes on from epoch to epoch.
  seq bigint not null default 0 check (seq >= size)
);
call tenant_table('audit_logs', 'select, update');
create function open_audit_log() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as
  $$ begin insert into audit_logs (tenant_id) values (new.id); return null; end $$;
create trigger audit_log after insert on tenants for each row execute function open_audit_log();
insert into audit_logs (tenant_id) select id from tenants;

-- Each epoch is a tree of its own. Another begins where the one before cannot be gone on with: after a restore, or a key that got out.
create table audit_epochs (
  tenant_id bigint not null default current_tenant() references tenants,
  epoch integer not null check (epoch > 0),
  -- The sequence number of its leaf 0.
  first_seq bigint not null check (first_seq > 0),
  reason text,
  started_at timestamptz not null default now(),
  primary key (tenant_id, epoch)
);
call tenant_table('audit_epochs', 'select, insert');
call append_only('audit_epochs');
create function open_audit_epoch() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as
  $$ begin insert into audit_epochs (tenant_id, epoch, first_seq) values (new.tenant_id, new.epoch, new.seq + 1); return null; end $$;
create trigger first_epoch after insert on audit_logs for each row execute function open_audit_epoch();
insert into audit_epochs (tenant_id, epoch, first_seq) select tenant_id, 1, 1 from audit_logs;

-- Text as it was written, byte for byte: what is hashed is never written again.
alter table audit_entries disable trigger append_only;
alter table audit_entries alter changes type json using changes::json;
alter table audit_entries add person_salt bytea check (octet_length(person_salt) = 16), add detail_salt bytea check (octet_length(detail_salt) = 16),
  add leaf text, add leaf_hash bytea check (octet_length(leaf_hash) = 32);

-- RFC 8785 of flat objects: the names are in their order, and PostgreSQL writes strings as RFC 8785 does.
create function audit_person(e audit_entries) returns text language sql immutable parallel safe as $$
  select format('{"client_addr":%s,"role":%s,"username":%s}', to_json(e.client_addr), to_json(e.user_role), to_json(e.username)) $$;
-- `changes` stands as it was written, which the application does by RFC 8785.
create function audit_detail(e audit_entries) returns text language sql immutable parallel safe as $$
  select format('{"changes":%s,"number":%s,"reason":%s,"revision":%s}', e.changes, coalesce(to_json(e.resource_number)::text, 'null'),
    coalesce(to_json(e.reason)::text, 'null'), coalesce(to_json(e.resource_revision::text)::text, 'null')) $$;
-- Says nothing of what it is made from to who does not have the salt: names can be guessed.
create function audit_commitment(salt bytea, opening text) returns text language sql immutable parallel safe as $$
  select 'sha256:' || encode(sha256('\x65716d732f76312f72656461637461626c6500'::bytea || salt || convert_to(opening, 'UTF8')), 'hex') $$;

-- What is hashed: nothing in it is personal but the number of the account.
create function audit_leaf(e audit_entries, log uuid, person_commit text, detail_commit text) returns text language sql immutable parallel safe as $$
  select format('{"action":%s,"actor":%s,"actor_commit":%s,"detail_commit":%s,"id":"%s","log":"%s","outcome":%s,"request_id":%s,"resource":[%s,"%s"],"tenant":"%s","ts":"%s","v":"1"}',
    to_json(e.action), to_json(coalesce(e.user_id::text, 'system')), to_json(person_commit), to_json(detail_commit), e.id, log, to_json(e.outcome),
    to_json(e.request_id), to_json(e.resource_type), coalesce(e.resource_id::text, ''), e.tenant_id,
    to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) $$;
create function audit_leaf_hash(leaf text) returns bytea language sql immutable parallel safe as
  $$ select sha256('\x00'::bytea || convert_to(leaf, 'UTF8')) $$;

create function write_audit_leaf() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- 128 bits of chance: a UUID alone has 122.
  new.person_salt := substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16);
  new.detail_salt := substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16);
  new.leaf := audit_leaf(new, (select log_id from audit_logs where tenant_id = new.tenant_id),
    audit_commitment(new.person_salt, audit_person(new)), audit_commitment(new.detail_salt, audit_detail(new)));
  new.leaf_hash := audit_leaf_hash(new.leaf);
  return new;
end $$;

update audit_entries set person_salt = substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16),
  detail_salt = substring(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) for 16);
update audit_entries e set leaf = audit_leaf(e, (select log_id from audit_logs l where l.tenant_id = e.tenant_id),
  audit_commitment(person_salt, audit_person(e)), audit_commitment(detail_salt, audit_detail(e)));
update audit_entries set leaf_hash = audit_leaf_hash(leaf);
-- The defaults are there for who writes an entry: the trigger puts the values in their place.
alter table audit_entries alter person_salt set not null, alter person_salt set default '', alter detail_salt set not null,
  alter detail_salt set default '', alter leaf set not null, alter leaf set default '', alter leaf_hash set not null, alter leaf_hash set default '';
alter table audit_entries enable always trigger append_only;
create trigger leaf before insert on audit_entries for each row execute function write_audit_leaf();
alter table audit_entries enable always trigger leaf;

-- What is committed and has no place in the tree yet. Never 'all above the last number': a transaction that commits late is found too.
create table audit_pending (
  tenant_id bigint not null default current_tenant(),
  entry_id bigint not null,
  primary key (tenant_id, entry_id),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id)
);
call tenant_table('audit_pending', 'select, insert, delete');
alter table audit_pending set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create function ask_to_seal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as
  $$ begin insert into audit_pending (tenant_id, entry_id) select tenant_id, id from written; return null; end $$;
create trigger pending after insert on audit_entries referencing new table as written for each statement execute function ask_to_seal();
alter table audit_entries enable always trigger pending;
insert into audit_pending (tenant_id, entry_id) select tenant_id, id from audit_entries;

-- The places of the leaves. `seq` goes on without gaps from 1; the leaf's index is `seq` less the `first_seq` of its epoch.
create table audit_leaves (
  tenant_id bigint not null default current_tenant(),
  seq bigint not null check (seq > 0),
  entry_id bigint not null,
  epoch integer not null,
  primary key (tenant_id, seq),
  unique (tenant_id, entry_id),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id),
  foreign key (tenant_id, epoch) references audit_epochs (tenant_id, epoch)
);
call tenant_table('audit_leaves', 'select, insert');
call append_only('audit_leaves');

-- Full tiles of 256 hashes side by side: of level 0 those of leaves, of level 1 the roots of full tiles of level 0, and so on. What is not
-- in a full tile is in the leaves themselves.
create table audit_tiles (
  tenant_id bigint not null default current_tenant(),
  epoch integer not null,
  level integer not null check (level between 0 and 7),
  tile bigint not null check (tile >= 0),
  hashes bytea not null check (octet_length(hashes) = 256 * 32),
  primary key (tenant_id, epoch, level, tile),
  foreign key (tenant_id, epoch) references audit_epochs (tenant_id, epoch)
);
call tenant_table('audit_tiles', 'select, insert');
call append_only('audit_tiles');

-- Signed notes (C2SP tlog-checkpoint), each as it was signed.
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
call tenant_table('audit_checkpoints', 'select, insert');
call append_only('audit_checkpoints');

-- Whose entries wait, whatever tenant's: each is then sealed in a transaction of its own tenant. A look at one row for each tenant.
create function tenants_to_seal() returns setof bigint language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  with recursive waiting as (
    (select tenant_id from audit_pending order by tenant_id limit 1)
    union all
    select (select p.tenant_id from audit_pending p where p.tenant_id > w.tenant_id order by p.tenant_id limit 1) from waiting w where w.tenant_id is not null)
  select tenant_id from waiting where tenant_id is not null $$;

revoke execute on function open_audit_log(), open_audit_epoch(), write_audit_leaf(), ask_to_seal(), audit_person(audit_entries), audit_detail(audit_entries),
  audit_commitment(bytea, text), audit_leaf(audit_entries, uuid, text, text), audit_leaf_hash(text), tenants_to_seal() from public;
grant execute on function audit_person(audit_entries), audit_detail(audit_entries), audit_commitment(bytea, text),
  audit_leaf(audit_entries, uuid, text, text), audit_leaf_hash(text), tenants_to_seal() to attest_app;
