-- What a signature binds beside the record: the occasion that it was given on, the signature before it, the place and the zone of the
-- moment. And what becomes of it: it is never changed, but it can be declared void. And that the signer is who they say
-- (21 CFR 11.10(h), 11.10(j), 11.50, 11.70, 11.100).

-- Rows of format 1 were made before; they stay, and stay verifiable.
alter table signatures
  add column format smallint not null default 1 check (format between 1 and 2),
  -- `ref` tells occasions of one kind apart: the same person may sign the same version again with the same meaning on another.
  add column occasion_kind text check (occasion_kind in ('free', 'approval', 'obsolescence', 'periodic_review')),
  add column occasion_ref text,
  -- The digest of the signature that the document had before this one; null for its first.
  add column previous_digest text check (previous_digest ~ '^[0-9a-f]{64}$'),
  add column time_zone text,
  add column request_id text,
  add column client_addr text;
alter table signatures alter column format drop default;
alter table signatures add check (format = 1 or (occasion_kind is not null and occasion_ref is not null
  and time_zone is not null and request_id is not null and client_addr is not null));

do $$
declare
  once text := (select conname from pg_constraint where conrelid = 'signatures'::regclass and contype = 'u' and cardinality(conkey) = 6);
begin
  execute format('alter table signatures drop constraint %I', once);
end $$;
-- A retry or a double click makes no second signature.
create unique index signatures_once on signatures
  (tenant_id, version_id, content_revision, round, signer_id, signature_type, occasion_kind, occasion_ref);
-- Two signatures never follow the same one: the chain of a document has no branches.
create unique index signatures_chain on signatures (tenant_id, document_id, coalesce(previous_digest, '')) where format = 2;

-- Apart from the signatures, whose rows never change. `round_ended`: the round of the workflow that it was given in came to nothing.
create table signature_voids (
  tenant_id bigint not null default current_tenant() references tenants,
  signature_id bigint not null,
  cause text not null check (cause in ('declared', 'round_ended')),
  reason text not null check (reason <> ''),
  voided_at timestamptz not null default clock_timestamp(),
  voided_by bigint default current_actor(),
  primary key (tenant_id, signature_id),
  foreign key (tenant_id, signature_id) references signatures (tenant_id, id),
  foreign key (tenant_id, voided_by) references users (tenant_id, id)
);
create index signature_voids_user on signature_voids (tenant_id, voided_by);

-- What was void already: the owner sees every tenant's decisions for these lines alone.
alter table document_decisions no force row level security;
alter table document_history no force row level security;
insert into signature_voids (tenant_id, signature_id, cause, reason, voided_at, voided_by)
  select c.tenant_id, c.signature_id, 'round_ended', format('Round %s of the workflow was ended', c.round),
    coalesce((select max(h.occurred_at) from document_history h
      where h.tenant_id = c.tenant_id and h.version_id = c.version_id and h.round = c.round), c.decided_at), null
  from document_decisions c where c.is_void and c.signature_id is not null;
alter table document_decisions force row level security;
alter table document_history force row level security;

call tenant_table('signature_voids', 'select, insert');
call append_only('signature_voids');
call audited_table('signature_voids', 'signature', id_column => 'signature_id');

-- 21 CFR 11.100(b): who looked at whose papers, and how. 11.10(j): which statement of responsibility they have accepted.
alter table users
  add column identity_verified_at timestamptz,
  add column identity_verified_by bigint,
  add column identity_verified_method text,
  add column identity_verified_note text,
  add column signature_statement_version integer,
  add column signature_statement_accepted_at timestamptz,
  add foreign key (tenant_id, identity_verified_by) references users (tenant_id, id),
  add check ((identity_verified_at is null) = (identity_verified_method is null)),
  add check ((identity_verified_at is null) = (identity_verified_by is null)),
  add check (identity_verified_by <> id),
  add check ((signature_statement_version is null) = (signature_statement_accepted_at is null));
