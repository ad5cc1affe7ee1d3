-- Retention, legal hold and disposal. A version of a document that is past its retention day is disposed of by two people who both sign; its
-- file goes by the removal of files (0033), which refers to the disposal in place of a request of its own. A legal hold stops it.

alter table document_types add column retention_years integer check (retention_years between 1 and 100);

create table legal_holds (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null check (number <> ''),
  -- What is held: one record, all documents of a type, all records of a kind, or the records about an affected item or a department.
  document_id bigint,
  deviation_id bigint,
  capa_id bigint,
  document_type_id bigint,
  record_kind text check (record_kind in ('document', 'deviation', 'capa')),
  affected_item text check (affected_item <> ''),
  department text check (department <> ''),
  reason text not null check (reason <> ''),
  placed_by bigint not null default current_actor(),
  placed_at timestamptz not null default now(),
  status text not null default 'active' check (status in ('active', 'lifted')),
  lifted_by bigint,
  lifted_at timestamptz,
  lift_reason text check (lift_reason <> ''),
  unique (tenant_id, id),
  unique (tenant_id, number),
  foreign key (tenant_id, document_id) references documents (tenant_id, id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  foreign key (tenant_id, document_type_id) references document_types (tenant_id, id),
  foreign key (tenant_id, placed_by) references users (tenant_id, id),
  foreign key (tenant_id, lifted_by) references users (tenant_id, id),
  check (num_nonnulls(document_id, deviation_id, capa_id, document_type_id, record_kind, affected_item, department) = 1),
  check ((status = 'lifted') = (lifted_by is not null)),
  check ((status = 'lifted') = (lifted_at is not null)),
  check ((status = 'lifted') = (lift_reason is not null)),
  constraint legal_holds_other_person check (lifted_by <> placed_by)
);
comment on table legal_holds is 'Legal holds, which stop the disposal of records until another person lifts them with a signature.';
create index legal_holds_status on legal_holds (tenant_id, status, id);
create index legal_holds_document on legal_holds (tenant_id, document_id);
create index legal_holds_deviation on legal_holds (tenant_id, deviation_id);
create index legal_holds_capa on legal_holds (tenant_id, capa_id);
create index legal_holds_document_type on legal_holds (tenant_id, document_type_id);
create index legal_holds_placer on legal_holds (tenant_id, placed_by);
create index legal_holds_lifter on legal_holds (tenant_id, lifted_by);
call tenant_table('legal_holds', 'select');
grant insert (number, document_id, deviation_id, capa_id, document_type_id, record_kind, affected_item, department, reason) on legal_holds to attest_app;
grant update (status, lift_reason) on legal_holds to attest_app;
call audited_table('legal_holds', 'legal_hold');
call people_only('legal_holds', 'placed_by', 'lifted_by');

create table disposals (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  number text not null check (number <> ''),
  reason text not null check (reason <> ''),
  proposed_by bigint not null default current_actor(),
  proposed_at timestamptz not null default now(),
  -- `completed`: each of its records was disposed of, or kept for a reason.
  status text not null default 'proposed' check (status in ('proposed', 'approved', 'completed', 'rejected', 'withdrawn')),
  decided_by bigint,
  decided_at timestamptz,
  decision_reason text check (decision_reason <> ''),
  completed_at timestamptz,
  unique (tenant_id, id),
  unique (tenant_id, number),
  foreign key (tenant_id, proposed_by) references users (tenant_id, id),
  foreign key (tenant_id, decided_by) references users (tenant_id, id),
  check ((status = 'proposed') = (decided_at is null)),
  check ((status = 'proposed') = (decided_by is null)),
  check (status in ('proposed', 'withdrawn') or decision_reason is not null),
  check ((status = 'completed') = (completed_at is not null)),
  constraint disposals_other_person check (status in ('proposed', 'withdrawn') or decided_by <> proposed_by),
  constraint disposals_withdrawn_by_proposer check (status <> 'withdrawn' or decided_by = proposed_by)
);
comment on table disposals is 'Disposals of records that are past their retention day: who proposed and who decided them.';
create index disposals_status on disposals (tenant_id, status, id);
create index disposals_proposer on disposals (tenant_id, proposed_by);
create index disposals_decider on disposals (tenant_id, decided_by);
call tenant_table('disposals', 'select');
grant insert (number, reason) on disposals to attest_app;
grant update (status, decision_reason) on disposals to attest_app;
call audited_table('disposals', 'disposal');
call people_only('disposals', 'proposed_by', 'decided_by');

create table disposal_records (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  disposal_id bigint not null,
  version_id bigint not null,
  -- As they were when the disposal was proposed: this is what both people sign, and what stays.
  record_number text not null check (record_number <> ''),
  version text not null check (version <> ''),
  title text not null check (title <> ''),
  type_name text not null check (type_name <> ''),
  record_status text not null check (record_status <> ''),
  ended_on date not null,
  retention_years integer not null check (retention_years between 1 and 100),
  retention_until date not null check (retention_until > ended_on),
  -- [{version_id, attachment_id, name, sha256, file_size}]
  files jsonb not null check (jsonb_typeof(files) = 'array'),
  status text not null default 'listed' check (status in ('listed', 'disposed', 'kept')),
  disposed_at timestamptz,
  kept_reason text check (kept_reason <> ''),
  unique (tenant_id, id),
  unique (tenant_id, disposal_id, version_id),
  foreign key (tenant_id, disposal_id) references disposals (tenant_id, id),
  foreign key (tenant_id, version_id) references document_versions (tenant_id, id),
  check ((status = 'disposed') = (disposed_at is not null)),
  check ((status = 'kept') = (kept_reason is not null))
);
comment on table disposal_records is 'The records of a disposal, as both people signed them, and what became of each.';
-- A version is disposed of once, and one disposal of it is open at a time.
create unique index disposal_records_open on disposal_records (tenant_id, version_id) where status in ('listed', 'disposed');
create index disposal_records_version on disposal_records (tenant_id, version_id);
call tenant_table('disposal_records', 'select');
grant insert (disposal_id, version_id, record_number, version, title, type_name, record_status, ended_on, retention_years, retention_until, files)
  on disposal_records to attest_app;
grant update (status, kept_reason) on disposal_records to attest_app;
call audited_table('disposal_records', 'disposal', 'disposal_id');

-- Signatures name two more kinds of record, as in 0033.
alter table signatures add column disposal_id bigint, add column legal_hold_id bigint,
  add foreign key (tenant_id, disposal_id) references disposals (tenant_id, id),
  add foreign key (tenant_id, legal_hold_id) references legal_holds (tenant_id, id);
create index signatures_disposal on signatures (tenant_id, disposal_id);
create index signatures_legal_hold on signatures (tenant_id, legal_hold_id);
grant insert (disposal_id, legal_hold_id) on signatures to attest_app;

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
    add column record_type text not null generated always as (case when disposal_id is not null then ''disposal''
      when legal_hold_id is not null then ''legal_hold'' else %s end) stored,
    add column record_id bigint not null generated always as (coalesce(disposal_id, legal_hold_id, %s)) stored', expression_of_type, expression_of_id);
  execute format('alter table signatures drop constraint %I, add constraint signatures_of_one_record check (%s)',
    one_record.conname, replace(one_record.expression, ') = 1', ', disposal_id, legal_hold_id) = 1'));
  for checked in select conname, pg_get_expr(conbin, conrelid) as expression from pg_constraint
    where conrelid = 'signatures'::regclass and conname in ('signatures_signature_type_check', 'signatures_occasion_kind_check')
  loop
    execute format('alter table signatures drop constraint %I, add constraint %I check (%s)', checked.conname, checked.conname,
      replace(checked.expression, ']', case checked.conname when 'signatures_signature_type_check'
        then ', ''disposal''::text, ''hold_lifting''::text]' else ', ''disposal''::text, ''legal_hold''::text]' end));
  end loop;
end $$;

-- These indexes went with the columns.
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, ''));

