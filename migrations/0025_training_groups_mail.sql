-- Groups, training, content templates, what people want to be told and by which way, and work that goes on after its answer.

-- A group that was deleted stays, with everybody who was in it: records of that time name it (EU GMP Annex 11, 12.4).
create table groups (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  group_type text not null check (group_type in ('job_function', 'department', 'site', 'project', 'custom')),
  deleted_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
create unique index groups_name on groups (tenant_id, lower(name)) where deleted_at is null;

-- A row for each time that somebody was a member.
create table group_members (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  group_id bigint not null,
  user_id bigint not null,
  added_at timestamptz not null default now(),
  added_by bigint default current_actor(),
  removed_at timestamptz,
  removed_by bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, added_by) references users (tenant_id, id),
  foreign key (tenant_id, removed_by) references users (tenant_id, id)
);
create unique index group_members_once on group_members (tenant_id, group_id, user_id) where removed_at is null;
create index group_members_group on group_members (tenant_id, group_id, id);
create index group_members_user on group_members (tenant_id, user_id, group_id);

-- Work that a request asked for and that goes on after its answer, in steps that each commit with what they did: whoever goes on after a
-- process was killed goes on behind the last one. `state` is where it is, for the module whose work it is.
create table background_jobs (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  kind text not null check (kind <> ''),
  status text not null default 'queued' check (status in ('queued', 'running', 'completed', 'failed')),
  input jsonb not null,
  state jsonb not null default '{}',
  total integer not null check (total >= 0),
  done integer not null default 0 check (done >= 0),
  skipped integer not null default 0 check (skipped >= 0),
  error text,
  -- As who it is carried out, who asked for it and was allowed to; null for the system.
  requested_by bigint default current_actor(),
  request_id text not null default '',
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  unique (tenant_id, id),
  check ((status in ('completed', 'failed')) = (finished_at is not null)),
  foreign key (tenant_id, requested_by) references users (tenant_id, id)
);
create index background_jobs_requester on background_jobs (tenant_id, requested_by, id);
create index background_jobs_unfinished on background_jobs (tenant_id, id) where finished_at is null;

create table training_programs (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  title text not null check (title <> ''),
  description text not null default '',
  type text not null check (type in ('read_and_understand', 'quiz', 'on_the_job', 'classroom')),
  status text not null default 'active' check (status in ('active', 'archived')),
  -- What is read and understood; of the other types, what the training is about.
  document_id bigint,
  due_days integer not null check (due_days between 1 and 3650),
  valid_months integer check (valid_months between 1 and 120),
  requires_verification boolean not null default false,
  -- The quiz in force; null where there are no questions.
  quiz_version integer,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, number),
  check (type <> 'read_and_understand' or document_id is not null),
  check (type <> 'quiz' or quiz_version is not null),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
-- A document has one reading: whoever assigns the document assigns this.
create unique index training_programs_reading on training_programs (tenant_id, document_id)
  where type = 'read_and_understand' and status = 'active';
create index training_programs_document on training_programs (tenant_id, document_id);

