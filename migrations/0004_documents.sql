-- Controlled documents. What is approved and signed is a version: its file, its metadata and its state are together in one row.

create table documents (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  document_type_id bigint not null,
  owner_id bigint not null,
  -- The version that people work by, and the newest one that was not given up; the same once that one is effective.
  effective_version_id bigint,
  latest_version_id bigint,
  -- What a list and a reader are shown. A column, because row security keeps an index from being searched by an expression.
  shown_version_id bigint generated always as (coalesce(effective_version_id, latest_version_id)) stored,
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
  -- Where the bytes are in the store; they never change, so neither do these.
  file_key text not null,
  file_name text not null,
  file_size bigint not null check (file_size > 0),
  content_type text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  workflow_template_id bigint not null,
  workflow_template_version integer not null,
  -- What configure-approval put in the place of the template's rules: a list, with at most one entry for each approval.
  approval_overrides jsonb not null default '[]',
  status text not null,
  status_kind text not null check (status_kind in ('initial', 'review', 'effective', 'final')),
  -- Counts the times that it was submitted; an approval counts in its own round alone.
  round integer not null default 0,
  -- Counts the changes of what a signature covers.
  content_revision integer not null default 1,
  submitted_at timestamptz,
  approved_at timestamptz,
  effective_at timestamptz,
  review_due_date date,
  created_at timestamptz not null default now(),
  created_by bigint not null default current_actor(),
  -- What decides who may read a version is in the index: a list of many documents is counted without reading their versions.
  unique (tenant_id, id) include (status_kind, created_by),
  unique (tenant_id, document_id, id),
  unique (tenant_id, document_id, major, minor),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, workflow_template_id, workflow_template_version)
    references workflow_template_versions (tenant_id, template_id, version),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
-- Two versions of one document are never effective at the same moment, whatever the program does.
create unique index document_versions_one_effective on document_versions (tenant_id, document_id) where status_kind = 'effective';
create index document_versions_status on document_versions (tenant_id, status, document_id);
create index document_versions_template on document_versions (tenant_id, workflow_template_id, workflow_template_version);
create index document_versions_author on document_versions (tenant_id, created_by);

alter table documents add foreign key (tenant_id, id, effective_version_id)
  references document_versions (tenant_id, document_id, id) deferrable initially deferred;
alter table documents add foreign key (tenant_id, id, latest_version_id)
  references document_versions (tenant_id, document_id, id) deferrable initially deferred;

-- Bytes, name and label of a version are as they were stored, for ever (21 CFR 11.10(c), SIG-02).
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
  return new;
end $$;
create trigger keep_version_content before update on document_versions for each row execute function keep_version_content();

-- One row for each person's decision. A voided one is kept.
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
-- Nobody's approval counts twice (DOC-05), whatever the program does.
create unique index document_decisions_once on document_decisions (tenant_id, version_id, round, transition, user_id) where not is_void;
create index document_decisions_version on document_decisions (tenant_id, document_id, version_id, round);
create index document_decisions_user on document_decisions (tenant_id, user_id);

-- FLOW-02: every move of a version from state to state.
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
  occurred_at timestamptz not null default clock_timestamp(),
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index document_history_document on document_history (tenant_id, document_id, id);
create index document_history_version on document_history (tenant_id, document_id, version_id);
create index document_history_user on document_history (tenant_id, user_id);

call tenant_table('documents');
call tenant_table('document_versions');
call tenant_table('document_decisions');
call tenant_table('document_history', 'select, insert');
call append_only('document_history');
call audited_table('documents', 'document');
call audited_table('document_versions', 'document', id_column => 'document_id');
call audited_table('document_decisions', 'document', id_column => 'document_id');
call audited_table('document_history', 'document', id_column => 'document_id');
