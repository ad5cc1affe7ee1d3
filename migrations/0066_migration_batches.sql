-- Import of what a company has, in batches: staged, checked, rehearsed, accepted with a signature, loaded, reconciled, and released with a second
-- signature. Nothing of a batch is a record before it is accepted.

-- The states in which the content of a batch may change and be discarded, because nothing of it is a record yet.
create function is_open_migration_batch(status text) returns boolean language sql immutable parallel safe
  return status in ('staging', 'checking', 'checked', 'rehearsing', 'rehearsed');

create table migration_batches (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null,
  title text not null check (title <> ''),
  source_system text not null check (source_system <> ''),
  settings jsonb not null,
  -- The sheets of its manifest: from which file, and the headings of their columns.
  sheets jsonb not null default '{}',
  ignored_sheets jsonb not null default '[]',
  status text not null default 'staging' check (status in ('staging', 'checking', 'checked', 'rehearsing', 'rehearsed', 'accepted', 'loading',
    'failed', 'reconciling', 'loaded', 'released', 'discarded')),
  -- What the last check and rehearsal found, and the hashes of what they saw.
  counts jsonb,
  manifest_sha256 text check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  files_sha256 text check (files_sha256 ~ '^[0-9a-f]{64}$'),
  report_sha256 text check (report_sha256 ~ '^[0-9a-f]{64}$'),
  samples jsonb,
  -- What the comparison of the records with their rows found.
  reconciliation jsonb,
  job_id bigint,
  accepted_by bigint,
  accepted_at timestamptz,
  released_by bigint,
  released_at timestamptz,
  release_remarks text check (release_remarks <> ''),
  discarded_by bigint,
  discarded_at timestamptz,
  discard_reason text check (discard_reason <> ''),
  -- Counts the changes of what a signature covers.
  content_revision integer not null default 1,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint not null default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, number),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id),
  foreign key (tenant_id, accepted_by) references users (tenant_id, id),
  foreign key (tenant_id, released_by) references users (tenant_id, id),
  foreign key (tenant_id, discarded_by) references users (tenant_id, id),
  check ((accepted_at is null) = (accepted_by is null)),
  check ((released_at is null) = (released_by is null)),
  check ((discarded_at is null) = (discarded_by is null)),
  check ((accepted_at is null) = (is_open_migration_batch(status) or status = 'discarded')),
  check ((released_at is not null) = (status = 'released')),
  check ((discarded_at is not null) = (status = 'discarded')),
  check (accepted_at is null or num_nonnulls(counts, manifest_sha256, files_sha256, report_sha256) = 4),
  constraint migration_batches_accepted_by_another check (accepted_by <> created_by)
);
comment on table migration_batches is 'Batches of records and files that are brought in from another system, and who accepted and released them.';
create index migration_batches_status on migration_batches (tenant_id, status, id);
create index migration_batches_starter on migration_batches (tenant_id, created_by);
create index migration_batches_editor on migration_batches (tenant_id, updated_by);
create index migration_batches_accepter on migration_batches (tenant_id, accepted_by);
create index migration_batches_releaser on migration_batches (tenant_id, released_by);
create index migration_batches_discarder on migration_batches (tenant_id, discarded_by);
call tenant_table('migration_batches', 'select');
-- The database says who started, accepted, released and discarded it, and when.
grant insert (number, title, source_system, settings) on migration_batches to attest_app;
grant update (title, source_system, settings, sheets, ignored_sheets, status, counts, manifest_sha256, files_sha256, report_sha256, samples,
  reconciliation, job_id, release_remarks, discard_reason, content_revision, revision, updated_at, updated_by) on migration_batches to attest_app;
call audited_table('migration_batches', 'migration_batch');
call people_only('migration_batches', 'accepted_by', 'released_by', 'discarded_by');

