-- Deviations and CAPAs with their effectiveness reviews, the forms for deviations, and the parts that both kinds of record have: files,
-- comments, links, extensions of due dates, and the history of their states.

-- The open states of each kind of record, and when a report is late. Each set stands here once, for indexes, triggers, statistics and
-- queries, and a test compares it with the program's. PostgreSQL puts the expression in the place of the call: a query that lists the same
-- states still finds the partial indexes. A migration that changes a set must recreate the indexes on it.
create function is_open_deviation(status text) returns boolean language sql immutable parallel safe
  return status not in ('closed', 'cancelled');
create function is_open_capa(status text) returns boolean language sql immutable parallel safe
  return status not in ('rejected', 'closed', 'cancelled');
create function is_open_capa_action(status text) returns boolean language sql immutable parallel safe
  return status in ('open', 'in_progress');
create function is_reported_late(detected_at timestamptz, reported_at timestamptz) returns boolean language sql immutable parallel safe
  return reported_at - detected_at > interval '24 hours';

create table form_templates (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text,
  is_active boolean not null default true,
  version integer not null default 1,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, name),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table form_templates is 'Forms with the fields that a tenant asks for in deviations.';

-- Append-only, because a filled-in form is read with the version that it was filled in by.
create table form_template_versions (
  tenant_id bigint not null default current_tenant() references tenants,
  template_id bigint not null,
  version integer not null check (version > 0),
  sections jsonb not null,
  change_reason text,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references form_templates (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table form_template_versions is 'The sections and fields of each version of a form template.';
alter table form_templates add foreign key (tenant_id, id, version)
  references form_template_versions (tenant_id, template_id, version) deferrable initially deferred;

create table deviations (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  title text not null check (title <> ''),
  description text not null check (description <> ''),
  severity text not null check (severity in ('minor', 'major', 'critical')),
  -- The severity that the published rules suggested, and whether the person accepted it; null where no suggestion was requested.
  severity_suggestion jsonb,
  severity_decision text check (severity_decision in ('accepted', 'overridden')),
  severity_reason text,
  status text not null check (status in ('open', 'under_investigation', 'pending_approval', 'closed', 'cancelled')),
  category text check (category in ('process', 'procedure', 'product', 'material', 'equipment', 'laboratory', 'cleaning', 'environmental',
    'documentation', 'training', 'supplier', 'packaging', 'storage_warehouse', 'data_integrity', 'safety', 'other')),
  department text,
  occurred_at timestamptz,
  detected_at timestamptz not null,
  reported_at timestamptz not null,
  late_report_reason text,
  reported_by bigint not null,
  assigned_to bigint,
  affected_items jsonb not null default '[]',
  immediate_action text,
  impact_assessment text,
  investigation text,
  root_cause jsonb,
  root_cause_category text generated always as (root_cause ->> 'category') stored,
  no_capa_reason text,
  due_date date not null,
  original_due_date date not null,
  extension_count integer not null default 0,
  -- The day of the next notice: due soon, then overdue; null once both were given.
  due_notice_on date,
  form_template_id bigint,
  form_template_version integer,
  form_data jsonb,
  -- Counts the changes of content that a signature covers.
  content_revision integer not null default 1,
  closed_at timestamptz,
  closed_by bigint,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, number),
  check ((severity_suggestion is null) = (severity_decision is null)),
  check ((form_template_id is null) = (form_template_version is null)),
  check ((form_template_id is null) = (form_data is null)),
  check ((status = 'closed') = (closed_at is not null)),
  check ((closed_at is null) = (closed_by is null)),
  foreign key (tenant_id, form_template_id, form_template_version) references form_template_versions (tenant_id, template_id, version),
  foreign key (tenant_id, reported_by) references users (tenant_id, id),
  foreign key (tenant_id, assigned_to) references users (tenant_id, id),
  foreign key (tenant_id, closed_by) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table deviations is 'Departures from an approved instruction or an established standard.';
create index deviations_status on deviations (tenant_id, status, id);
create index deviations_severity on deviations (tenant_id, severity, id);
create index deviations_category on deviations (tenant_id, category, id);
create index deviations_assigned on deviations (tenant_id, assigned_to, id);
create index deviations_reporter on deviations (tenant_id, reported_by, id);
create index deviations_closer on deviations (tenant_id, closed_by);
create index deviations_detected on deviations (tenant_id, detected_at, id);
create index deviations_form on deviations (tenant_id, form_template_id, form_template_version);
-- Every list can be sorted by its due date, also one with closed deviations.
create index deviations_due_date on deviations (tenant_id, due_date, id);
-- A filtered list is counted without reading the rows.
create index deviations_filters on deviations (tenant_id, category, severity, status, id);
-- These hold open deviations only, so that scheduled tasks and dashboards never read a tenant's history, however long it becomes.
create index deviations_due on deviations (tenant_id, due_date, id) where is_open_deviation(status);
create index deviations_todo on deviations (tenant_id, assigned_to, due_date, id) where is_open_deviation(status);
create index deviations_notice on deviations (tenant_id, due_notice_on, id)
  where due_notice_on is not null and is_open_deviation(status);
-- Statistics look for the deviations that were closed in a period, and for earlier ones of the same category and root cause.
create index deviations_closed_at on deviations (tenant_id, closed_at) where closed_at is not null;
create index deviations_recurrence on deviations (tenant_id, category, root_cause_category, detected_at, id)
  where category is not null and root_cause_category is not null and status <> 'cancelled';

create table capas (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  title text not null check (title <> ''),
  description text not null check (description <> ''),
  type text not null check (type in ('corrective', 'preventive', 'both')),
  source text not null check (source in ('deviation', 'audit_finding', 'complaint', 'oos', 'supplier', 'management_review', 'trend',
    'risk_review', 'internal', 'other')),
  priority text not null check (priority in ('low', 'medium', 'high', 'critical')),
  status text not null check (status in ('draft', 'rejected', 'open', 'in_progress', 'pending_effectiveness', 'closed', 'cancelled')),
  root_cause text,
  adverse_effect_assessment text,
  assigned_to bigint,
  due_date date not null,
  original_due_date date not null,
  extension_count integer not null default 0,
  -- The day of the next notice, as in the two tables below.
  notice_on date,
  approved_at timestamptz,
  approved_by bigint,
  content_revision integer not null default 1,
  closed_at timestamptz,
  closed_by bigint,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, number),
  check ((approved_at is null) = (approved_by is null)),
  check ((status = 'closed') = (closed_at is not null)),
  check ((closed_at is null) = (closed_by is null)),
  foreign key (tenant_id, assigned_to) references users (tenant_id, id),
  foreign key (tenant_id, approved_by) references users (tenant_id, id),
  foreign key (tenant_id, closed_by) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table capas is 'Corrective and preventive actions as records, from draft to closure.';
create index capas_status on capas (tenant_id, status, id);
create index capas_assigned on capas (tenant_id, assigned_to, id);
create index capas_approver on capas (tenant_id, approved_by);
create index capas_closer on capas (tenant_id, closed_by);
create index capas_created on capas (tenant_id, created_at, id);
-- These hold open CAPAs only, as those of deviations do.
create index capas_due on capas (tenant_id, due_date, id) where is_open_capa(status);
create index capas_todo on capas (tenant_id, assigned_to, due_date, id) where is_open_capa(status);
create index capas_notice on capas (tenant_id, notice_on) where notice_on is not null;

create table capa_actions (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  capa_id bigint not null,
  position integer not null check (position > 0),
  description text not null check (description <> ''),
  assigned_to bigint not null,
  due_date date not null,
  status text not null default 'open' check (status in ('open', 'in_progress', 'done', 'cancelled')),
  evidence text,
  completed_at timestamptz,
  completed_by bigint,
  -- The person who verified that it is done, before the effectiveness review: never the assignee.
  approved_at timestamptz,
  approved_by bigint,
  notice_on date,
  unique (tenant_id, id),
  unique (tenant_id, capa_id, position) deferrable initially deferred,
  check ((status = 'done') = (completed_at is not null)),
  check ((completed_at is null) = (completed_by is null)),
  check ((approved_at is null) = (approved_by is null)),
  check (approved_by is null or (status = 'done' and approved_by <> assigned_to)),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, assigned_to) references users (tenant_id, id),
  foreign key (tenant_id, completed_by) references users (tenant_id, id),
  foreign key (tenant_id, approved_by) references users (tenant_id, id)
);
comment on table capa_actions is 'The tasks of a CAPA, each with an assignee and a due date.';
create index capa_actions_assigned on capa_actions (tenant_id, assigned_to, status);
create index capa_actions_completer on capa_actions (tenant_id, completed_by);
create index capa_actions_approver on capa_actions (tenant_id, approved_by);
create index capa_actions_todo on capa_actions (tenant_id, assigned_to, due_date, id) where is_open_capa_action(status);
create index capa_actions_due on capa_actions (tenant_id, due_date, id) where is_open_capa_action(status);
create index capa_actions_notice on capa_actions (tenant_id, notice_on) where notice_on is not null;

create table effectiveness_reviews (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  capa_id bigint not null,
  number integer not null check (number > 0),
  status text not null default 'planned' check (status in ('planned', 'completed')),
  criteria text not null check (criteria <> ''),
  method text not null check (method in ('data_review', 'trend', 're_audit', 'monitoring', 'sampling', 'feedback')),
  due_date date not null,
  reviewer_id bigint not null,
  result text check (result in ('effective', 'not_effective')),
  conclusion text,
  evidence text,
  follow_up text,
  follow_up_capa_id bigint,
  completed_at timestamptz,
  notice_on date,
  content_revision integer not null default 1,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, capa_id, number),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'completed') = (result is not null)),
  check (status = 'planned' or conclusion is not null),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, follow_up_capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, reviewer_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table effectiveness_reviews is 'The planned and completed reviews of whether a CAPA was effective.';
