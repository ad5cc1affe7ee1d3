-- Controlled copies: numbered prints of an effective version, each with a holder and a place, recalled and reconciled when the version ends.

create function is_open_controlled_copy(status text) returns boolean language sql immutable parallel safe
  return status in ('issued', 'recalled');

create table controlled_copies (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  -- Counted within the document, without a gap, so that a missing copy is noticed.
  copy_number integer not null check (copy_number > 0),
  -- The person who is printed on the copy, and the one who answers for it now.
  issued_to bigint not null,
  holder_id bigint not null,
  location text not null check (location <> ''),
  purpose text check (purpose <> ''),
  issued_at timestamptz not null default clock_timestamp(),
  issued_by bigint not null default current_actor(),
  status text not null default 'issued' check (status in ('issued', 'recalled', 'returned', 'destroyed', 'lost', 'cancelled')),
  recalled_at timestamptz,
  -- Null where the version ended by itself.
  recalled_by bigint,
  recall_reason text check (recall_reason <> ''),
  -- It is to be returned by the end of this day, in the time zone of the tenant.
  due_date date,
  overdue_noticed boolean not null default false,
  -- The holder says what became of it; the quality unit checks it and reconciles.
  confirmed_outcome text check (confirmed_outcome in ('returned', 'destroyed', 'lost')),
  confirmed_at timestamptz,
  confirmed_by bigint,
  confirmation_comment text check (confirmation_comment <> ''),
  reconciled_at timestamptz,
  reconciled_by bigint,
  reconciliation_reason text check (reconciliation_reason <> ''),
  revision integer not null default 1,
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, document_id, copy_number),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, issued_to) references users (tenant_id, id),
  foreign key (tenant_id, holder_id) references users (tenant_id, id),
  foreign key (tenant_id, issued_by) references users (tenant_id, id),
  foreign key (tenant_id, recalled_by) references users (tenant_id, id),
  foreign key (tenant_id, confirmed_by) references users (tenant_id, id),
  foreign key (tenant_id, reconciled_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id),
  check ((recalled_at is null) = (recall_reason is null)),
  check (status not in ('recalled', 'cancelled') or recalled_at is not null),
  check (status <> 'recalled' or due_date is not null),
  check (num_nulls(confirmed_at, confirmed_outcome, confirmed_by) in (0, 3)),
  check ((status in ('returned', 'destroyed', 'lost')) = (reconciled_at is not null)),
  check (num_nulls(reconciled_at, reconciled_by, reconciliation_reason) in (0, 3)),
  -- Nobody states for the quality unit what became of the copy that they hold, nor of one for whose holder they have spoken.
  check (reconciled_by <> holder_id),
  check (reconciled_by <> confirmed_by)
);
comment on table controlled_copies is 'Numbered print copies of effective versions: who holds them and where, and what became of them.';
create index controlled_copies_version on controlled_copies (tenant_id, document_id, version_id);
create index controlled_copies_issued_to on controlled_copies (tenant_id, issued_to);
create index controlled_copies_holder on controlled_copies (tenant_id, holder_id, id);
create index controlled_copies_issued_by on controlled_copies (tenant_id, issued_by);
-- Dashboards and reminders read only what is to be returned or reconciled.
create index controlled_copies_recalled on controlled_copies (tenant_id, due_date, id) where status = 'recalled';
create index controlled_copies_confirmed on controlled_copies (tenant_id, id) where status = 'issued' and confirmed_at is not null;
call tenant_table('controlled_copies', 'select');
grant insert (document_id, version_id, copy_number, issued_to, holder_id, location, purpose) on controlled_copies to attest_app;
-- The application has no right to change what stands on the paper.
grant update (holder_id, status, recalled_at, recalled_by, recall_reason, due_date, overdue_noticed, confirmed_outcome, confirmed_at, confirmed_by,
  confirmation_comment, reconciled_at, reconciled_by, reconciliation_reason, revision, updated_at, updated_by) on controlled_copies to attest_app;
call audited_table('controlled_copies', 'controlled_copy');

