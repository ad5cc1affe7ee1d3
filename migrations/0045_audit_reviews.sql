-- Reviews of the audit trail (EU GMP Annex 11, 9): who looked at which entries and what they found, bound to a signed root of the tree
-- that the entries are in, and signed like every other record.

create table audit_reviews (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- As it was asked, with the period; the two moments are what the period comes to, the second behind it.
  filter jsonb not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  outcome text not null check (outcome in ('no_findings', 'findings')),
  findings text check (findings <> ''),
  -- Which entries it was about: those that the filter found among those sealed. The hash is of the hashes of their leaves, in their order.
  entries bigint not null check (entries > 0),
  own_entries bigint not null check (own_entries >= 0),
  first_seq bigint not null,
  last_seq bigint not null check (last_seq - first_seq >= entries - 1),
  entries_sha256 text not null check (entries_sha256 ~ '^[0-9a-f]{64}$'),
  epoch integer not null,
  size bigint not null,
  reviewer_id bigint not null default current_actor(),
  created_at timestamptz not null default now(),
  unique (tenant_id, id),
  foreign key (tenant_id, epoch, size) references audit_checkpoints (tenant_id, epoch, size),
  foreign key (tenant_id, reviewer_id) references users (tenant_id, id),
  check ((outcome = 'findings') = (findings is not null))
);
create index audit_reviews_checkpoint on audit_reviews (tenant_id, epoch, size);
create index audit_reviews_reviewer on audit_reviews (tenant_id, reviewer_id, id);
call tenant_table('audit_reviews', 'select, insert');
call append_only('audit_reviews');
call audited_table('audit_reviews', 'audit_review');

-- What they are signed with.
alter table signatures
  drop column record_type,
  drop column record_id,
  drop constraint signatures_occasion_kind_check,
  add column audit_review_id bigint,
  add foreign key (tenant_id, audit_review_id) references audit_reviews (tenant_id, id);
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
    when effectiveness_review_id is not null then 'effectiveness_review'
    when training_assignment_id is not null then 'training_assignment' else 'audit_review' end) stored,
  add column record_id bigint not null generated always as
    (coalesce(document_id, deviation_id, capa_id, effectiveness_review_id, training_assignment_id, audit_review_id)) stored,
  add check (occasion_kind in ('free', 'approval', 'obsolescence', 'periodic_review', 'closure', 'effectiveness', 'training',
    'training_verification', 'audit_review')),
  add check (num_nonnulls(document_id, deviation_id, capa_id, effectiveness_review_id, training_assignment_id, audit_review_id) = 1);
create index signatures_audit_review on signatures (tenant_id, audit_review_id);
-- They went with the columns that they are of.
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, '')) where format > 1;