-- An edit of the questions makes the next version: an attempt is judged by the one that it answers.
create table training_quizzes (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  program_id bigint not null,
  version integer not null check (version > 0),
  questions jsonb not null,
  passing_score integer not null check (passing_score between 1 and 100),
  max_attempts integer not null check (max_attempts between 1 and 20),
  shuffle boolean not null,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, program_id, version),
  foreign key (tenant_id, program_id) references training_programs (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
alter table training_programs add foreign key (tenant_id, id, quiz_version) references training_quizzes (tenant_id, program_id, version)
  deferrable initially deferred;

create table curricula (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  status text not null default 'active' check (status in ('active', 'archived')),
  -- Whose it is: who has one of these roles, or one that inherits from it, and who is in one of the groups below.
  role_names text[] not null default '{}',
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
create table curriculum_groups (
  tenant_id bigint not null default current_tenant() references tenants,
  curriculum_id bigint not null,
  group_id bigint not null,
  primary key (tenant_id, curriculum_id, group_id),
  foreign key (tenant_id, curriculum_id) references curricula (tenant_id, id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id)
);
create index curriculum_groups_group on curriculum_groups (tenant_id, group_id);
-- In their order; those behind a prerequisite are begun only when it is completed.
create table curriculum_programs (
  tenant_id bigint not null default current_tenant() references tenants,
  curriculum_id bigint not null,
  program_id bigint not null,
  position integer not null check (position > 0),
  is_prerequisite boolean not null default false,
  primary key (tenant_id, curriculum_id, program_id),
  unique (tenant_id, curriculum_id, position),
  foreign key (tenant_id, curriculum_id) references curricula (tenant_id, id),
  foreign key (tenant_id, program_id) references training_programs (tenant_id, id)
);
create index curriculum_programs_program on curriculum_programs (tenant_id, program_id);

-- A program that was assigned to a group: it reaches those who join later, until it is ended.
create table training_group_assignments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  program_id bigint not null,
  group_id bigint not null,
  due_days integer check (due_days between 1 and 3650),
  assigned_at timestamptz not null default now(),
  assigned_by bigint default current_actor(),
  ended_at timestamptz,
  ended_by bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, program_id) references training_programs (tenant_id, id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id),
  foreign key (tenant_id, assigned_by) references users (tenant_id, id),
  foreign key (tenant_id, ended_by) references users (tenant_id, id)
);
create unique index training_group_assignments_once on training_group_assignments (tenant_id, program_id, group_id) where ended_at is null;
create index training_group_assignments_group on training_group_assignments (tenant_id, group_id, program_id);
create index training_group_assignments_program on training_group_assignments (tenant_id, program_id);

create table training_assignments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  program_id bigint not null,
  user_id bigint not null,
  status text not null check (status in ('assigned', 'in_progress', 'completed', 'failed', 'waived', 'cancelled')),
  source text not null check (source in ('manual', 'bulk', 'group', 'curriculum', 'document_release', 'requalification')),
  -- Of the source: the group's, the curriculum's, the version's, the assignment's before.
  source_id bigint,
  -- Which version of the program's document is to be read; while none is effective yet, null.
  document_id bigint,
  version_id bigint,
  due_date date not null,
  assigned_at timestamptz not null default now(),
  assigned_by bigint default current_actor(),
  started_at timestamptz,
  completed_at timestamptz,
  attempts integer not null default 0,
  -- Percent of the latest attempt.
  score integer check (score between 0 and 100),
  signature_id bigint,
  verified_at timestamptz,
  verified_by bigint,
  verification_signature_id bigint,
  -- Why it was waived or cancelled, or failed.
  reason text,
  -- The last day of a qualification that ends.
  valid_until date,
  -- When somebody is to be told that it is due, or overdue; null once there is nothing more to tell.
  notice_on date,
  content_revision integer not null default 1,
  revision integer not null default 1,
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  check ((version_id is null) or (document_id is not null)),
  check ((status = 'completed') = (completed_at is not null)),
  check ((completed_at is null) = (signature_id is null)),
  check (status not in ('waived', 'cancelled') or reason is not null),
  check (num_nonnulls(verified_at, verified_by, verification_signature_id) in (0, 3)),
  foreign key (tenant_id, program_id) references training_programs (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, assigned_by) references users (tenant_id, id),
  foreign key (tenant_id, verified_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id),
  foreign key (tenant_id, signature_id) references signatures (tenant_id, id),
  foreign key (tenant_id, verification_signature_id) references signatures (tenant_id, id)
);
-- One at a time is open, whoever assigns it and however often.
create unique index training_assignments_open on training_assignments (tenant_id, program_id, user_id)
  where status in ('assigned', 'in_progress');
create index training_assignments_user on training_assignments (tenant_id, user_id, status, due_date);
create index training_assignments_program on training_assignments (tenant_id, program_id, user_id);
create index training_assignments_version on training_assignments (tenant_id, document_id, version_id);
create index training_assignments_signature on training_assignments (tenant_id, signature_id);
create index training_assignments_verification on training_assignments (tenant_id, verification_signature_id);
create index training_assignments_verifier on training_assignments (tenant_id, verified_by);
create index training_assignments_notice on training_assignments (tenant_id, notice_on) where notice_on is not null;
create index training_assignments_expiry on training_assignments (tenant_id, valid_until) where valid_until is not null;

