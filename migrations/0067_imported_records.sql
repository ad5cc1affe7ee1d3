-- Records that a batch of a migration brought in. They run through no workflow and carry no signature of Attest: what stands for both is the
-- signed acceptance of their batch. A row that names a batch is therefore admitted only while that batch is accepted and has staged the row,
-- whoever writes it.

-- The batch was accepted with a signature, and is not over.
create function is_accepted_batch(tenant bigint, batch bigint) returns boolean language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from migration_batches b where b.tenant_id = tenant and b.id = batch
    and b.accepted_at is not null and b.released_at is null and b.discarded_at is null
    and is_migration_signed(b.id, b.content_revision, b.accepted_by, 'approval'))
$$;
revoke execute on function is_accepted_batch(bigint, bigint) from public;
grant execute on function is_accepted_batch(bigint, bigint) to attest_app;

-- Deferred, and left out by a rehearsal, which is rolled back: it tries rows of a batch that is not accepted yet.
create function require_accepted_batch() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not is_accepted_batch(new.tenant_id, new.migration_batch_id) or not exists (select from migration_rows r
      where r.tenant_id = new.tenant_id and r.batch_id = new.migration_batch_id and r.resource_type = tg_argv[0] and r.resource_id = new.id) then
    raise exception '% % is of no accepted migration batch', tg_table_name, new.id using errcode = 'QA002';
  end if;
  return null;
end $$;
-- An accepted row becomes one record, so it cannot vouch for another one later.
create trigger record_stays before update on migration_rows for each row
  when (old.resource_id is not null and (old.resource_type, old.resource_id) is distinct from (new.resource_type, new.resource_id))
  execute function refuse_update();

