-- Electronic signatures (21 CFR 11.50, 11.70, 11.200; EU GMP Annex 11, 14).

-- The public halves of the keys that sealed signatures. Each installation's private half is a file; a key that is out of use stays
-- here, because what it sealed is still to be verified.
create table signing_keys (
  key_id text primary key,
  public_key text not null,
  created_at timestamptz not null default now()
);
grant select, insert on signing_keys to attest_app;
call append_only('signing_keys');

create table signatures (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  signature_type text not null check (signature_type in ('authorship', 'review', 'approval', 'rejection', 'verification', 'acknowledgement',
    'release', 'training', 'effectiveness', 'closure', 'obsolescence', 'witness')),
  intent text not null check (intent <> ''),
  round integer not null,
  content_revision integer not null,
  signer_id bigint not null default current_actor(),
  -- As they were: a later change of name or role changes nothing here.
  signer_username text not null,
  signer_full_name text,
  signer_role text not null,
  method text not null check (method in ('password', 'password_otp', 'session')),
  signed_at timestamptz not null,
  -- The canonical JSON (RFC 8785) of all that was signed, byte for byte; its sha256; and the seal over it.
  payload text not null,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  key_id text not null references signing_keys,
  seal text not null,
  unique (tenant_id, id),
  -- A retry or a double click makes no second signature.
  unique (tenant_id, version_id, content_revision, round, signer_id, signature_type),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, signer_id) references users (tenant_id, id)
);
create index signatures_document on signatures (tenant_id, document_id, version_id);
create index signatures_signer on signatures (tenant_id, signer_id);

call tenant_table('signatures', 'select, insert');
call append_only('signatures');
call audited_table('signatures', 'signature');

alter table document_decisions add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
create index document_decisions_signature on document_decisions (tenant_id, signature_id);