-- As it was handed in, and judged.
create table training_attempts (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  assignment_id bigint not null,
  attempt_number integer not null check (attempt_number > 0),
  quiz_id bigint not null,
  answers jsonb not null,
  score integer not null check (score between 0 and 100),
  passed boolean not null,
  submitted_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  unique (tenant_id, assignment_id, attempt_number),
  foreign key (tenant_id, assignment_id) references training_assignments (tenant_id, id),
  foreign key (tenant_id, quiz_id) references training_quizzes (tenant_id, id)
);
create index training_attempts_quiz on training_attempts (tenant_id, quiz_id);

-- What was completed never changes, but for its verification by a trainer; neither does what was waived or cancelled.
create function keep_completed_training() returns trigger language plpgsql as $$
declare
  -- Told of once more, where its validity ends; and which verification it had.
  after_it text[] := '{verified_at,verified_by,verification_signature_id,notice_on,revision,updated_at,updated_by}';
begin
  if old.status in ('completed', 'waived', 'cancelled', 'failed') and to_jsonb(old) - after_it is distinct from to_jsonb(new) - after_it then
    raise exception 'training assignment % is %', old.id, old.status using errcode = 'QA002';
  end if;
  if old.verified_at is not null and (old.verified_at, old.verified_by, old.verification_signature_id)
    is distinct from (new.verified_at, new.verified_by, new.verification_signature_id) then
    raise exception 'training assignment % is verified', old.id using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger keep_completed after update on training_assignments for each row execute function keep_completed_training();

-- A training that was completed, and its verification, are signed like every other record.
alter table signatures
  drop column record_type,
  drop column record_id,
  drop constraint signatures_occasion_kind_check,
  add column training_assignment_id bigint,
  add foreign key (tenant_id, training_assignment_id) references training_assignments (tenant_id, id);
do $$
declare
  name text;
begin
  for name in select conname from pg_constraint where conrelid = 'signatures'::regclass and contype = 'c'
    and pg_get_constraintdef(oid) like '%num_nonnulls(document_id, deviation_id%' loop
    execute format('alter table signatures drop constraint %I', name);
  end loop;
end $$;
alter table signatures
  add column record_type text not null generated always as (case when document_id is not null then 'document'
    when deviation_id is not null then 'deviation' when capa_id is not null then 'capa'
    when effectiveness_review_id is not null then 'effectiveness_review' else 'training_assignment' end) stored,
  add column record_id bigint not null
    generated always as (coalesce(document_id, deviation_id, capa_id, effectiveness_review_id, training_assignment_id)) stored,
  add check (occasion_kind in ('free', 'approval', 'obsolescence', 'periodic_review', 'closure', 'effectiveness', 'training', 'training_verification')),
  add check (num_nonnulls(document_id, deviation_id, capa_id, effectiveness_review_id, training_assignment_id) = 1);
create index signatures_training_assignment on signatures (tenant_id, training_assignment_id);
-- They went with the columns that they are of.
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, '')) where format > 1;

-- What keeps back whom: before_sign asks a valid qualification in `signing_program_ids` of those who decide about the type's documents.
alter table document_types
  drop constraint document_types_training_gate_check,
  add check (training_gate in ('none', 'before_effective', 'before_access', 'before_sign')),
  -- Percent of those assigned who must have completed it before the version becomes effective.
  add column training_threshold integer not null default 100 check (training_threshold between 1 and 100),
  add column signing_program_ids bigint[] not null default '{}';
alter table documents
  -- Where the document has one of its own; null: that of its type.
  add column training_gate text check (training_gate in ('none', 'before_effective', 'before_access', 'before_sign')),
  add column training_threshold integer check (training_threshold between 1 and 100);
alter table document_versions
  -- Who reads it anew: everybody whose it is, those only who have not read the one before, or nobody.
  add column training_impact text not null default 'reassign_all' check (training_impact in ('reassign_all', 'open_only', 'none'));