create index effectiveness_reviews_reviewer on effectiveness_reviews (tenant_id, reviewer_id, status);
create index effectiveness_reviews_follow_up on effectiveness_reviews (tenant_id, follow_up_capa_id);
create index effectiveness_reviews_todo on effectiveness_reviews (tenant_id, reviewer_id, due_date, id) where status = 'planned';
create index effectiveness_reviews_due on effectiveness_reviews (tenant_id, due_date, id) where status = 'planned';
create index effectiveness_reviews_notice on effectiveness_reviews (tenant_id, notice_on) where notice_on is not null;
-- One review is planned at a time, so that it is never in doubt which one a CAPA waits for.
create unique index effectiveness_reviews_planned on effectiveness_reviews (tenant_id, capa_id) where status = 'planned';

-- Append-only, because the bytes in the file store never change either.
create table attachments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  deviation_id bigint,
  capa_id bigint,
  file_key text not null,
  file_name text not null,
  file_size bigint not null check (file_size > 0),
  content_type text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  description text,
  created_at timestamptz not null default now(),
  created_by bigint not null default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, file_key),
  check (num_nonnulls(deviation_id, capa_id) = 1),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table attachments is 'Files of deviations and CAPAs.';
create index attachments_deviation on attachments (tenant_id, deviation_id, id);
create index attachments_capa on attachments (tenant_id, capa_id, id);
create index attachments_author on attachments (tenant_id, created_by);

