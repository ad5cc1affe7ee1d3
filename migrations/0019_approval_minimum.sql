-- The workflows that a document type admits, and the least approval that each of them must ask for; and the people who prepared a version,
-- so that nobody decides about their own work.

alter table document_types
  -- A version of a controlled type becomes effective only with an approval.
  add column controlled boolean not null default true,
  -- The workflows that a document may use instead of the default one, for a reason.
  add column other_workflow_template_ids bigint[] not null default '{}',
  -- The least on every way to an effective state: whether an approval is signed, how many different people approve, and whether these
  -- approvals are those of people other than the author.
  add column minimum_signature boolean not null default false,
  add column minimum_people integer not null default 1 check (minimum_people between 0 and 20),
  add column minimum_author_excluded boolean not null default false;

alter table document_versions
  -- The person who submitted it last.
  add column submitted_by bigint,
  -- Everyone who changed its metadata after its upload.
  add column edited_by bigint[] not null default '{}',
  -- Everyone who chose approvals other than those of the type; empty where the version has those of the type.
  add column approval_chosen_by bigint[] not null default '{}',
  add foreign key (tenant_id, submitted_by) references users (tenant_id, id);

-- What stands here already is derived from the records themselves, so it needs no entry of the audit trail.
alter table document_types disable trigger audited_update;
alter table document_versions disable trigger audited_update;
do $$
declare
  tenant bigint;
begin
  -- The platform's own tenant sees the rows of all tenants.
  perform set_config('app.tenant_id', '1', true);
  for tenant in select id from tenants loop
    perform set_config('app.tenant_id', tenant::text, true);
    -- Types whose workflow makes a version effective without an approval go on as before, and are shown as not controlled.
    with recursive reached (template_id, version, state) as (
      select v.template_id, v.version, s ->> 'name' from workflow_templates w
        join workflow_template_versions v on v.template_id = w.id and v.version = w.version,
        jsonb_array_elements(v.definition -> 'states') s where s ->> 'kind' = 'initial'
      union
      select r.template_id, r.version, t ->> 'to' from reached r
        join workflow_template_versions v on v.template_id = r.template_id and v.version = r.version,
        jsonb_array_elements(v.definition -> 'transitions') t where t -> 'from' ? r.state and not t ? 'approval'
    )
    update document_types d set controlled = false, minimum_people = 0 where exists (
      select from reached r join workflow_template_versions v on v.template_id = r.template_id and v.version = r.version,
        jsonb_array_elements(v.definition -> 'states') s
      where r.template_id = d.workflow_template_id and s ->> 'name' = r.state and s ->> 'kind' = 'effective');
    update document_types d set minimum_signature = true, minimum_people = 2, minimum_author_excluded = true
      from workflow_templates w where w.id = d.workflow_template_id and w.is_builtin and w.name = 'GMP two-step approval';
    update document_versions v set submitted_by = (
      select h.user_id from document_history h where h.version_id = v.id and h.document_id = v.document_id
        and h.round = v.round and h.trigger = 'user' order by h.id limit 1) where v.round > 0;
    update document_versions v set edited_by = coalesce((
      select array_agg(distinct e.user_id) from audit_entries e
      where e.resource_type = 'document' and e.resource_id = v.document_id and e.action = 'document.updated'
        and e.occurred_at >= v.created_at and e.user_id is not null
        and e.changes::jsonb ?| array['title', 'category', 'description', 'keywords']), '{}')
      where v.status_kind in ('initial', 'review');
    update document_versions v set approval_chosen_by = coalesce((
      select array_agg(distinct e.user_id) from audit_entries e
      where e.resource_type = 'document' and e.resource_id = v.document_id and e.action = 'document.approval_configured'
        and e.occurred_at >= v.created_at and e.user_id is not null), '{}')
      from documents d join document_types t on t.id = d.document_type_id
      where d.id = v.document_id and v.status_kind in ('initial', 'review')
        and (v.approval_overrides <> '[]' or v.workflow_template_id <> t.workflow_template_id);
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
alter table document_types enable trigger audited_update;
alter table document_versions enable trigger audited_update;

-- However a version became effective: with the workflow of another day, a type that was changed meanwhile, or the database login itself.
create function require_approved_version() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if (select t.controlled from documents d join document_types t on t.id = d.document_type_id where d.id = new.document_id)
     and not exists (select from document_decisions
       where version_id = new.id and document_id = new.document_id and round = new.round and decision = 'approve' and not is_void) then
    raise exception 'version % of a controlled document cannot become effective without an approval', new.id using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger approved_on_update before update of status_kind on document_versions for each row
  when (new.status_kind = 'effective' and old.status_kind <> 'effective') execute function require_approved_version();
create trigger approved_on_insert before insert on document_versions for each row
  when (new.status_kind = 'effective') execute function require_approved_version();
