-- Electronic signatures (21 CFR 11.10(h), 11.50, 11.70, 11.200; EU GMP Annex 11, 14): one table for all kinds of signed records. A
-- signature binds the record, the occasion, the previous signature of the record, the place and the time zone. It never changes, but it
-- can be declared void.

-- A key that is no longer used stays, because the signatures that it sealed must remain verifiable. The private halves are files of each
-- installation.
create table signing_keys (
  key_id text primary key,
  public_key text not null,
  created_at timestamptz not null default now()
);
comment on table signing_keys is 'Public keys of the seals on signatures.';
grant select, insert on signing_keys to attest_app;
call append_only('signing_keys');

create table signatures (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- Exactly one of these names the signed record; of a document, a version in its round.
  document_id bigint,
  version_id bigint,
  round integer,
  deviation_id bigint,
  capa_id bigint,
  effectiveness_review_id bigint,
  training_assignment_id bigint,
  audit_review_id bigint,
  record_type text not null generated always as (case when document_id is not null then 'document'
    when deviation_id is not null then 'deviation' when capa_id is not null then 'capa'
    when effectiveness_review_id is not null then 'effectiveness_review'
    when training_assignment_id is not null then 'training_assignment' else 'audit_review' end) stored,
  record_id bigint not null generated always as
    (coalesce(document_id, deviation_id, capa_id, effectiveness_review_id, training_assignment_id, audit_review_id)) stored,
  -- Null for a document, whose own row has the number.
  record_number text,
  content_revision integer not null,
  signature_type text not null check (signature_type in ('authorship', 'review', 'approval', 'rejection', 'verification', 'acknowledgement',
    'release', 'training', 'effectiveness', 'closure', 'obsolescence', 'witness')),
  intent text not null check (intent <> ''),
  -- `occasion_ref` distinguishes occasions of one kind: a person may sign the same version again with the same meaning on another one.
  occasion_kind text not null check (occasion_kind in ('free', 'approval', 'obsolescence', 'periodic_review', 'closure', 'effectiveness', 'training',
    'training_verification', 'audit_review')),
  occasion_ref text not null,
  -- The digest of the record's signature before this one; null for the first.
  previous_digest text check (previous_digest ~ '^[0-9a-f]{64}$'),
  signer_id bigint not null default current_actor(),
  -- As they were at the moment of signing: a later change of name or role changes nothing here.
  signer_username text not null,
  signer_full_name text,
  signer_role text not null,
  method text not null check (method in ('password', 'password_otp', 'session')),
  signed_at timestamptz not null,
  time_zone text not null,
  request_id text not null,
  client_addr text not null,
  -- The form of the payload: 1 for a version of a document, 2 for another record with its whole content.
  format smallint not null check (format between 1 and 2),
  -- The canonical JSON (RFC 8785) of everything that was signed, byte for byte; its SHA-256; and the seal over it.
  payload text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  key_id text not null references signing_keys,
  seal text not null,
  unique (tenant_id, id),
  check (num_nonnulls(document_id, deviation_id, capa_id, effectiveness_review_id, training_assignment_id, audit_review_id) = 1),
  constraint signatures_format_of_record check ((document_id is null) = (format = 2)),
  check (num_nonnulls(document_id, version_id, round) in (0, 3)),
  check ((record_number is null) = (document_id is not null)),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, effectiveness_review_id) references effectiveness_reviews (tenant_id, id),
  foreign key (tenant_id, training_assignment_id) references training_assignments (tenant_id, id),
  foreign key (tenant_id, audit_review_id) references audit_reviews (tenant_id, id),
  foreign key (tenant_id, signer_id) references users (tenant_id, id)
);
comment on table signatures is 'Electronic signatures on records, each with what was signed, its meaning and its seal.';
create index signatures_document on signatures (tenant_id, document_id, version_id);
create index signatures_deviation on signatures (tenant_id, deviation_id);
create index signatures_capa on signatures (tenant_id, capa_id);
create index signatures_effectiveness_review on signatures (tenant_id, effectiveness_review_id);
create index signatures_training_assignment on signatures (tenant_id, training_assignment_id);
create index signatures_audit_review on signatures (tenant_id, audit_review_id);
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create index signatures_signer on signatures (tenant_id, signer_id);
-- A retry or a double click makes no second signature, of a version or of another record.
create unique index signatures_once on signatures
  (tenant_id, version_id, content_revision, round, signer_id, signature_type, occasion_kind, occasion_ref);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
-- Two signatures never follow the same one: the chain of a record has no branches.
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, ''));

-- A table of its own, because the rows of signatures never change.
create table signature_voids (
  tenant_id bigint not null default current_tenant() references tenants,
  signature_id bigint not null,
  -- `round_ended`: the round of the workflow in which it was given was rejected or withdrawn.
  cause text not null check (cause in ('declared', 'round_ended')),
  reason text not null check (reason <> ''),
  voided_at timestamptz not null default clock_timestamp(),
  voided_by bigint default current_actor(),
  primary key (tenant_id, signature_id),
  foreign key (tenant_id, signature_id) references signatures (tenant_id, id),
  foreign key (tenant_id, voided_by) references users (tenant_id, id)
);
comment on table signature_voids is 'Signatures that no longer count, with the reason.';
create index signature_voids_user on signature_voids (tenant_id, voided_by);

call tenant_table('signatures', 'select');
-- The signer is the person of the transaction: the application has no right to name another.
grant insert (document_id, version_id, round, deviation_id, capa_id, effectiveness_review_id, training_assignment_id, audit_review_id,
  record_number, content_revision, signature_type, intent, occasion_kind, occasion_ref, previous_digest, signer_username, signer_full_name,
  signer_role, method, signed_at, time_zone, request_id, client_addr, format, payload, digest, key_id, seal) on signatures to attest_app;
call append_only('signatures');
call tenant_table('signature_voids', 'select');
grant insert (signature_id, cause, reason) on signature_voids to attest_app;
call append_only('signature_voids');
call audited_table('signatures', 'signature');
call audited_table('signature_voids', 'signature', id_column => 'signature_id');

-- Records name the signatures that were given on them.
alter table document_decisions add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
alter table document_history add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
alter table document_reviews add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
alter table record_history add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
alter table training_assignments add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
alter table training_assignments add foreign key (tenant_id, verification_signature_id) references signatures (tenant_id, id);