create function is_disposal_signed(disposal bigint, person bigint, occasion text) returns boolean language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from signatures s where s.disposal_id = disposal and s.signer_id = person
    and s.signature_type = 'disposal' and s.occasion_kind = 'disposal' and s.occasion_ref = occasion)
$$;

-- The active holds on a record. A hold on an affected item or a department holds the deviations about it, and the documents and CAPAs that they link.
create function holds_on(of_kind text, of_record bigint) returns setof bigint language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  with cases as (
    select n.department, n.affected_items from deviations n where of_kind = 'deviation' and n.id = of_record
    union all select n.department, n.affected_items from deviations n join deviation_documents l on l.deviation_id = n.id
      where of_kind = 'document' and l.document_id = of_record
    union all select n.department, n.affected_items from deviations n join deviation_capas l on l.deviation_id = n.id
      where of_kind = 'capa' and l.capa_id = of_record)
  select h.id from legal_holds h where h.status = 'active' and (h.record_kind = of_kind
    or (of_kind = 'document' and (h.document_id = of_record
      or h.document_type_id = (select d.document_type_id from documents d where d.id = of_record)))
    or (of_kind = 'deviation' and h.deviation_id = of_record)
    or (of_kind = 'capa' and h.capa_id = of_record)
    or (h.department is not null and exists (select from cases c where lower(c.department) = lower(h.department)))
    or (h.affected_item is not null and exists (select from cases c, jsonb_array_elements(c.affected_items) item
      where lower(item ->> 'identifier') = lower(h.affected_item))))
