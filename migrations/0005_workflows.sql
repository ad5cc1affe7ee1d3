-- Workflow templates, and the document types that use them.

create table workflow_templates (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  description text not null default '',
  is_builtin boolean not null default false,
  is_active boolean not null default true,
  -- The newest version, with which new documents begin.
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
comment on table workflow_templates is 'The states, transitions and approvals that versions of a document type go through.';

-- Append-only, because an approval in progress keeps the version that it began with.
create table workflow_template_versions (
  tenant_id bigint not null default current_tenant() references tenants,
  template_id bigint not null,
  version integer not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  primary key (tenant_id, template_id, version),
  foreign key (tenant_id, template_id) references workflow_templates (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table workflow_template_versions is 'The definition of each version of a workflow template.';
alter table workflow_templates add foreign key (tenant_id, id, version)
  references workflow_template_versions (tenant_id, template_id, version) deferrable initially deferred;

create table document_types (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  name text not null check (name <> ''),
  prefix text not null check (prefix ~ '^[A-Z][A-Z0-9]{0,9}$'),
  description text not null default '',
  workflow_template_id bigint not null,
  review_period_months integer check (review_period_months between 1 and 120),
  training_gate text not null default 'none' check (training_gate in ('none', 'before_effective', 'before_access', 'before_sign')),
  -- The percentage of assigned people who must complete the training before a version becomes effective.
  training_threshold integer not null default 100 check (training_threshold between 1 and 100),
  -- The qualifications that the gate before_sign requires of those who decide about documents of the type.
  signing_program_ids bigint[] not null default '{}',
  is_builtin boolean not null default false,
  is_active boolean not null default true,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, name),
  -- A gate without a training would let everyone decide about documents that their owner believes to be gated.
  constraint document_types_signing_programs check (training_gate <> 'before_sign' or cardinality(signing_program_ids) > 0),
  foreign key (tenant_id, workflow_template_id) references workflow_templates (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
comment on table document_types is 'The kinds of documents (SOP, form, policy), each with its workflow, numbering and periods.';
create index document_types_template on document_types (tenant_id, workflow_template_id);

call tenant_table('workflow_templates');
call tenant_table('workflow_template_versions', 'select, insert');
call append_only('workflow_template_versions');
call tenant_table('document_types');
call audited_table('workflow_templates', 'workflow_template');
call audited_table('workflow_template_versions', 'workflow_template', id_column => 'template_id');
call audited_table('document_types', 'document_type');