-- What somebody wants to be told and by which way; what no row says is as the type of the notification has it.
create table notification_preferences (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  type text not null check (type <> ''),
  in_app boolean not null,
  email text not null check (email in ('immediate', 'digest', 'none')),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, user_id, type),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);

alter table notifications
  -- It asks something of its reader, and is told to the next in charge where that one ignores it.
  add column asks boolean not null default false,
  add column escalated_at timestamptz,
  -- Waits for the reader's next digest.
  add column digest_on date;
create index notifications_ignored on notifications (tenant_id, created_at) where asks and read_at is null and escalated_at is null;
create index notifications_digest on notifications (tenant_id, digest_on, user_id, id) where digest_on is not null;
grant update (escalated_at, digest_on) on notifications to attest_app;

-- A message to one person, made in the transaction of what it tells of, and sent by a job that names nothing but its id. It is the same
-- message, with the same Message-ID, however often it is sent.
create table mails (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('notification', 'digest')),
  notification_ids bigint[] not null check (cardinality(notification_ids) > 0),
  message_id text not null,
  -- `suppressed`: by the time of its sending it was not to be sent any more.
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'suppressed')),
  attempts integer not null default 0,
  -- What the server answered, without the address.
  error text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  unique (tenant_id, id),
  unique (tenant_id, message_id),
  check ((status = 'sent') = (sent_at is not null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index mails_user on mails (tenant_id, user_id, id);
create index mails_unsent on mails (tenant_id, status, id) where status in ('queued', 'failed');

create table content_templates (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  category text not null check (category <> ''),
  document_type_id bigint,
  is_builtin boolean not null default false,
  is_active boolean not null default true,
  version integer not null default 1,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  foreign key (tenant_id, document_type_id) references document_types (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
create unique index content_templates_name on content_templates (tenant_id, lower(name)) where is_active;
create index content_templates_type on content_templates (tenant_id, document_type_id);
-- What was made from a template says from which version of it.
create table content_template_versions (
  tenant_id bigint not null default current_tenant() references tenants,
  template_id bigint not null,
  version integer not null check (version > 0),
  body text not null check (body <> ''),
  variables jsonb not null,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references content_templates (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
alter table content_templates add foreign key (tenant_id, id, version)
  references content_template_versions (tenant_id, template_id, version) deferrable initially deferred;

call tenant_table('groups');
call tenant_table('group_members');
call tenant_table('background_jobs');
call tenant_table('training_programs');
call tenant_table('training_quizzes', 'select, insert');
call append_only('training_quizzes');
call tenant_table('curricula');
call tenant_table('curriculum_groups', 'select, insert, delete');
call tenant_table('curriculum_programs', 'select, insert, update, delete');
call tenant_table('training_group_assignments');
call tenant_table('training_assignments');
call tenant_table('training_attempts', 'select, insert');
call append_only('training_attempts');
call tenant_table('notification_preferences', 'select, insert, update, delete');
call tenant_table('mails');
call tenant_table('content_templates');
call tenant_table('content_template_versions', 'select, insert');
call append_only('content_template_versions');

call audited_table('groups', 'group');
call audited_table('group_members', 'group', id_column => 'group_id');
call audited_table('training_programs', 'training_program');
call audited_table('training_quizzes', 'training_program', id_column => 'program_id');
call audited_table('curricula', 'curriculum');
call audited_table('curriculum_groups', 'curriculum', id_column => 'curriculum_id');
call audited_table('curriculum_programs', 'curriculum', id_column => 'curriculum_id');
call audited_table('training_group_assignments', 'training_program', id_column => 'program_id');
-- That somebody is told of it changes nothing of it.
call audited_table('training_assignments', 'training_assignment', except_columns => '{notice_on}');
call audited_table('training_attempts', 'training_assignment', id_column => 'assignment_id');
call audited_table('notification_preferences', 'user', id_column => 'user_id');
call audited_table('content_templates', 'content_template');
call audited_table('content_template_versions', 'content_template', id_column => 'template_id');
