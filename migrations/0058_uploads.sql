-- A file that a person uploads before the record that it belongs to: on a bad network a report would otherwise be stored without its evidence.
-- The row goes with the transaction that makes the record, which then names the file; after a day what nobody used is erased.
create table uploads (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  file_key text not null,
  file_name text not null,
  file_size bigint not null check (file_size > 0),
  content_type text not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  description text,
  created_at timestamptz not null,
  created_by bigint not null default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, file_key),
  foreign key (tenant_id, created_by) references users (tenant_id, id)
);
comment on table uploads is 'Files that await the record that they are uploaded for, for a day.';
create index uploads_author on uploads (tenant_id, created_by);
create index uploads_age on uploads (tenant_id, created_at);
call tenant_table('uploads', 'select, insert, delete');
call audited_table('uploads', 'upload');