$$;

create function guard_legal_hold() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  lifting text[] := array['status', 'lift_reason'];
begin
  if tg_op = 'INSERT' then
    if new.status <> 'active' then raise exception 'a legal hold begins active' using errcode = 'QA002'; end if;
    return new;
  end if;
  if tg_op = 'DELETE' or old.status <> 'active' or new.status <> 'lifted' or to_jsonb(old) - lifting is distinct from to_jsonb(new) - lifting then
    raise exception 'a legal hold is lifted once, and stays' using errcode = 'QA002';
  end if;
  new.lifted_by := current_actor();
  new.lifted_at := now();
  if not exists (select from signatures s where s.legal_hold_id = new.id and s.signer_id = new.lifted_by and s.signature_type = 'hold_lifting') then
    raise exception 'legal hold % is not signed by the person who lifts it', new.id using errcode = 'QA003';
  end if;
  return new;
end $$;
create trigger guard before insert or update or delete on legal_holds for each row execute function guard_legal_hold();
alter table legal_holds enable always trigger guard;

create function guard_disposal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  decision text[] := array['status', 'decision_reason'];
begin
  if tg_op = 'DELETE' or old.status not in ('proposed', 'approved') or new.status = old.status
      or (old.status = 'approved') <> (new.status = 'completed') then
    raise exception 'a disposal is decided once, and stays' using errcode = 'QA002';
  end if;
  if to_jsonb(old) - decision is distinct from to_jsonb(new) - decision
      or (old.status = 'approved' and new.decision_reason is distinct from old.decision_reason) then
    raise exception 'the content of a disposal cannot be changed' using errcode = 'QA002';
  end if;
  if new.status = 'completed' then
    if exists (select from disposal_records r where r.disposal_id = new.id and r.status = 'listed') then
      raise exception 'disposal % has records that nothing was decided about', new.id using errcode = 'QA003';
    end if;
    new.completed_at := now();
    return new;
  end if;
  new.decided_by := current_actor();
  new.decided_at := now();
  if new.status = 'approved' and not is_disposal_signed(new.id, new.decided_by, 'approval') then
    raise exception 'disposal % is not signed by the person who approves it', new.id using errcode = 'QA003';
  end if;
  return new;
end $$;
create trigger guard before update or delete on disposals for each row execute function guard_disposal();
alter table disposals enable always trigger guard;

create function require_signed_disposal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_disposal_signed(new.id, new.proposed_by, 'proposal') then
    raise exception 'disposal % is not signed by the person who proposes it', new.id using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger signed after insert on disposals deferrable initially deferred
  for each row execute function require_signed_disposal();

-- What was signed never changes: only what became of the record is added.
create function guard_disposal_record() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  outcome text[] := array['status', 'kept_reason'];
  decided text := (select d.status from disposals d where d.id = coalesce(new.disposal_id, old.disposal_id));
