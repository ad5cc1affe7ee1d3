-- Two things that must be possible with a trail in which nothing can be changed: to remove what may not be kept of a person, and to go on
-- after a restore, when the database has forgotten what was signed.

-- What was removed. Both halves of an entry are hashed with a salt of their own; without half and salt the leaf says nothing of it, and
-- every proof holds as before.
create table audit_redactions (
  tenant_id bigint not null default current_tenant(),
  entry_id bigint not null,
  part text not null check (part in ('person', 'detail')),
  reason text not null check (reason <> ''),
  redacted_by text not null check (redacted_by <> ''),
  redacted_at timestamptz not null default now(),
  -- The entry of the trail that tells of it.
  told_in bigint not null,
  primary key (tenant_id, entry_id, part),
  foreign key (tenant_id, entry_id) references audit_entries (tenant_id, id),
  foreign key (tenant_id, told_in) references audit_entries (tenant_id, id)
);
call tenant_table('audit_redactions', 'select');
call append_only('audit_redactions');

-- A half is there with its salt, or neither is.
alter table audit_entries alter username drop not null, alter user_role drop not null, alter client_addr drop not null,
  alter person_salt drop not null, alter changes drop not null, alter detail_salt drop not null,
  add constraint audit_entries_person check (num_nulls(username, user_role, client_addr, person_salt) in (0, 4)),
  add constraint audit_entries_detail check (num_nulls(changes, detail_salt) = 0
    or num_nonnulls(changes, detail_salt, resource_number, resource_revision, reason) = 0);

-- Whether a change removes one half and nothing else, and this transaction has said so. What the trail says of itself stays: proofs are
-- read by it.
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
    select from audit_redactions r join audit_entries told on told.tenant_id = r.tenant_id and told.id = r.told_in
    where r.tenant_id = was.tenant_id and r.entry_id = was.id and r.part = removed
      and told.action = 'audit.redacted' and told.transaction_id = current_transaction());
end $$;
revoke execute on function is_redaction(audit_entries, audit_entries) from public;

-- The same guard, but for that. Updates are the owner's alone; the application has no right to any.
drop trigger append_only on audit_entries;
create trigger append_only before update on audit_entries for each row when (is_redaction(old, new) is not true) execute function refuse_change();
create trigger no_delete before delete on audit_entries for each row execute function refuse_change();
alter table audit_entries enable always trigger append_only;
alter table audit_entries enable always trigger no_delete;

-- The entry that says why the epoch began is its leaf 0, whatever else waits to be sealed. The first epoch began with the log.
alter table audit_epochs add first_entry_id bigint, add foreign key (tenant_id, first_entry_id) references audit_entries (tenant_id, id);

-- Ends the tree of the tenant of the transaction as it is, and begins another: its leaf 0 says what it follows. Its number is one that no
-- earlier restore of the same backup can have taken: the seconds since 2026, where those are more than the number after the last.
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
  -- By RFC 8785: the names are in their order.
  insert into audit_entries (tenant_id, user_id, username, user_role, outcome, action, resource_type, changes, reason, request_id, client_addr)
  values (log.tenant_id, null, 'system', 'System', 'success', 'audit.epoch_started', 'audit', format(
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
