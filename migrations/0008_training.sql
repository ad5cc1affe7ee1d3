-- Training: programs, quizzes and curricula, who is assigned which training, attempts and completion, and the compliance that follows.

create table training_programs (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  title text not null check (title <> ''),
  description text not null default '',
  type text not null check (type in ('read_and_understand', 'quiz', 'on_the_job', 'classroom')),
  status text not null default 'active' check (status in ('active', 'archived')),
  -- The document to read; for the other types, the document that the training is about.
  document_id bigint,
  due_days integer not null check (due_days between 1 and 3650),
  valid_months integer check (valid_months between 1 and 120),
  requires_verification boolean not null default false,
  -- The current quiz; null where there are no questions.
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
comment on table training_programs is 'Trainings that can be assigned: a document to read, a quiz, on the job or in a classroom.';
-- A document has one program for its reading, which every assignment of the document uses.
create unique index training_programs_reading on training_programs (tenant_id, document_id)
  where type = 'read_and_understand' and status = 'active';
create index training_programs_document on training_programs (tenant_id, document_id);

-- Append-only, because an attempt is scored by the version that it answers.
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
comment on table training_quizzes is 'The questions and passing score of each version of a quiz.';
alter table training_programs add foreign key (tenant_id, id, quiz_version) references training_quizzes (tenant_id, program_id, version)
  deferrable initially deferred;

create table curricula (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  status text not null default 'active' check (status in ('active', 'archived')),
  -- The curriculum is for people with one of these roles, or a role that inherits from it, and for members of its groups.
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
comment on table curricula is 'The programs that people with a role, or in a group, need.';

create table curriculum_groups (
  tenant_id bigint not null default current_tenant() references tenants,
  curriculum_id bigint not null,
  group_id bigint not null,
  primary key (tenant_id, curriculum_id, group_id),
  foreign key (tenant_id, curriculum_id) references curricula (tenant_id, id),
  foreign key (tenant_id, group_id) references groups (tenant_id, id)
);
comment on table curriculum_groups is 'The groups that a curriculum is for.';
create index curriculum_groups_group on curriculum_groups (tenant_id, group_id);

create table curriculum_programs (
  tenant_id bigint not null default current_tenant() references tenants,
  curriculum_id bigint not null,
  program_id bigint not null,
  position integer not null check (position > 0),
  -- The programs behind it begin only when it is completed.
  is_prerequisite boolean not null default false,
  primary key (tenant_id, curriculum_id, program_id),
  unique (tenant_id, curriculum_id, position),
  foreign key (tenant_id, curriculum_id) references curricula (tenant_id, id),
  foreign key (tenant_id, program_id) references training_programs (tenant_id, id)
);
comment on table curriculum_programs is 'The programs of a curriculum, in order.';
create index curriculum_programs_program on curriculum_programs (tenant_id, program_id);

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
comment on table training_group_assignments is 'Programs assigned to a group; they reach people who join it later, until the assignment is ended.';
create unique index training_group_assignments_once on training_group_assignments (tenant_id, program_id, group_id) where ended_at is null;
create index training_group_assignments_group on training_group_assignments (tenant_id, group_id, program_id);
create index training_group_assignments_program on training_group_assignments (tenant_id, program_id);

-- The open states, once for all their uses; see is_open_deviation().
create function is_open_training_assignment(status text) returns boolean language sql immutable parallel safe
  return status in ('assigned', 'in_progress');

create table training_assignments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  program_id bigint not null,
  user_id bigint not null,
  status text not null check (status in ('assigned', 'in_progress', 'completed', 'failed', 'waived', 'cancelled')),
  source text not null check (source in ('manual', 'bulk', 'group', 'curriculum', 'document_release', 'requalification')),
  -- The id of the group, curriculum, version or previous assignment that the source names.
  source_id bigint,
  -- The version of the program's document that is to be read; null while none is effective.
  document_id bigint,
  version_id bigint,
  due_date date not null,
  assigned_at timestamptz not null default now(),
  assigned_by bigint default current_actor(),
  started_at timestamptz,
  completed_at timestamptz,
  attempts integer not null default 0,
  -- The percentage of the latest attempt.
  score integer check (score between 0 and 100),
  -- The title when it was completed: the program may have another one since.
  program_title text,
  signature_id bigint,
  verified_at timestamptz,
  verified_by bigint,
  verification_signature_id bigint,
  -- For waived, cancelled and failed assignments.
  reason text,
  -- The last day of a qualification that ends.
  valid_until date,
  -- The day of the next notice: due soon, then overdue; null once both were given.
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
  check ((completed_at is null) = (program_title is null)),
  foreign key (tenant_id, program_id) references training_programs (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, assigned_by) references users (tenant_id, id),
  foreign key (tenant_id, verified_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table training_assignments is 'One person has to complete one program: due date, state, completion and verification.';
-- One assignment at a time is open, whoever assigns it and however often.
create unique index training_assignments_open on training_assignments (tenant_id, program_id, user_id)
  where is_open_training_assignment(status);
-- These hold open assignments only, so that lists stay quick with a million assignments.
create index training_assignments_own on training_assignments (tenant_id, user_id, due_date, id) where is_open_training_assignment(status);
create index training_assignments_todo on training_assignments (tenant_id, due_date, id) where is_open_training_assignment(status);
-- Lists are sorted by these days, also those with closed assignments.
create index training_assignments_assigned on training_assignments (tenant_id, assigned_at, id);
create index training_assignments_due on training_assignments (tenant_id, due_date, id);
create index training_assignments_user on training_assignments (tenant_id, user_id, status, due_date);
create index training_assignments_program on training_assignments (tenant_id, program_id, user_id);
create index training_assignments_version on training_assignments (tenant_id, document_id, version_id);
create index training_assignments_signature on training_assignments (tenant_id, signature_id);
create index training_assignments_verification on training_assignments (tenant_id, verification_signature_id);
create index training_assignments_verifier on training_assignments (tenant_id, verified_by);
create index training_assignments_notice on training_assignments (tenant_id, notice_on) where notice_on is not null;
create index training_assignments_expiry on training_assignments (tenant_id, valid_until) where valid_until is not null;

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
comment on table training_attempts is 'The answers of one try at a quiz, and their score.';
create index training_attempts_quiz on training_attempts (tenant_id, quiz_id);

-- A completed, failed, waived or cancelled training never changes, except that a trainer verifies it once, and that its end of validity is
-- announced.
create function keep_completed_training() returns trigger language plpgsql as $$
declare
  -- These may change: the verification, and the notice that its validity ends.
  after_it text[] := '{verified_at,verified_by,verification_signature_id,notice_on,revision,updated_at,updated_by}';
begin
  if not is_open_training_assignment(old.status) and to_jsonb(old) - after_it is distinct from to_jsonb(new) - after_it then
    raise exception 'training assignment % is %', old.id, old.status using errcode = 'QA002';
  end if;
  if old.verified_at is not null and (old.verified_at, old.verified_by, old.verification_signature_id)
    is distinct from (new.verified_at, new.verified_by, new.verification_signature_id) then
    raise exception 'training assignment % is verified', old.id using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger keep_completed after update on training_assignments for each row execute function keep_completed_training();

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
call audited_table('training_programs', 'training_program');
call audited_table('training_quizzes', 'training_program', id_column => 'program_id');
call audited_table('curricula', 'curriculum');
call audited_table('curriculum_groups', 'curriculum', id_column => 'curriculum_id');
call audited_table('curriculum_programs', 'curriculum', id_column => 'curriculum_id');
call audited_table('training_group_assignments', 'training_program', id_column => 'program_id');
-- A notice changes nothing about the training.
call audited_table('training_assignments', 'training_assignment', except_columns => '{notice_on}');
call audited_table('training_attempts', 'training_assignment', id_column => 'assignment_id');

-- Compliance is the share of required trainings that people hold, for each program, group and curriculum. It is summed up from the last
-- counts of each person. A change of a person's records only marks the person, in the same transaction, so that no writer waits; a
-- reader counts the marked people again and takes the sums for all others.

create table compliance_counts (
  tenant_id bigint not null default current_tenant() references tenants,
  kind text not null check (kind in ('program', 'group', 'curriculum')),
  id bigint not null,
  required bigint not null,
  trained bigint not null,
  overdue bigint not null,
  primary key (tenant_id, kind, id)
) with (fillfactor = 70);
comment on table compliance_counts is 'How many required trainings are completed and overdue, for each program, group and curriculum.';
call tenant_table('compliance_counts', 'select, insert, update, delete');

create table compliance_people (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  -- The counts hold from `counted_on` to the day before `changes_on`, on which a training of the person expires or becomes overdue.
  counted_on date not null,
  changes_on date not null,
  -- [{kind, id, required, trained, overdue}]
  facts jsonb not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table compliance_people is 'The counts of each person, from which the sums are made.';
create index compliance_people_changes on compliance_people (tenant_id, changes_on);
create index compliance_people_counted on compliance_people (tenant_id, counted_on);
call tenant_table('compliance_people', 'select, insert, update, delete');

create table compliance_changes (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- Null: all people of the tenant.
  user_id bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table compliance_changes is 'People whose compliance must be counted again.';
create index compliance_changes_user on compliance_changes (tenant_id, user_id);
call tenant_table('compliance_changes', 'select, insert, delete');
