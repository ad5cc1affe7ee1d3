-- Approvers leave while a version waits for them. Whoever may configure its approval is notified once, as soon as too few people are left.
alter table document_versions add column approval_orphaned_at timestamptz;
comment on column document_versions.approval_orphaned_at is 'Since then too few people are left who may give the pending approval.';
create index document_versions_orphaned on document_versions (tenant_id, id) where approval_orphaned_at is not null;