create table migration_rows (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  batch_id bigint not null,
  sheet text not null check (sheet <> ''),
  line integer not null check (line > 0),
  -- As they stand in the manifest, in the order of its headings.
  cells jsonb not null,
  -- What the check reads from the cells.
  key text,
  "values" jsonb,
  planned jsonb,
  status text not null default 'new' check (status in ('new', 'ok', 'warning', 'error', 'loaded', 'verified', 'differs')),
  messages jsonb not null default '[]',
  differences jsonb,
  resource_type text,
  resource_id bigint,
  sampled_by bigint,
  sampled_at timestamptz,
  sample_finding text check (sample_finding in ('ok', 'differs')),
  sample_comment text check (sample_comment <> ''),
  unique (tenant_id, id),
  unique (tenant_id, batch_id, sheet, line),
  foreign key (tenant_id, batch_id) references migration_batches (tenant_id, id),
  foreign key (tenant_id, sampled_by) references users (tenant_id, id),
  check ((resource_type is null) = (resource_id is null)),
  check ((status in ('loaded', 'verified', 'differs')) = (resource_id is not null)),
  check (num_nonnulls(sampled_by, sampled_at, sample_finding) in (0, 3))
);
comment on table migration_rows is 'The rows of the manifest of a batch, what was found about each, and the record that it became.';
create index migration_rows_key on migration_rows (tenant_id, batch_id, sheet, key);
create index migration_rows_status on migration_rows (tenant_id, batch_id, status, sheet, line);
create index migration_rows_record on migration_rows (tenant_id, resource_type, resource_id) where resource_id is not null;
create index migration_rows_sampler on migration_rows (tenant_id, sampled_by);
call tenant_table('migration_rows', 'select, insert, delete');
call people_only('migration_rows', 'sampled_by');
grant update (key, "values", planned, status, messages, differences, resource_type, resource_id, sampled_by, sampled_at, sample_finding, sample_comment)
  on migration_rows to attest_app;

create table migration_files (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  batch_id bigint not null,
  -- `manifest`: the table that the rows were read from; `content`: a file that rows name.
  kind text not null check (kind in ('manifest', 'content')),
  path text not null check (path <> ''),
  -- Null once a record has taken the file: then it is the record's, and the row says what it was.
  file_key text,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  file_size bigint not null check (file_size > 0),
  content_type text not null,
  is_legacy boolean not null default false,
  -- A row names it, as the last check found.
  is_used boolean not null default false,
  -- The row whose record takes it, and the key that the record then has for it.
  row_id bigint,
  record_key text,
  -- What the comparison read from the store.
  found_sha256 text check (found_sha256 ~ '^[0-9a-f]{64}$'),
  created_at timestamptz not null default now(),
  created_by bigint not null default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, batch_id, kind, path),
  unique (tenant_id, file_key),
  foreign key (tenant_id, batch_id) references migration_batches (tenant_id, id),
  foreign key (tenant_id, row_id) references migration_rows (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  check (num_nonnulls(file_key, record_key) = 1)
);
comment on table migration_files is 'The files of a batch, kept until it is discarded or a record takes them.';
create index migration_files_record on migration_files (tenant_id, record_key) where record_key is not null;
create index migration_files_row on migration_files (tenant_id, row_id);
create index migration_files_author on migration_files (tenant_id, created_by);
call tenant_table('migration_files', 'select, delete');
grant insert (batch_id, kind, path, file_key, sha256, file_size, content_type, is_legacy) on migration_files to attest_app;
grant update (file_key, is_used, row_id, record_key, found_sha256) on migration_files to attest_app;

-- Signatures name one more kind of record, as in 0033.
alter table signatures add column migration_batch_id bigint,
  add foreign key (tenant_id, migration_batch_id) references migration_batches (tenant_id, id);
create index signatures_migration_batch on signatures (tenant_id, migration_batch_id);
grant insert (migration_batch_id) on signatures to attest_app;

do $$
declare
  expression_of_type text;
  expression_of_id text;
  one_record record;
begin
  select pg_get_expr(adbin, adrelid) into strict expression_of_type from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'signatures'::regclass and attname = 'record_type';
  select pg_get_expr(adbin, adrelid) into strict expression_of_id from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'signatures'::regclass and attname = 'record_id';
  select conname, pg_get_expr(conbin, conrelid) as expression into strict one_record from pg_constraint
    where conrelid = 'signatures'::regclass and contype = 'c' and pg_get_expr(conbin, conrelid) ~ '^\(?num_nonnulls\(document_id, deviation_id,';

  alter table signatures drop column record_type, drop column record_id;
  execute format('alter table signatures
    add column record_type text not null generated always as (case when migration_batch_id is not null then ''migration_batch'' else %s end) stored,
    add column record_id bigint not null generated always as (coalesce(migration_batch_id, %s)) stored', expression_of_type, expression_of_id);
  execute format('alter table signatures drop constraint %I, add constraint signatures_of_one_record check (%s)',
    one_record.conname, replace(one_record.expression, ') = 1', ', migration_batch_id) = 1'));
  select conname, pg_get_expr(conbin, conrelid) as expression into strict one_record from pg_constraint
    where conrelid = 'signatures'::regclass and conname = 'signatures_occasion_kind_check';
  execute format('alter table signatures drop constraint %I, add constraint %I check (%s)', one_record.conname, one_record.conname,
    replace(one_record.expression, ']', ', ''migration''::text]'));
end $$;

-- These indexes went with the columns.
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, ''));