create table record_comments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  deviation_id bigint,
  capa_id bigint,
  text text not null check (text <> ''),
  created_at timestamptz not null default clock_timestamp(),
  created_by bigint not null default current_actor(),
  unique (tenant_id, id),
  check (num_nonnulls(deviation_id, capa_id) = 1),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table record_comments is 'Comments on deviations and CAPAs.';
create index record_comments_deviation on record_comments (tenant_id, deviation_id, id);
create index record_comments_capa on record_comments (tenant_id, capa_id, id);
create index record_comments_author on record_comments (tenant_id, created_by);

create table record_history (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  deviation_id bigint,
  capa_id bigint,
  transition text not null,
  -- Null for the first state.
  from_status text,
  to_status text not null,
  user_id bigint default current_actor(),
  reason text,
  signature_id bigint,
  occurred_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  check (num_nonnulls(deviation_id, capa_id) = 1),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table record_history is 'Every transition of a deviation or a CAPA.';
create index record_history_deviation on record_history (tenant_id, deviation_id, id);
create index record_history_capa on record_history (tenant_id, capa_id, id);
create index record_history_user on record_history (tenant_id, user_id);
create index record_history_signature on record_history (tenant_id, signature_id);

-- The only way to move a due date: requested with a reason, decided by a person with the permission, and counted.
create table due_date_extensions (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  deviation_id bigint,
  capa_id bigint,
  from_date date not null,
  to_date date not null,
  reason text not null check (reason <> ''),
  status text not null check (status in ('requested', 'approved', 'rejected')),
  requested_at timestamptz not null default clock_timestamp(),
  requested_by bigint not null default current_actor(),
  decided_at timestamptz,
  decided_by bigint,
  comment text,
  unique (tenant_id, id),
  check (num_nonnulls(deviation_id, capa_id) = 1),
  check ((status = 'requested') = (decided_at is null)),
  check ((decided_at is null) = (decided_by is null)),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id)
);
comment on table due_date_extensions is 'Requests for a later due date, and their decisions.';
create index due_date_extensions_deviation on due_date_extensions (tenant_id, deviation_id, id);
create index due_date_extensions_capa on due_date_extensions (tenant_id, capa_id, id);
create index due_date_extensions_requester on due_date_extensions (tenant_id, requested_by);
create index due_date_extensions_decider on due_date_extensions (tenant_id, decided_by);
-- One request at a time waits for a decision.
create unique index due_date_extensions_of_deviation on due_date_extensions (tenant_id, deviation_id) where status = 'requested';
create unique index due_date_extensions_of_capa on due_date_extensions (tenant_id, capa_id) where status = 'requested';

