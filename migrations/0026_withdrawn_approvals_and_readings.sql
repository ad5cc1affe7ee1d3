-- Approvals are taken back by their approver, and a reading says when its document was opened.

-- An approval that was taken back is kept, with its reason and the signature of the act.
alter table document_decisions add column withdrawn_at timestamptz, add column withdrawal_reason text check (withdrawal_reason <> ''),
  add column withdrawal_signature_id bigint,
  add foreign key (tenant_id, withdrawal_signature_id) references signatures (tenant_id, id),
  add check (withdrawn_at is null or is_void),
  add check ((withdrawn_at is null) = (withdrawal_reason is null)),
  add check (withdrawal_signature_id is null or withdrawn_at is not null);
create index document_decisions_withdrawal_signature on document_decisions (tenant_id, withdrawal_signature_id);

-- `approval_withdrawn`: its approver took the approval back, or that of an earlier step was taken back.
alter table signature_voids drop constraint signature_voids_cause_check,
  add constraint signature_voids_cause_check check (cause in ('declared', 'round_ended', 'approval_withdrawn'));

-- The checks are extended as they are found, so that nothing gets lost that another migration has added.
do $$
declare
  checked record;
begin
  for checked in select conname, pg_get_expr(conbin, conrelid) as expression,
      case conname when 'signatures_signature_type_check' then 'withdrawal' else 'approval_withdrawal' end as added
    from pg_constraint where conrelid = 'signatures'::regclass
      and conname in ('signatures_signature_type_check', 'signatures_occasion_kind_check')
  loop
    execute format('alter table signatures drop constraint %I, add constraint %I check (%s)', checked.conname, checked.conname,
      replace(checked.expression, ']', format(', %L::text]', checked.added)));
  end loop;
end $$;

-- A reading can ask that its document was opened, and says when and in which version it was.
alter table training_programs add column requires_opening boolean not null default false,
  add constraint training_programs_opening check (not requires_opening or type = 'read_and_understand');
alter table training_assignments add column opened_at timestamptz, add column opened_version_id bigint,
  add foreign key (tenant_id, document_id, opened_version_id) references document_versions (tenant_id, document_id, id),
  add check ((opened_at is null) = (opened_version_id is null));
create index training_assignments_opened on training_assignments (tenant_id, document_id, opened_version_id)
  where opened_version_id is not null;
-- Whether a person opened a document is asked with each view of it and each completion.
create index audit_entries_openings on audit_entries (tenant_id, user_id, resource_id, id)
  where action in ('document.viewed', 'document.downloaded');