create table controlled_copy_prints (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  copy_id bigint not null,
  print_number integer not null check (print_number > 0),
  reason text check (reason <> ''),
  -- Of the PDF that was printed.
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  pages integer not null check (pages > 0),
  printed_at timestamptz not null default clock_timestamp(),
  printed_by bigint not null default current_actor(),
  unique (tenant_id, id),
  unique (tenant_id, copy_id, print_number),
  foreign key (tenant_id, copy_id) references controlled_copies (tenant_id, id),
  foreign key (tenant_id, printed_by) references users (tenant_id, id),
  check (print_number = 1 or reason is not null)
);
comment on table controlled_copy_prints is 'Every print of a controlled copy; after the first one each has a reason.';
call tenant_table('controlled_copy_prints', 'select');
grant insert (copy_id, print_number, reason, sha256, pages) on controlled_copy_prints to attest_app;
call append_only('controlled_copy_prints');
call audited_table('controlled_copy_prints', 'controlled_copy', 'copy_id');

-- Two people who issue at the same moment wait for each other here, and so does whoever replaces the version.
create function check_issue_of_copy() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from documents where tenant_id = new.tenant_id and id = new.document_id for update;
  perform from document_versions where tenant_id = new.tenant_id and id = new.version_id and status_kind = 'effective' for share;
  if not found then
    raise exception 'version % is not effective, so no copy of it is issued', new.version_id using errcode = 'QA002';
  end if;
  if new.copy_number <> (select coalesce(max(copy_number), 0) + 1 from controlled_copies
      where tenant_id = new.tenant_id and document_id = new.document_id) then
    raise exception '% is not the next copy of document %', new.copy_number, new.document_id using errcode = 'QA002';
  end if;
  if new.issued_to <> new.holder_id then
    raise exception 'a copy is issued to its holder' using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger issued before insert on controlled_copies for each row execute function check_issue_of_copy();

create function check_print_of_copy() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  copy controlled_copies;
begin
  select * into copy from controlled_copies where tenant_id = new.tenant_id and id = new.copy_id for update;
  if copy.status is distinct from 'issued' or copy.confirmed_at is not null then
    raise exception 'copy % is not in use', new.copy_id using errcode = 'QA002';
  end if;
  perform from document_versions where tenant_id = new.tenant_id and id = copy.version_id and status_kind = 'effective' for share;
  if not found then
    raise exception 'version % is not effective, so no copy of it is printed', copy.version_id using errcode = 'QA002';
  end if;
  if new.print_number <> (select count(*) + 1 from controlled_copy_prints where tenant_id = new.tenant_id and copy_id = new.copy_id) then
    raise exception '% is not the next print of copy %', new.print_number, new.copy_id using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger printed before insert on controlled_copy_prints for each row execute function check_print_of_copy();

-- A copy that is gone never comes back into use, a lost one can be found, and only one that was never printed is cancelled.
create function check_change_of_copy() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
declare
  is_printed boolean := exists (select from controlled_copy_prints where tenant_id = old.tenant_id and copy_id = old.id);
begin
  if not (case old.status
      when 'issued' then true
      when 'recalled' then new.status in ('recalled', 'returned', 'destroyed', 'lost')
      when 'lost' then new.status in ('returned', 'destroyed')
      else false end) then
    raise exception 'copy % is % and cannot become %', old.id, old.status, new.status using errcode = 'QA002';
  end if;
  if new.status <> old.status and (new.status = 'cancelled') = is_printed then
    raise exception 'copy % cannot become %', old.id, new.status using errcode = 'QA002';
  end if;
  if (old.holder_id, old.confirmed_at) is distinct from (new.holder_id, new.confirmed_at)
      and (old.confirmed_at is not null or not is_open_controlled_copy(old.status)) then
    raise exception 'copy % has no other holder any more', old.id using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger changed before update on controlled_copies for each row execute function check_change_of_copy();

-- Nobody works by a copy of a version that has ended: its copies are recalled in the same transaction.
create function require_recall_of_copies() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from controlled_copies where tenant_id = new.tenant_id and document_id = new.document_id and version_id = new.id
      and status = 'issued') then
    raise exception 'version % ended, and copies of it are still in use', new.id using errcode = 'QA002';
  end if;
  return null;
end $$;
create constraint trigger copies_recalled after update on document_versions deferrable initially deferred
  for each row when (old.status_kind = 'effective' and new.status_kind <> 'effective') execute function require_recall_of_copies();