-- Links have ids of one sequence, so that a link is read and deleted by its id, whichever records it connects, and the audit trail can
-- name it. A link can be read from both sides. A mistaken one is deleted, and the audit trail keeps it.
create sequence record_link_ids;
grant usage on sequence record_link_ids to attest_app;

create table deviation_documents (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint not null default nextval('record_link_ids'),
  deviation_id bigint not null,
  document_id bigint not null,
  relation text not null check (relation in ('violated_procedure', 'evidence', 'updated_by', 'reference')),
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, deviation_id, document_id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table deviation_documents is 'Links between a deviation and a document.';
create index deviation_documents_document on deviation_documents (tenant_id, document_id, id);
create index deviation_documents_author on deviation_documents (tenant_id, created_by);

create table deviation_capas (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint not null default nextval('record_link_ids'),
  deviation_id bigint not null,
  capa_id bigint not null,
  relation text not null check (relation in ('root', 'related')),
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, deviation_id, capa_id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table deviation_capas is 'Links between a deviation and a CAPA.';
create index deviation_capas_capa on deviation_capas (tenant_id, capa_id);
create index deviation_capas_author on deviation_capas (tenant_id, created_by);

create table capa_documents (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint not null default nextval('record_link_ids'),
  capa_id bigint not null,
  document_id bigint not null,
  relation text not null check (relation in ('changes', 'evidence', 'reference')),
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, capa_id, document_id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table capa_documents is 'Links between a CAPA and a document.';
create index capa_documents_document on capa_documents (tenant_id, document_id, id);
create index capa_documents_author on capa_documents (tenant_id, created_by);

-- `recurrence`: the deviation happened again after the other one, which is always the older.
create table deviation_deviations (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint not null default nextval('record_link_ids'),
  deviation_id bigint not null,
  other_id bigint not null,
  relation text not null check (relation in ('recurrence', 'similar', 'duplicate')),
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, deviation_id, other_id),
  check (other_id < deviation_id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, other_id) references deviations (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table deviation_deviations is 'Links between a deviation and an older one.';
create index deviation_deviations_other on deviation_deviations (tenant_id, other_id);
create index deviation_deviations_author on deviation_deviations (tenant_id, created_by);
create index deviation_deviations_recurrence on deviation_deviations (tenant_id, deviation_id) where relation = 'recurrence';

call tenant_table('form_templates');
call tenant_table('form_template_versions', 'select, insert');
call append_only('form_template_versions');
call tenant_table('deviations');
call tenant_table('capas');
call tenant_table('capa_actions');
call tenant_table('effectiveness_reviews');
call tenant_table('attachments', 'select, insert');
call append_only('attachments');
call tenant_table('record_comments', 'select, insert');
call append_only('record_comments');
call tenant_table('record_history', 'select, insert');
call append_only('record_history');
call tenant_table('due_date_extensions');
call tenant_table('deviation_documents', 'select, insert, delete');
call tenant_table('deviation_capas', 'select, insert, delete');
call tenant_table('capa_documents', 'select, insert, delete');
call tenant_table('deviation_deviations', 'select, insert, delete');

call audited_table('form_templates', 'form_template');
call audited_table('form_template_versions', 'form_template', id_column => 'template_id');
call audited_table('deviations', 'deviation');
call audited_table('capas', 'capa');
call audited_table('capa_actions', 'capa', id_column => 'capa_id');
call audited_table('effectiveness_reviews', 'effectiveness_review');
call audited_table('attachments', 'attachment');
call audited_table('deviation_documents', 'deviation', id_column => 'deviation_id');
call audited_table('deviation_capas', 'deviation', id_column => 'deviation_id');
call audited_table('capa_documents', 'capa', id_column => 'capa_id');
call audited_table('deviation_deviations', 'deviation', id_column => 'deviation_id');

-- These parts belong to a deviation or to a CAPA, and the entry of that record covers them. Entries are read as in require_audit_entry().
create function require_record_entry() returns trigger language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
declare
  part jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if not exists (
    with own as materialized (select tenant_id, resource_type, resource_id from audit_entries where transaction_id = current_transaction() and xmin = pg_current_xact_id()::xid)
    select from own where tenant_id = current_tenant()
      and resource_type = case when part -> 'deviation_id' = 'null' then 'capa' else 'deviation' end
      and resource_id = coalesce(part ->> 'deviation_id', part ->> 'capa_id')::bigint
  ) then
    raise exception 'change to table % has no audit entry of its record', tg_table_name using errcode = 'QA001';
  end if;
  return null;
end $$;
revoke execute on function require_record_entry() from public;
create procedure audited_part(name regclass) language plpgsql as $$
begin
  execute format('create constraint trigger audited after insert or delete on %s deferrable initially deferred '
    'for each row execute function require_record_entry()', name);
  execute format('create constraint trigger audited_update after update on %s deferrable initially deferred '
    'for each row when (old is distinct from new) execute function require_record_entry()', name);
end $$;
call audited_part('record_comments');
call audited_part('record_history');
call audited_part('due_date_extensions');

-- A closed record stays as it was closed, unless it is reopened.
create function keep_closed_record() returns trigger language plpgsql as $$
begin
  raise exception '% % is %', tg_table_name, old.number, old.status using errcode = 'QA002';
end $$;
create trigger keep_closed after update on deviations for each row
  when (not is_open_deviation(old.status) and new.status = old.status and to_jsonb(old) is distinct from to_jsonb(new))
  execute function keep_closed_record();
create trigger keep_closed after update on capas for each row
  when (not is_open_capa(old.status) and new.status = old.status and to_jsonb(old) is distinct from to_jsonb(new))
  execute function keep_closed_record();

-- A completed effectiveness review is signed, and never changes.
create function keep_completed_review() returns trigger language plpgsql as $$
begin
  if old.status = 'completed' then
    raise exception 'a completed effectiveness review never changes' using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger keep_completed after update on effectiveness_reviews for each row execute function keep_completed_review();