create function is_migration_signed(batch bigint, content integer, person bigint, meaning text) returns boolean language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from signatures s where s.migration_batch_id = batch and s.content_revision = content and s.signer_id = person
    and s.signature_type = meaning and s.occasion_kind = 'migration')
$$;

create function guard_migration_batch() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  -- What may still change once the batch is accepted.
  later constant text[] := array['status', 'reconciliation', 'job_id', 'release_remarks', 'released_at', 'released_by', 'revision', 'updated_at',
    'updated_by'];
begin
  if tg_op = 'DELETE' then
    raise exception 'a batch of a migration stays' using errcode = 'QA002';
  end if;
  if (new.tenant_id, new.id, new.number, new.created_at, new.created_by) is distinct from (old.tenant_id, old.id, old.number, old.created_at, old.created_by) then
    raise exception 'who started a batch, and when, cannot be changed' using errcode = 'QA002';
  end if;
  if old.status in ('released', 'discarded') then
    raise exception 'batch % is %, and stays as it is', old.number, old.status using errcode = 'QA002';
  end if;
  if is_open_migration_batch(old.status) then
    if new.status = 'accepted' then
      if old.status <> 'rehearsed' then
        raise exception 'batch % was not rehearsed', old.number using errcode = 'QA003';
      end if;
      new.accepted_by := current_actor();
      new.accepted_at := now();
      if not is_migration_signed(new.id, new.content_revision, new.accepted_by, 'approval') then
        raise exception 'batch % is not signed by the person who accepts it', old.number using errcode = 'QA003';
      end if;
    elsif new.status = 'discarded' then
      new.discarded_by := current_actor();
      new.discarded_at := now();
    elsif not is_open_migration_batch(new.status) then
      raise exception 'batch % is not accepted', old.number using errcode = 'QA003';
    end if;
    return new;
  end if;
  if is_open_migration_batch(new.status) or new.status = 'discarded' or to_jsonb(old) - later is distinct from to_jsonb(new) - later then
    raise exception 'batch % is accepted, and its content stays as it was signed', old.number using errcode = 'QA002';
  end if;
  if new.status = 'released' then
    if old.status <> 'loaded' then
      raise exception 'batch % is not loaded and compared', old.number using errcode = 'QA003';
    end if;
    new.released_by := current_actor();
    new.released_at := now();
    if not is_migration_signed(new.id, new.content_revision, new.released_by, 'release') then
      raise exception 'batch % is not signed by the person who releases it', old.number using errcode = 'QA003';
    end if;
  end if;
  return new;
end $$;
create trigger guard before update or delete on migration_batches for each row execute function guard_migration_batch();
alter table migration_batches enable always trigger guard;

-- Rows and files are staging, and not audited one by one. From the acceptance on they are what was signed, but for what the load and the
-- comparison write about them.
create function guard_migration_part() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  later constant text[] := case tg_table_name when 'migration_rows'
    then array['status', 'messages', 'differences', 'resource_type', 'resource_id'] else array['file_key', 'record_key', 'found_sha256'] end;
  part record := case when tg_op = 'DELETE' then old else new end;
  batch_status text;
begin
  select status into batch_status from migration_batches where id = part.batch_id;
  -- Of another tenant's batch nothing is seen here: its foreign key and row security refuse the row.
  if batch_status is null or is_open_migration_batch(batch_status) then
    return part;
  end if;
  if tg_op <> 'UPDATE' or batch_status in ('released', 'discarded') or to_jsonb(old) - later is distinct from to_jsonb(new) - later then
    raise exception 'the content of batch % stays as it was signed', part.batch_id using errcode = 'QA002';
  end if;
  return part;
end $$;
create trigger guard before insert or update or delete on migration_rows for each row execute function guard_migration_part();
create trigger guard before insert or update or delete on migration_files for each row execute function guard_migration_part();
alter table migration_rows enable always trigger guard;
alter table migration_files enable always trigger guard;
