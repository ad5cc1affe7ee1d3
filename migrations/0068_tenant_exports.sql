-- Exports of everything of a tenant: who asked for it and why, how far it is, what is in the archive, and when it was removed.

create table tenant_exports (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  reason text not null check (reason <> ''),
  -- `deleted`: by a person, before its time or while it was made.
  status text not null default 'in_progress' check (status in ('in_progress', 'ready', 'failed', 'expired', 'deleted')),
  requested_by bigint not null default current_actor(),
  requested_at timestamptz not null default now(),
  -- The part that is being made, and how much of it is done. No person sets it.
  step text check (step in ('records', 'tables', 'files', 'signatures', 'trail', 'pages')),
  step_done integer not null default 0 check (step_done >= 0),
  step_total integer not null default 0 check (step_total >= 0),
  -- Outside of the part of any tenant, so that it is in no backup and no business of the sweep.
  archive_key text not null,
  -- The moment as of which the records are.
  snapshot_at timestamptz,
  archive_size bigint check (archive_size > 0),
  archive_sha256 text check (archive_sha256 ~ '^[0-9a-f]{64}$'),
  manifest_sha256 text check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  contents jsonb check (jsonb_typeof(contents) = 'object'),
  completed_at timestamptz,
  expires_at timestamptz,
  removed_at timestamptz,
  removed_by bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id),
  foreign key (tenant_id, removed_by) references users (tenant_id, id),
  -- A row of another tenant's archive would give it out.
  constraint tenant_exports_own_archive check (archive_key ~ ('^export/' || tenant_id || '/[0-9a-f-]{36}$')),
  check ((status in ('ready', 'expired')) <= (num_nulls(snapshot_at, archive_size, archive_sha256, manifest_sha256, contents, completed_at, expires_at) = 0)),
  check (status not in ('in_progress', 'failed') or archive_size is null),
  check ((removed_at is not null) = (status in ('expired', 'deleted'))),
  check (removed_by is null or status = 'deleted')
);
comment on table tenant_exports is 'Exports of everything of a tenant, and whether their archives can still be downloaded.';
-- One at a time.
create unique index tenant_exports_in_progress on tenant_exports (tenant_id) where status = 'in_progress';
create unique index tenant_exports_archive on tenant_exports (tenant_id, archive_key);
create index tenant_exports_expiry on tenant_exports (tenant_id, expires_at) where status = 'ready';
create index tenant_exports_requester on tenant_exports (tenant_id, requested_by);
create index tenant_exports_remover on tenant_exports (tenant_id, removed_by);
call tenant_table('tenant_exports', 'select');
-- The database says who requested and removed it, and when.
grant insert (reason, archive_key) on tenant_exports to attest_app;
grant update (status, step, step_done, step_total, snapshot_at, archive_size, archive_sha256, manifest_sha256, contents, completed_at, expires_at)
  on tenant_exports to attest_app;
call audited_table('tenant_exports', 'tenant_export', 'id', '{step,step_done,step_total}');

create function guard_tenant_export() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  told constant text[] := array['status', 'step', 'step_done', 'step_total', 'snapshot_at', 'archive_size', 'archive_sha256', 'manifest_sha256',
    'contents', 'completed_at', 'expires_at'];
begin
  if tg_op = 'DELETE' or old.status not in ('in_progress', 'ready') then
    raise exception 'an export stays on record as it ended' using errcode = 'QA002';
  end if;
  if to_jsonb(old) - told is distinct from to_jsonb(new) - told then
    raise exception 'who requested an export, why, and where it lies cannot be changed' using errcode = 'QA002';
  end if;
  if old.status = 'ready' and (new.status not in ('expired', 'deleted') or to_jsonb(old) - 'status' is distinct from to_jsonb(new) - 'status') then
    raise exception 'an export that is ready can only be removed' using errcode = 'QA002';
  end if;
  if old.status = 'in_progress' and new.status = 'expired' then
    raise exception 'an export that is not ready cannot expire' using errcode = 'QA002';
  end if;
  if new.status in ('expired', 'deleted') then
    new.removed_at := now();
    new.removed_by := case new.status when 'deleted' then current_actor() end;
  end if;
  return new;
end $$;
create trigger guard before update or delete on tenant_exports for each row execute function guard_tenant_export();
alter table tenant_exports enable always trigger guard;

-- A queue of its own: an export takes hours where others take seconds, and must not keep them waiting.
select pgboss.create_queue('exports', '{"policy": "exclusive", "heartbeatSeconds": 20}');
