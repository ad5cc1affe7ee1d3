-- Controlled documents. People approve and sign a version: its file, metadata and state stand together in one row.

create table documents (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  document_type_id bigint not null,
  owner_id bigint not null,
  -- The version that people work by, and the newest one that was not cancelled; they are the same once that one is effective.
  effective_version_id bigint,
  latest_version_id bigint,
  -- The version that lists and readers see. A column, because row security keeps an index on an expression from being used.
  shown_version_id bigint generated always as (coalesce(effective_version_id, latest_version_id)) stored,
  -- Null: as the document type has it.
  training_gate text check (training_gate in ('none', 'before_effective', 'before_access', 'before_sign')),
  training_threshold integer check (training_threshold between 1 and 100),
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, number),
  foreign key (tenant_id, document_type_id) references document_types (tenant_id, id),
  foreign key (tenant_id, owner_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table documents is 'Controlled documents: number, type, owner and which versions are effective and newest.';
create index documents_type on documents (tenant_id, document_type_id, id);
create index documents_owner on documents (tenant_id, owner_id, id);

create table document_versions (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  major integer not null check (major > 0),
  minor integer not null check (minor >= 0),
  version text not null generated always as (major::text || '.' || minor::text) stored,
  change_type text not null check (change_type in ('major', 'minor')),
  change_reason text,
  title text not null check (title <> ''),
  category text,
  description text,
  keywords text[] not null default '{}',
  -- The place of the bytes in the file store; neither changes.
  file_key text not null,
  file_name text not null,
  file_size bigint not null check (file_size > 0),
  content_type text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  workflow_template_id bigint not null,
  workflow_template_version integer not null,
  -- Approval rules configured for this version instead of the template's: a list, with at most one entry for each approval.
  approval_overrides jsonb not null default '[]',
  -- The number of people that each rule needs, by the name of the approval, where a rule is a percentage. Fixed when a round begins, so
  -- that later changes of staff do not change it.
  approval_counts jsonb not null default '{}',
  -- The due date of the pending approval, and which notice follows on which day.
  approval_due_date date,
  approval_notice text check (approval_notice in ('reminder', 'escalation')),
  approval_notice_on date,
  status text not null,
  status_kind text not null check (status_kind in ('initial', 'review', 'effective', 'final')),
  -- The workflow leaves this state by itself, on the effective date and after training.
  is_waiting boolean not null default false,
  -- Counts submissions; an approval counts in its own round only.
  round integer not null default 0,
  -- Counts the changes of content that a signature covers.
  content_revision integer not null default 1,
  submitted_at timestamptz,
  approved_at timestamptz,
  effective_at timestamptz,
  -- The planned or actual day in the tenant's time zone. Stored instead of derived from effective_at, so that a change of the time zone
  -- does not rewrite history.
  effective_date date,
  review_due_date date,
  -- The next day on which the owner is notified of the review: due soon, then overdue.
  review_notice_on date,
  -- The periodic review found that a revision is needed; no further review is due until a newer version replaces this one.
  needs_revision boolean not null default false,
  -- The readers who must read a new version: everyone, those who have not read the previous one, or nobody.
  training_impact text not null default 'reassign_all' check (training_impact in ('reassign_all', 'open_only', 'none')),
  created_at timestamptz not null default now(),
  created_by bigint not null default current_actor(),
  -- With the columns that decide who may read a version, so that a long list is counted without reading the versions.
  unique (tenant_id, id) include (status_kind, created_by),
  unique (tenant_id, document_id, id),
  unique (tenant_id, document_id, major, minor),
  -- People must know since when they work by a version.
  check (status_kind <> 'effective' or (effective_at is not null and effective_date is not null)),
  check ((approval_notice is null) = (approval_notice_on is null)),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, workflow_template_id, workflow_template_version)
    references workflow_template_versions (tenant_id, template_id, version),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table document_versions is 'The versions of documents, each with its file, metadata, state and dates.';
-- Two versions of one document are never effective at the same time, whatever the program does.
create unique index document_versions_one_effective on document_versions (tenant_id, document_id) where status_kind = 'effective';
create index document_versions_status on document_versions (tenant_id, status, document_id);
create index document_versions_template on document_versions (tenant_id, workflow_template_id, workflow_template_version);
create index document_versions_author on document_versions (tenant_id, created_by);
-- Two versions never share a file; and the sweep of the file store looks up every file here.
create unique index document_versions_file on document_versions (tenant_id, file_key);
-- Scheduled tasks look every minute. Each of these indexes holds only what they may have to do, however many documents there are.
create index document_versions_waiting on document_versions (tenant_id, effective_date) where is_waiting;
create index document_versions_notice on document_versions (tenant_id, approval_notice_on) where approval_notice_on is not null;
create index document_versions_review_notice on document_versions (tenant_id, review_notice_on) where review_notice_on is not null;
create index document_versions_review on document_versions (tenant_id, review_due_date) where review_due_date is not null;
create index document_versions_revision on document_versions (tenant_id, document_id) where needs_revision;
-- Dashboards list open tasks only.
create index document_versions_approval on document_versions (tenant_id, approval_due_date, id) where approval_due_date is not null;

alter table documents add foreign key (tenant_id, id, effective_version_id)
  references document_versions (tenant_id, document_id, id) deferrable initially deferred;
alter table documents add foreign key (tenant_id, id, latest_version_id)
  references document_versions (tenant_id, document_id, id) deferrable initially deferred;

-- The file and label of a version never change, and signed metadata only before the approval and with a new content_revision (21 CFR
-- 11.10(c), SIG-02).
create function keep_version_content() returns trigger language plpgsql as $$
begin
  if (old.document_id, old.major, old.minor, old.change_type, old.file_key, old.file_name, old.file_size, old.content_type, old.sha256, old.created_by, old.created_at)
     is distinct from
     (new.document_id, new.major, new.minor, new.change_type, new.file_key, new.file_name, new.file_size, new.content_type, new.sha256, new.created_by, new.created_at) then
    raise exception 'the file of a document version never changes' using errcode = 'QA002';
  end if;
  if (old.title, old.category, old.description, old.keywords) is distinct from (new.title, new.category, new.description, new.keywords)
     and new.content_revision <= old.content_revision then
    raise exception 'metadata that a signature covers changed without a new content_revision' using errcode = 'QA002';
  end if;
  if (old.title, old.category, old.description, old.keywords) is distinct from (new.title, new.category, new.description, new.keywords)
     and (old.approved_at is not null or old.effective_at is not null) then
    raise exception 'the content of an approved version never changes' using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger keep_version_content before update on document_versions for each row execute function keep_version_content();

create table document_decisions (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  round integer not null,
  transition text not null,
  rules integer[] not null default '{}',
  user_id bigint not null,
  decision text not null check (decision in ('approve', 'reject')),
  comment text,
  signature_id bigint,
  is_void boolean not null default false,
  decided_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table document_decisions is 'Approvals and rejections, a row for each decision of a person; void ones are kept.';
-- An approval never counts twice (DOC-05), whatever the program does.
create unique index document_decisions_once on document_decisions (tenant_id, version_id, round, transition, user_id) where not is_void;
create index document_decisions_version on document_decisions (tenant_id, document_id, version_id, round);
create index document_decisions_user on document_decisions (tenant_id, user_id);
create index document_decisions_signature on document_decisions (tenant_id, signature_id);

create table document_history (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  round integer not null,
  transition text not null,
  from_status text,
  to_status text not null,
  trigger text not null check (trigger in ('user', 'automatic')),
  user_id bigint default current_actor(),
  comment text,
  signature_id bigint,
  occurred_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table document_history is 'Every transition of a version (FLOW-02).';
create index document_history_document on document_history (tenant_id, document_id, id);
create index document_history_version on document_history (tenant_id, document_id, version_id);
create index document_history_user on document_history (tenant_id, user_id);
create index document_history_signature on document_history (tenant_id, signature_id);

-- A delegation counts for one approval of one round, until it is withdrawn or the round is void.
create table document_delegations (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  round integer not null,
  transition text not null,
  -- The rules that named the delegator; empty where the delegator only passed on a delegation.
  rules integer[] not null,
  from_user_id bigint not null,
  to_user_id bigint not null check (to_user_id <> from_user_id),
  reason text not null check (reason <> ''),
  given_at timestamptz not null default clock_timestamp(),
  given_by bigint default current_actor(),
  ended_at timestamptz,
  ended_by bigint,
  end_reason text,
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, from_user_id) references users (tenant_id, id),
  foreign key (tenant_id, to_user_id) references users (tenant_id, id),
  foreign key (tenant_id, given_by) references users (tenant_id, id),
  foreign key (tenant_id, ended_by) references users (tenant_id, id)
);
comment on table document_delegations is 'Approval tasks that an approver delegated to another person, who signs in their own name.';
-- Nobody delegates the same task to two people.
create unique index document_delegations_once on document_delegations (tenant_id, version_id, round, transition, from_user_id)
  where ended_at is null;
create index document_delegations_version on document_delegations (tenant_id, document_id, version_id, round);
create index document_delegations_from on document_delegations (tenant_id, from_user_id);
create index document_delegations_to on document_delegations (tenant_id, to_user_id);

create table document_reviews (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  -- Null for a review that was carried out although none was due.
  due_date date,
  outcome text not null check (outcome in ('keep_effective', 'needs_revision', 'make_obsolete')),
  comment text not null check (comment <> ''),
  reviewer_id bigint not null default current_actor(),
  signature_id bigint not null,
  next_due_date date,
  decided_at timestamptz not null,
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, reviewer_id) references users (tenant_id, id)
);
comment on table document_reviews is 'Decided periodic reviews of effective versions.';
create index document_reviews_version on document_reviews (tenant_id, document_id, version_id);
create index document_reviews_reviewer on document_reviews (tenant_id, reviewer_id);
create index document_reviews_signature on document_reviews (tenant_id, signature_id);

create table document_comments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  round integer not null,
  text text not null check (text <> ''),
  page integer check (page > 0),
  quote text,
  created_by bigint not null default current_actor(),
  created_at timestamptz not null default now(),
  resolved_at timestamptz,
  resolved_by bigint,
  reply text,
  unique (tenant_id, id),
  check ((resolved_at is null) = (resolved_by is null)),
  check (reply is null or resolved_at is not null),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, resolved_by) references users (tenant_id, id)
);
comment on table document_comments is 'Comments of readers on a version, and how they were resolved.';
create index document_comments_version on document_comments (tenant_id, document_id, version_id);
create index document_comments_author on document_comments (tenant_id, created_by);
create index document_comments_resolver on document_comments (tenant_id, resolved_by);

