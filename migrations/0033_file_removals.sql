-- Removal of the content of a wrong or unlawful file, by two people who both sign. The row of the file stays with its hash and size.

create table file_removals (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- The file: of a version of a document, or attached to a deviation or a CAPA.
  version_id bigint,
  attachment_id bigint,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  file_size bigint not null check (file_size > 0),
  -- The name of the file says too much, so it is not shown any more.
  hides_name boolean not null default false,
  reason text not null check (reason <> ''),
  requested_by bigint not null default current_actor(),
  requested_at timestamptz not null default now(),
  -- `approved`: the file is no longer given out; `removed`: its content is gone from the store.
  status text not null default 'requested' check (status in ('requested', 'approved', 'removed', 'rejected', 'withdrawn')),
  decided_by bigint,
  decided_at timestamptz,
  decision_reason text check (decision_reason <> ''),
  removed_at timestamptz,
  unique (tenant_id, id),
  foreign key (tenant_id, version_id) references document_versions (tenant_id, id),
  foreign key (tenant_id, attachment_id) references attachments (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  check (num_nonnulls(version_id, attachment_id) = 1),
  check ((status = 'requested') = (decided_at is null)),
  check ((status = 'requested') = (decided_by is null)),
  check (status in ('requested', 'withdrawn') or decision_reason is not null),
  check ((status = 'removed') = (removed_at is not null)),
  constraint file_removals_other_person check (status in ('requested', 'withdrawn') or decided_by <> requested_by),
  constraint file_removals_withdrawn_by_requester check (status <> 'withdrawn' or decided_by = requested_by)
);
comment on table file_removals is 'Requests to remove the content of a file, who decided them, and whether the content is gone.';
-- A file is removed once, and one request about it is open at a time.
create unique index file_removals_version on file_removals (tenant_id, version_id)
  where version_id is not null and status in ('requested', 'approved', 'removed');
create unique index file_removals_attachment on file_removals (tenant_id, attachment_id)
  where attachment_id is not null and status in ('requested', 'approved', 'removed');
create index file_removals_of_version on file_removals (tenant_id, version_id);
create index file_removals_of_attachment on file_removals (tenant_id, attachment_id);
create index file_removals_status on file_removals (tenant_id, status, id);
create index file_removals_requester on file_removals (tenant_id, requested_by);
create index file_removals_decider on file_removals (tenant_id, decided_by);
call tenant_table('file_removals', 'select');
-- The database says who requested and decided, and when.
grant insert (version_id, attachment_id, sha256, file_size, hides_name, reason) on file_removals to attest_app;
grant update (status, decision_reason) on file_removals to attest_app;
call audited_table('file_removals', 'file_removal');

-- Signatures name one more kind of record. The generated columns are made anew, because PostgreSQL 15 cannot change their expressions; these and
-- the checks are extended as they are found, so that nothing gets lost that another migration has added.
alter table signatures add column file_removal_id bigint,
  add foreign key (tenant_id, file_removal_id) references file_removals (tenant_id, id);
create index signatures_file_removal on signatures (tenant_id, file_removal_id);
grant insert (file_removal_id) on signatures to attest_app;

do $$
declare
  expression_of_type text;
  expression_of_id text;
  one_record record;
  checked record;
begin
  select pg_get_expr(adbin, adrelid) into strict expression_of_type from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'signatures'::regclass and attname = 'record_type';
  select pg_get_expr(adbin, adrelid) into strict expression_of_id from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'signatures'::regclass and attname = 'record_id';
  select conname, pg_get_expr(conbin, conrelid) as expression into strict one_record from pg_constraint
    where conrelid = 'signatures'::regclass and contype = 'c' and pg_get_expr(conbin, conrelid) ~ '^\(?num_nonnulls\(document_id, deviation_id,';

  alter table signatures drop column record_type, drop column record_id;
  execute format('alter table signatures
    add column record_type text not null generated always as (case when file_removal_id is not null then ''file_removal'' else %s end) stored,
    add column record_id bigint not null generated always as (coalesce(file_removal_id, %s)) stored', expression_of_type, expression_of_id);
  execute format('alter table signatures drop constraint %I, add constraint signatures_of_one_record check (%s)',
    one_record.conname, replace(one_record.expression, ') = 1', ', file_removal_id) = 1'));
  for checked in select conname, pg_get_expr(conbin, conrelid) as expression from pg_constraint
    where conrelid = 'signatures'::regclass and conname in ('signatures_signature_type_check', 'signatures_occasion_kind_check')
  loop
    execute format('alter table signatures drop constraint %I, add constraint %I check (%s)', checked.conname, checked.conname,
      replace(checked.expression, ']', ', ''file_removal''::text]'));
  end loop;
end $$;

-- These indexes went with the columns.
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, ''));

create function is_removal_signed(removal bigint, person bigint, occasion text) returns boolean language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from signatures s where s.file_removal_id = removal and s.signer_id = person
    and s.signature_type = 'file_removal' and s.occasion_kind = 'file_removal' and s.occasion_ref = occasion)
$$;

-- Two people never decide about a version and move it at the same moment: each locks the document. The rest is held here.
create function guard_file_removal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    if not exists (select from document_versions v where v.id = new.version_id and v.sha256 = new.sha256 and v.file_size = new.file_size
      union all select from attachments a where a.id = new.attachment_id and a.sha256 = new.sha256 and a.file_size = new.file_size) then
      raise exception 'a file removal names the hash and the size of another file' using errcode = 'QA002';
    end if;
    return new;
  end if;
  if tg_op = 'DELETE' or old.status not in ('requested', 'approved') or new.status = old.status
      or (old.status = 'approved' and new.status <> 'removed') or (old.status = 'requested' and new.status = 'removed') then
    raise exception 'a file removal is decided once, and stays' using errcode = 'QA002';
  end if;
  if to_jsonb(old) - array['status', 'decision_reason'] is distinct from to_jsonb(new) - array['status', 'decision_reason']
      or (old.status = 'approved' and new.decision_reason is distinct from old.decision_reason) then
    raise exception 'the content of a file removal cannot be changed' using errcode = 'QA002';
  end if;
  if new.status = 'removed' then
    new.removed_at := now();
    return new;
  end if;
  new.decided_by := current_actor();
  new.decided_at := now();
  if new.status = 'approved' and not is_removal_signed(new.id, new.decided_by, 'decision') then
    raise exception 'file removal % is not signed by the person who approves it', new.id using errcode = 'QA003';
  end if;
  if new.status = 'approved' and exists (select from document_versions v where v.id = new.version_id and v.status_kind not in ('initial', 'final')) then
    raise exception 'the file of a version that is in review or effective is not removed' using errcode = 'QA003';
  end if;
  return new;
end $$;
create trigger guard before insert or update or delete on file_removals for each row execute function guard_file_removal();
alter table file_removals enable always trigger guard;

create function require_signed_request() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_removal_signed(new.id, new.requested_by, 'request') then
    raise exception 'file removal % is not signed by the person who requests it', new.id using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger signed after insert on file_removals deferrable initially deferred
  for each row execute function require_signed_request();

-- Nobody reviews or works by a version of which the content is gone.
create function refuse_version_without_file() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from file_removals r where r.version_id = new.id and r.status in ('approved', 'removed')) then
    raise exception 'the file of version % was removed', new.id using errcode = 'QA003';
  end if;
  return new;
end $$;
create trigger has_file before update of status_kind on document_versions for each row
  when (new.status_kind in ('review', 'effective') and old.status_kind is distinct from new.status_kind) execute function refuse_version_without_file();
