-- One table of signatures for every kind of record: beside versions of documents, deviations, CAPAs and effectiveness reviews
-- (21 CFR 11.50, 11.70). What was signed of them is of format 3, which holds the content itself.

alter table signatures
  alter column document_id drop not null,
  alter column version_id drop not null,
  alter column round drop not null,
  add column deviation_id bigint,
  add column capa_id bigint,
  add column effectiveness_review_id bigint,
  -- Of what has no version; a document's number stands with the document.
  add column record_number text,
  drop constraint signatures_format_check,
  drop constraint signatures_occasion_kind_check;
alter table signatures
  add column record_type text not null generated always as (case when document_id is not null then 'document'
    when deviation_id is not null then 'deviation' when capa_id is not null then 'capa' else 'effectiveness_review' end) stored,
  add column record_id bigint not null
    generated always as (coalesce(document_id, deviation_id, capa_id, effectiveness_review_id)) stored,
  add check (format between 1 and 3),
  add check (occasion_kind in ('free', 'approval', 'obsolescence', 'periodic_review', 'closure', 'effectiveness')),
  add check (num_nonnulls(document_id, deviation_id, capa_id, effectiveness_review_id) = 1),
  add check ((document_id is null) = (format = 3)),
  add check (num_nonnulls(document_id, version_id, round) = case when format = 3 then 0 else 3 end),
  add check ((record_number is null) = (document_id is not null)),
  add foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  add foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  add foreign key (tenant_id, effectiveness_review_id) references effectiveness_reviews (tenant_id, id);

create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create index signatures_deviation on signatures (tenant_id, deviation_id);
create index signatures_capa on signatures (tenant_id, capa_id);
create index signatures_effectiveness_review on signatures (tenant_id, effectiveness_review_id);
-- A retry or a double click makes no second signature; of versions `signatures_once` says so.
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
-- Two signatures never follow the same one: the chain of a record has no branches.
drop index signatures_chain;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, '')) where format > 1;
