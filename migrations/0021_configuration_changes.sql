-- While the setting configuration_needs_approval is on, one person proposes a change of a workflow template, form template, role or document
-- type, and another person puts it into force with a signature (EU GMP Annex 11, 10 and 12; 21 CFR 11.10(k)).

create table configuration_changes (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('workflow_template', 'form_template', 'role', 'document_type', 'settings')),
  operation text not null check (operation in ('create', 'update', 'delete')),
  -- Null for a new record until its creation is approved.
  resource_id bigint,
  title text not null check (title <> ''),
  -- The parameters and the body of the request, which the approval applies.
  request jsonb not null,
  -- The old and the new value of each field, as the audit trail states them.
  changes jsonb not null,
  -- The SHA-256 of all that is approved.
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  base_revision integer,
  reason text check (reason <> ''),
  proposed_by bigint not null default current_actor(),
  proposed_at timestamptz not null default now(),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'outdated')),
  decided_by bigint,
  decided_at timestamptz,
  decision_reason text check (decision_reason <> ''),
  signature_id bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, proposed_by) references users (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  foreign key (tenant_id, signature_id) references signatures (tenant_id, id),
  check ((operation = 'create') = (base_revision is null)),
  check ((status = 'pending') = (decided_at is null)),
  check ((status = 'pending') = (decided_by is null)),
  check ((status = 'approved') = (signature_id is not null)),
  check (status <> 'rejected' or decision_reason is not null),
  constraint configuration_changes_other_person check (status not in ('approved', 'rejected') or decided_by <> proposed_by),
  constraint configuration_changes_withdrawn_by_author check (status <> 'withdrawn' or decided_by = proposed_by)
);
comment on table configuration_changes is
  'Proposed changes of workflow templates, form templates, roles, document types and of the setting that requires them, and who approved them.';
create index configuration_changes_status on configuration_changes (tenant_id, status, id);
create index configuration_changes_resource on configuration_changes (tenant_id, kind, resource_id);
create index configuration_changes_signature on configuration_changes (tenant_id, signature_id);
create index configuration_changes_proposer on configuration_changes (tenant_id, proposed_by);
create index configuration_changes_decider on configuration_changes (tenant_id, decided_by);
call tenant_table('configuration_changes', 'select');
-- The database says who proposed and decided, and when.
grant insert (kind, operation, resource_id, title, request, changes, digest, base_revision, reason) on configuration_changes to attest_app;
grant update (status, decision_reason, signature_id, resource_id) on configuration_changes to attest_app;
call audited_table('configuration_changes', 'configuration_change');

-- A configuration change can also be signed. The record of a signature is computed from the columns that name it, so these are made anew.
alter table signatures
  add column configuration_change_id bigint,
  drop column record_type,
  drop column record_id,
  drop constraint signatures_check,
  drop constraint signatures_occasion_kind_check;
alter table signatures
  add column record_type text not null generated always as (case when document_id is not null then 'document'
    when deviation_id is not null then 'deviation' when capa_id is not null then 'capa'
    when effectiveness_review_id is not null then 'effectiveness_review'
    when training_assignment_id is not null then 'training_assignment'
    when audit_review_id is not null then 'audit_review' else 'configuration_change' end) stored,
  add column record_id bigint not null generated always as (coalesce(document_id, deviation_id, capa_id, effectiveness_review_id,
    training_assignment_id, audit_review_id, configuration_change_id)) stored,
  add constraint signatures_one_record check (num_nonnulls(document_id, deviation_id, capa_id, effectiveness_review_id,
    training_assignment_id, audit_review_id, configuration_change_id) = 1),
  add constraint signatures_occasion_kind_check check (occasion_kind in ('free', 'approval', 'obsolescence', 'periodic_review', 'closure',
    'effectiveness', 'training', 'training_verification', 'audit_review', 'configuration')),
  add foreign key (tenant_id, configuration_change_id) references configuration_changes (tenant_id, id);
create index signatures_configuration_change on signatures (tenant_id, configuration_change_id);
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, ''));
grant insert (configuration_change_id) on signatures to attest_app;

-- A proposal keeps its content, and is decided once. An approval is by the person who signed it.
create function guard_configuration_change() returns trigger language plpgsql as $$
declare
  decision text[] := array['status', 'decided_by', 'decided_at', 'decision_reason', 'signature_id'];
begin
  if tg_op = 'DELETE' or old.status <> 'pending' or new.status = 'pending' then
    raise exception 'a configuration change is decided once, and stays' using errcode = 'QA002';
  end if;
  -- Only the approval of a new record can say which one it became.
  if old.operation = 'create' and new.status = 'approved' then decision := decision || array['resource_id']; end if;
  if to_jsonb(old) - decision is distinct from to_jsonb(new) - decision then
    raise exception 'the content of a configuration change cannot be changed' using errcode = 'QA002';
  end if;
  new.decided_by := current_actor();
  new.decided_at := now();
  if new.status = 'approved' and not exists (select from signatures s where s.tenant_id = new.tenant_id and s.id = new.signature_id
      and s.configuration_change_id = new.id and s.signer_id = new.decided_by and s.signature_type = 'approval') then
    raise exception 'configuration change % is not signed by the person who approves it', new.id using errcode = 'QA003';
  end if;
  return new;
end $$;
create trigger guard before update or delete on configuration_changes for each row execute function guard_configuration_change();
alter table configuration_changes enable always trigger guard;

-- At commit, a changed row of the configuration is named by a change that was approved in this very transaction (xmin, as in
-- require_audit_entry), while the setting is on.
create function require_configuration_approval() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if not exists (select from tenants where id = (select current_tenant()) and settings ->> 'configuration_needs_approval' = 'true') then return null; end if;
  if not exists (select from configuration_changes c where c.tenant_id = (select current_tenant()) and c.kind = tg_argv[0]
      and c.resource_id = (changed ->> 'id')::bigint and c.status = 'approved' and c.xmin = pg_current_xact_id()::xid) then
    raise exception '% % was changed without the approval of another person', tg_argv[0], changed ->> 'id' using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger approved after insert or update or delete on workflow_templates deferrable initially deferred
  for each row execute function require_configuration_approval('workflow_template');
create constraint trigger approved after insert or update or delete on form_templates deferrable initially deferred
  for each row execute function require_configuration_approval('form_template');
create constraint trigger approved after insert or update or delete on document_types deferrable initially deferred
  for each row execute function require_configuration_approval('document_type');
-- The grants of a system role are in the program, so its row gives nobody anything.
create constraint trigger approved after insert on roles deferrable initially deferred
  for each row when (not new.is_system) execute function require_configuration_approval('role');
create constraint trigger approved_update after update on roles deferrable initially deferred
  for each row when (not old.is_system or not new.is_system) execute function require_configuration_approval('role');
create constraint trigger approved_delete after delete on roles deferrable initially deferred
  for each row when (not old.is_system) execute function require_configuration_approval('role');

-- Nobody switches the setting off alone: the row of the tenant has no such setting any more at commit, so it is compared with the one before.
create function require_approved_switch_off() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from configuration_changes c where c.tenant_id = new.id and c.kind = 'settings' and c.status = 'approved'
      and c.xmin = pg_current_xact_id()::xid) then
    raise exception 'configuration_needs_approval was switched off without the approval of another person' using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger approved after update on tenants deferrable initially deferred
  for each row when (old.settings ->> 'configuration_needs_approval' = 'true'
    and new.settings ->> 'configuration_needs_approval' is distinct from 'true') execute function require_approved_switch_off();