-- Called for each table whose rows a batch can bring in. `resource`: the name by which a staged row names the record that it became.
create procedure imported_table(name regclass, resource text) language plpgsql as $$
begin
  execute format('alter table %s add column migration_batch_id bigint,
    add foreign key (tenant_id, migration_batch_id) references migration_batches (tenant_id, id)', name);
  -- Of imported rows alone: as an index of all rows of a tenant it would tempt the planner to read them.
  execute format('create index %s_batch on %s (tenant_id, migration_batch_id) where migration_batch_id is not null', name, name);
  execute format('create constraint trigger of_accepted_batch after insert on %s deferrable initially deferred
    for each row when (new.migration_batch_id is not null) execute function require_accepted_batch(%L)', name, resource);
  execute format('create trigger batch_stays before update on %s for each row
    when (old.migration_batch_id is distinct from new.migration_batch_id) execute function refuse_update()', name);
end $$;
call imported_table('users', 'user');
call imported_table('groups', 'group');
call imported_table('documents', 'document');
call imported_table('document_versions', 'document_version');
call imported_table('curricula', 'curriculum');
call imported_table('training_assignments', 'training_assignment');
call imported_table('deviations', 'deviation');
call imported_table('capas', 'capa');

alter table documents add column legacy_number text check (legacy_number <> '');
alter table deviations add column legacy_number text check (legacy_number <> '');
alter table capas add column legacy_number text check (legacy_number <> ''),
  -- The day on which it was opened in the system before.
  add column opened_on date,
  add check (migration_batch_id is not null or opened_on is null);
comment on column documents.legacy_number is 'The number in the system before, where it was given a new one.';
create index documents_legacy_number on documents using gin (tenant_id, legacy_number gin_trgm_ops) with (fastupdate = off)
  where legacy_number is not null;
create index deviations_legacy_number on deviations using gin (tenant_id, legacy_number gin_trgm_ops) with (fastupdate = off)
  where legacy_number is not null;
create index capas_legacy_number on capas using gin (tenant_id, legacy_number gin_trgm_ops) with (fastupdate = off)
  where legacy_number is not null;

alter table document_versions
  -- The label in the system before, where it was another one, such as `Rev. B`.
  add column legacy_label text check (legacy_label <> ''),
  -- The day on which it was superseded or made obsolete before it was imported.
  add column ended_on date,
  add check (migration_batch_id is not null or (legacy_label is null and ended_on is null));

-- A version of before was approved before: what says so is the acceptance of its batch. Later versions, and a draft that was imported,
-- become effective by an approval.
drop trigger approved_on_insert on document_versions;
create trigger approved_on_insert before insert on document_versions for each row
  when (new.status_kind = 'effective' and new.migration_batch_id is null) execute function require_approved_version();

-- An imported version is a file of its batch, so an accepted batch vouches for the files that were accepted and for no others.
create function require_file_of_batch() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from migration_files f where f.tenant_id = new.tenant_id and f.batch_id = new.migration_batch_id
      and f.sha256 = new.sha256 and f.file_size = new.file_size) then
    raise exception 'version % has a file that is not of its migration batch', new.id using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger file_of_batch before insert on document_versions for each row
  when (new.migration_batch_id is not null) execute function require_file_of_batch();

alter table document_history drop constraint document_history_trigger_check,
  add constraint document_history_trigger_check check (trigger in ('user', 'automatic', 'migration'));

create table historical_approvals (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  migration_batch_id bigint not null,
  -- Of the sheet of approvals.
  line integer not null check (line > 0),
  -- As recorded in the source: perhaps nobody of today's users.
  person_name text not null check (person_name <> ''),
  person_role text,
  approved_on date,
  meaning text not null check (meaning <> ''),
  evidence text,
  -- A scan of the signed page.
  evidence_file_id bigint,
  unique (tenant_id, id),
  unique (tenant_id, migration_batch_id, line),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, migration_batch_id) references migration_batches (tenant_id, id),
  foreign key (tenant_id, evidence_file_id) references migration_files (tenant_id, id)
);
comment on table historical_approvals is
  'Approvals of versions before their migration, as recorded in the source. They are history and no signatures.';
create index historical_approvals_version on historical_approvals (tenant_id, document_id, version_id);
create index historical_approvals_file on historical_approvals (tenant_id, evidence_file_id);
call tenant_table('historical_approvals', 'select, insert');
call append_only('historical_approvals');
call audited_table('historical_approvals', 'document', id_column => 'document_id');
create constraint trigger of_accepted_batch after insert on historical_approvals deferrable initially deferred
  for each row execute function require_accepted_batch('historical_approval');

-- A training that was completed before has no signature, and says that it was imported.
alter table training_assignments
  -- The imported completion counts as training, also for gates: the batch decides.
  add column counts boolean not null default true,
  add check (counts or migration_batch_id is not null),
  add check ((source = 'migration') = (migration_batch_id is not null));
do $$
declare
  replaced record;
begin
  for replaced in
    select conrelid::regclass as owner, conname, pg_get_expr(conbin, conrelid) as expression from pg_constraint
    where contype = 'c' and (conrelid, pg_get_expr(conbin, conrelid)) in (
      ('training_assignments'::regclass, '((completed_at IS NULL) = (signature_id IS NULL))'),
      ('deviations'::regclass, '((closed_at IS NULL) = (closed_by IS NULL))'),
      ('capas'::regclass, '((closed_at IS NULL) = (closed_by IS NULL))'))
  loop
    execute format('alter table %s drop constraint %I, add constraint %I check (%s)', replaced.owner, replaced.conname, replaced.conname,
      case replaced.owner when 'training_assignments'::regclass
        then 'case when migration_batch_id is null then ' || replaced.expression || ' else completed_at is not null and signature_id is null end'
        else replaced.expression || ' or (migration_batch_id is not null and closed_by is null)' end);
  end loop;
  select conname, pg_get_expr(conbin, conrelid) as expression into strict replaced from pg_constraint
    where conrelid = 'training_assignments'::regclass and conname = 'training_assignments_source_check';
  execute format('alter table training_assignments drop constraint %I, add constraint %I check (%s)', replaced.conname, replaced.conname,
    replace(replaced.expression, ']', ', ''migration''::text]'));
end $$;

-- Search and lists find a document by either number.
alter table document_index add column legacy_number text;
create index document_index_legacy_number on document_index using gin (tenant_id, legacy_number gin_trgm_ops) with (fastupdate = off)
  where legacy_number is not null;

create or replace function find_documents(q text) returns setof bigint language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan set client_min_messages = warning
  set cpu_operator_cost = 0.1 set jit = off as $$
declare
  -- Computed once: in the statement they would be computed for each row.
  tenant constant bigint := current_tenant();
  somewhere constant text := '%' || regexp_replace(q, '([\\%_])', '\\\1', 'g') || '%';
  in_title constant text := plain_words(somewhere);
  phrase constant text := phraseto_tsquery('simple_unaccented', search_text(q))::text;
  together constant tsquery := regexp_replace(regexp_replace(phrase, '''(?= |$)', ''':B', 'g'), ':B$', ':*B')::tsquery;
begin
  return query select document_id from document_index
    where tenant_id = tenant and is_shown
      and (title like in_title or number ilike somewhere or legacy_number ilike somewhere or label @@ together);
end $$;

create or replace function named_records(of_kind text, sought jsonb, out record_id bigint, out place integer) returns setof record
  language plpgsql stable security definer rows 100 set search_path = pg_catalog, public, pg_temp set jit = off as $$
declare
  -- A record with two numbers is there twice, and found by either.
  source constant text := case of_kind
    when 'document' then 'select document_id as id, number, title from document_index where is_shown and tenant_id = %1$s
      union all select document_id, legacy_number, title from document_index where is_shown and tenant_id = %1$s and legacy_number is not null'
    when 'deviation' then 'select id, number, plain_title(title) as title from deviations where tenant_id = %1$s
      union all select id, legacy_number, plain_title(title) from deviations where tenant_id = %1$s and legacy_number is not null'
    when 'capa' then 'select id, number, plain_title(title) as title from capas where tenant_id = %1$s
      union all select id, legacy_number, plain_title(title) from capas where tenant_id = %1$s and legacy_number is not null'
    when 'training_program' then 'select id, number, plain_title(title) as title from training_programs where tenant_id = %1$s'
    when 'user' then 'select id, username as number, plain_title(coalesce(full_name, '''')) as title from users where kind = ''person'' and tenant_id = %1$s'
    end;
  matched text;
begin
  if current_tenant() is null or source is null then return; end if;
  select string_agg(format('(r.number ~* %L or %s)', word ->> 'number', case when word ? 'beginning'
      then format('r.title like %1$L or r.title like ''%% '' || %1$L', plain_title(word ->> 'beginning')) else format('r.title like %L', plain_title(word ->> 'title')) end), ' and ')
    into matched from jsonb_array_elements(sought -> 'words') word;
  if matched is null then return; end if;
  -- Materialized, because each mention of a title would be another call of plain_title().
  return query execute format('with matched as materialized (select r.* from (%s) r where %s)
    select m.id, min(case when m.number ~* $1 then case when m.number ~* (''^'' || $1 || ''$'') then 0 when m.number ~* ($1 || ''$'') then 1 else 2 end
      when starts_with(m.title, $2) then 3 when strpos(m.title, $2) > 0 then 4 else 5 end) from matched m group by m.id',
    format(source, current_tenant()), matched)
    using sought -> 'whole' ->> 'number', plain_title(sought -> 'whole' ->> 'title');
end $$;