begin
  if tg_op = 'INSERT' then
    if new.status <> 'listed' or decided is distinct from 'proposed'
        or exists (select from signatures s where s.disposal_id = new.disposal_id) then
      raise exception 'a record is added to no disposal that is signed' using errcode = 'QA002';
    end if;
    return new;
  end if;
  if tg_op = 'DELETE' or old.status <> 'listed' or new.status = 'listed' or to_jsonb(old) - outcome is distinct from to_jsonb(new) - outcome then
    raise exception 'what became of a record of a disposal is said once, and stays' using errcode = 'QA002';
  end if;
  if decided = 'proposed' or (new.status = 'disposed' and decided <> 'approved') then
    raise exception 'the disposal of record % is not approved', old.id using errcode = 'QA003';
  end if;
  if new.status = 'disposed' then new.disposed_at := now(); end if;
  return new;
end $$;
create trigger guard before insert or update or delete on disposal_records for each row execute function guard_disposal_record();
alter table disposal_records enable always trigger guard;

-- Why a version may not be disposed of now, beside its retention day: null if nothing speaks against it. Decided in the transaction that destroys.
create function disposal_obstacle(of_version bigint) returns text language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select case
    when v.status_kind <> 'final' then 'in_use'
    when exists (select from holds_on('document', v.document_id)) then 'on_hold'
    when exists (select from deviation_documents l join deviations n on n.id = l.deviation_id where l.document_id = v.document_id and is_open_deviation(n.status))
      or exists (select from capa_documents l join capas c on c.id = l.capa_id where l.document_id = v.document_id and is_open_capa(c.status))
      or exists (select from training_assignments a where a.version_id = v.id and is_open_training_assignment(a.status)) then 'referenced'
    when exists (select from controlled_copies k where k.version_id = v.id and is_open_controlled_copy(k.status)) then 'copies_out'
    when exists (select from file_removals f where f.version_id = v.id and f.status = 'requested') then 'removal_requested'
  end
  from document_versions v where v.id = of_version
$$;

-- A removal by a disposal has no request of its own: it is approved from the beginning, in the names of those who signed the disposal.
alter table file_removals add column disposal_id bigint,
  add foreign key (tenant_id, disposal_id) references disposals (tenant_id, id);
create index file_removals_disposal on file_removals (tenant_id, disposal_id);
grant insert (disposal_id) on file_removals to attest_app;

create function take_disposal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  of disposals;
begin
  select * into of from disposals where id = new.disposal_id and status = 'approved';
  if of.id is null or not is_disposal_signed(of.id, of.proposed_by, 'proposal') or not is_disposal_signed(of.id, of.decided_by, 'approval')
      or not exists (select from disposal_records r, jsonb_array_elements(r.files) f where r.disposal_id = of.id and r.status = 'listed'
        and r.version_id = new.version_id and (f ->> 'version_id')::bigint = new.version_id and f ->> 'sha256' = new.sha256
        and (f ->> 'file_size')::bigint = new.file_size) then
    raise exception 'no approved disposal names this file' using errcode = 'QA003';
  end if;
  if disposal_obstacle(new.version_id) is not null then
    raise exception 'version % may not be disposed of: %', new.version_id, disposal_obstacle(new.version_id) using errcode = 'QA003';
  end if;
  new.status := 'approved';
  new.reason := of.reason;
  new.requested_by := of.proposed_by;
  new.requested_at := of.proposed_at;
  new.decided_by := of.decided_by;
  new.decided_at := now();
  new.decision_reason := of.decision_reason;
  return new;
end $$;
-- Before the trigger `guard`, by its name.
create trigger a_disposal before insert on file_removals for each row when (new.disposal_id is not null) execute function take_disposal();
alter table file_removals enable always trigger a_disposal;

create or replace function require_signed_request() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if new.disposal_id is null and not is_removal_signed(new.id, new.requested_by, 'request') then
    raise exception 'file removal % is not signed by the person who requests it', new.id using errcode = 'QA003';
  end if;
  return null;
end $$;