-- A comment is part of the record: it never changes, except that it is resolved once.
create function keep_comment() returns trigger language plpgsql as $$
begin
  if old.resolved_at is not null or new.resolved_at is null
     or to_jsonb(old) - '{resolved_at,resolved_by,reply}'::text[] is distinct from to_jsonb(new) - '{resolved_at,resolved_by,reply}'::text[] then
    raise exception 'a comment is resolved once, and never changed' using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger keep_comment after update on document_comments for each row execute function keep_comment();

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
comment on table content_templates is 'Texts with variables from which documents are begun.';
create unique index content_templates_name on content_templates (tenant_id, lower(name)) where is_active;
create index content_templates_type on content_templates (tenant_id, document_type_id);

-- Append-only, because a text that was made from a template names the version.
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
comment on table content_template_versions is 'Body and variables of each version of a content template.';
alter table content_templates add foreign key (tenant_id, id, version)
  references content_template_versions (tenant_id, template_id, version) deferrable initially deferred;

call tenant_table('documents');
call tenant_table('document_versions');
call tenant_table('document_decisions');
call tenant_table('document_history', 'select, insert');
call append_only('document_history');
call tenant_table('document_delegations', 'select, insert');
grant update (ended_at, ended_by, end_reason) on document_delegations to attest_app;
call tenant_table('document_reviews', 'select, insert');
call append_only('document_reviews');
call tenant_table('document_comments');
call tenant_table('content_templates');
call tenant_table('content_template_versions', 'select, insert');
call append_only('content_template_versions');
call audited_table('documents', 'document');
call audited_table('document_versions', 'document', id_column => 'document_id');
call audited_table('document_decisions', 'document', id_column => 'document_id');
call audited_table('document_history', 'document', id_column => 'document_id');
call audited_table('document_delegations', 'document', id_column => 'document_id');
call audited_table('document_reviews', 'document', id_column => 'document_id');
call audited_table('document_comments', 'document', id_column => 'document_id');
call audited_table('content_templates', 'content_template');
call audited_table('content_template_versions', 'content_template', id_column => 'template_id');
