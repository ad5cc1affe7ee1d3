-- Disposal of the files of deviations and CAPAs that ended longer ago than their retention period. The record, its signatures and the audit trail
-- stay: what is destroyed are the attached files, by the removal of files, as of versions of documents (0070).

alter table disposal_records alter column version_id drop not null, alter column version drop not null, alter column type_name drop not null,
  add column deviation_id bigint, add column capa_id bigint,
  add foreign key (tenant_id, deviation_id) references deviations (tenant_id, id),
  add foreign key (tenant_id, capa_id) references capas (tenant_id, id),
  add unique (tenant_id, disposal_id, deviation_id),
  add unique (tenant_id, disposal_id, capa_id),
  add constraint disposal_records_of_one_record check (num_nonnulls(version_id, deviation_id, capa_id) = 1),
  add check ((version_id is null) = (version is null)),
  add check ((version_id is null) = (type_name is null)),
  add check (version_id is not null or files <> '[]');
-- One disposal of a case is open at a time. A deviation that is reopened gets files again, so more than one can dispose of them.
create unique index disposal_records_open_deviation on disposal_records (tenant_id, deviation_id) where status = 'listed';
create unique index disposal_records_open_capa on disposal_records (tenant_id, capa_id) where status = 'listed';
create index disposal_records_deviation on disposal_records (tenant_id, deviation_id);
create index disposal_records_capa on disposal_records (tenant_id, capa_id);
grant insert (deviation_id, capa_id) on disposal_records to attest_app;

-- Why the files of a deviation or a CAPA may not be disposed of now, beside its retention day: null if nothing speaks against it. Decided in the
-- transaction that destroys.
create function case_disposal_obstacle(of_kind text, of_record bigint) returns text language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select case
    when exists (select from deviations n where of_kind = 'deviation' and n.id = of_record and is_open_deviation(n.status))
      or exists (select from capas c where of_kind = 'capa' and c.id = of_record and is_open_capa(c.status)) then 'in_use'
    when exists (select from holds_on(of_kind, of_record)) then 'on_hold'
    when exists (select from deviation_capas l join capas c on c.id = l.capa_id
        where of_kind = 'deviation' and l.deviation_id = of_record and is_open_capa(c.status))
      or exists (select from deviation_capas l join deviations n on n.id = l.deviation_id
        where of_kind = 'capa' and l.capa_id = of_record and is_open_deviation(n.status))
      or exists (select from deviation_deviations l join deviations n on n.id = l.other_id
        where of_kind = 'deviation' and l.deviation_id = of_record and is_open_deviation(n.status))
      or exists (select from deviation_deviations l join deviations n on n.id = l.deviation_id
        where of_kind = 'deviation' and l.other_id = of_record and is_open_deviation(n.status)) then 'referenced'
    when exists (select from attachments a join file_removals f on f.attachment_id = a.id
      where case of_kind when 'deviation' then a.deviation_id = of_record else a.capa_id = of_record end and f.status = 'requested')
      then 'removal_requested'
    when not exists (select from attachments a
      where case of_kind when 'deviation' then a.deviation_id = of_record else a.capa_id = of_record end
        and not exists (select from file_removals f where f.attachment_id = a.id and f.status in ('approved', 'removed'))) then 'no_files'
  end
$$;

create or replace function take_disposal() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  of disposals;
  attached attachments;
  obstacle text;
begin
  select * into attached from attachments where id = new.attachment_id;
  select * into of from disposals where id = new.disposal_id and status = 'approved';
  if of.id is null or not is_disposal_signed(of.id, of.proposed_by, 'proposal') or not is_disposal_signed(of.id, of.decided_by, 'approval')
      or not exists (select from disposal_records r, jsonb_array_elements(r.files) f where r.disposal_id = of.id and r.status = 'listed'
        and (r.version_id = new.version_id or r.deviation_id = attached.deviation_id or r.capa_id = attached.capa_id)
        and (f ->> 'version_id')::bigint is not distinct from new.version_id
        and (f ->> 'attachment_id')::bigint is not distinct from new.attachment_id
        and f ->> 'sha256' = new.sha256 and (f ->> 'file_size')::bigint = new.file_size) then
    raise exception 'no approved disposal names this file' using errcode = 'QA003';
  end if;
  obstacle := case when new.version_id is not null then disposal_obstacle(new.version_id)
    when attached.deviation_id is not null then case_disposal_obstacle('deviation', attached.deviation_id)
    else case_disposal_obstacle('capa', attached.capa_id) end;
  if obstacle is not null then
    raise exception 'the file may not be disposed of: %', obstacle using errcode = 'QA003';
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

-- When files may be destroyed is configuration as well.
create function require_approved_retention() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from configuration_changes c where c.tenant_id = new.id and c.kind = 'settings' and c.status = 'approved'
      and c.xmin = pg_current_xact_id()::xid) then
    raise exception 'the retention periods were changed without the approval of another person' using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger approved_retention after update on tenants deferrable initially deferred
  for each row when (old.settings ->> 'configuration_needs_approval' = 'true'
    and old.settings -> 'retention_years' is distinct from new.settings -> 'retention_years') execute function require_approved_retention();
