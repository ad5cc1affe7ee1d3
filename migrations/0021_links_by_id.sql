-- A link has an id, whatever it links: it is read and taken away by it, and the trail names it.
create sequence record_link_ids;
grant usage on sequence record_link_ids to attest_app;

alter table deviation_documents add column id bigint not null default nextval('record_link_ids');
alter table deviation_capas add column id bigint not null default nextval('record_link_ids');
alter table capa_documents add column id bigint not null default nextval('record_link_ids');
alter table deviation_deviations add column id bigint not null default nextval('record_link_ids');

-- In the order in which they were made, of what many records point at.
drop index deviation_documents_document;
create index deviation_documents_document on deviation_documents (tenant_id, document_id, id);
drop index capa_documents_document;
create index capa_documents_document on capa_documents (tenant_id, document_id, id);
