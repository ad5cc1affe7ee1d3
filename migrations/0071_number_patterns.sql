-- How the numbers of records are written: a pattern for each document type, and in the settings of the tenant for deviations and CAPAs. The
-- text before the digits names the series of a number, whatever kind of record takes it, so no two records of a company get the same number.
alter table document_types add column number_pattern text;
alter table documents add column department text check (department ~ '^[A-Z][A-Z0-9]{0,9}$');
comment on column documents.department is 'The short code of the department that a number may have, as it was when the number was given.';

-- Every number stays as it is, so this needs neither an audit entry nor an approval.
alter table document_types disable trigger audited_update, disable trigger approved;
do $$
declare
  tenant bigint;
begin
  -- The platform's own tenant sees the rows of all tenants.
  perform set_config('app.tenant_id', '1', true);
  for tenant in select id from tenants loop
    perform set_config('app.tenant_id', tenant::text, true);
    update document_types set number_pattern = prefix || '-{0000}';
    -- Training programs and a document type with the prefix TRN go on together behind the higher number.
    with former as (
      delete from counters where name ~ '^(document|deviation|capa):' or name = 'training'
      returning case split_part(name, ':', 1) when 'document' then split_part(name, ':', 2) when 'deviation' then 'DEV-' || split_part(name, ':', 2)
        when 'capa' then 'CAPA-' || split_part(name, ':', 2) else 'TRN' end || '-' as series, last
    )
    insert into counters (name, last) select series, max(last) from former group by series;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
alter table document_types enable trigger audited_update, enable trigger approved;

alter table document_types alter column number_pattern set not null, add constraint document_types_number_pattern
  check (number_pattern ~ '^([A-Z][A-Z0-9]{0,9}|\{department\})([-._]([A-Z0-9]{1,10}|\{department\}|\{year\}))*[-._]\{0{2,8}\}$' and length(number_pattern) <= 60);
comment on column document_types.number_pattern is 'How the numbers of its documents are written: SOP-{department}-{year}-{0000}.';
comment on table counters is 'The last number given out in each series, by the text before the digits: SOP- or DEV-2026-.';

-- Whether two patterns can write the same number. `sharesNumbers` of the program decides alike.
create function share_numbers(a text, b text) returns boolean language sql immutable set search_path = pg_catalog, pg_temp as $$
  select regexp_replace(a, '[^-._]', '', 'g') = regexp_replace(b, '[^-._]', '', 'g') and not exists (
    select from unnest(regexp_split_to_array(a, '[-._]'), regexp_split_to_array(b, '[-._]')) as part (a, b)
    where not (part.a = part.b or part.a like '{0%' and part.b like '{0%'
      or part.a = '{department}' and part.b ~ '^[A-Z]' or part.b = '{department}' and part.a ~ '^[A-Z]'
      or part.a = '{year}' and part.b ~ '^[0-9]{4}$' or part.b = '{year}' and part.a ~ '^[0-9]{4}$')) $$;

create function refuse_shared_numbers() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  of_tenant constant bigint := to_jsonb(new) ->> case tg_table_name when 'tenants' then 'id' else 'tenant_id' end;
  patterns text[];
begin
  -- Two changes at once would not see each other's pattern.
  perform from tenants where id = of_tenant for no key update;
  select array['TRN-{0000}', coalesce(settings #>> '{number_patterns,deviation}', 'DEV-{year}-{0000}'),
    coalesce(settings #>> '{number_patterns,capa}', 'CAPA-{year}-{0000}')] into patterns from tenants where id = of_tenant;
  if tg_table_name = 'document_types' then
    patterns := patterns || array(select number_pattern from document_types where tenant_id = of_tenant and id <> new.id);
    if exists (select from unnest(patterns) each_pattern where share_numbers(each_pattern, new.number_pattern)) then
      raise exception 'other records have the numbers of %', new.number_pattern using errcode = 'QA003';
    end if;
    return null;
  end if;
  patterns := patterns || array(select number_pattern from document_types where tenant_id = of_tenant);
  if exists (select from unnest(patterns) with ordinality as one (pattern, place), unnest(patterns) with ordinality as other (pattern, place)
    where one.place in (2, 3) and one.place <> other.place and share_numbers(one.pattern, other.pattern)) then
    raise exception 'the numbers of deviations or CAPAs would be those of other records' using errcode = 'QA003';
  end if;
  return null;
end $$;
create trigger own_numbers after insert on document_types for each row when (not new.shares_prefix) execute function refuse_shared_numbers();
create trigger own_numbers_update after update on document_types for each row when (old.number_pattern is distinct from new.number_pattern)
  execute function refuse_shared_numbers();
create trigger own_numbers after update on tenants
  for each row when (old.settings -> 'number_patterns' is distinct from new.settings -> 'number_patterns') execute function refuse_shared_numbers();

-- How records are numbered is configuration as well.
create function require_approved_numbering() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from configuration_changes c where c.tenant_id = new.id and c.kind = 'settings' and c.status = 'approved'
      and c.xmin = pg_current_xact_id()::xid) then
    raise exception 'the numbering of records was changed without the approval of another person' using errcode = 'QA003';
  end if;
  return null;
end $$;
create constraint trigger approved_numbering after update on tenants deferrable initially deferred
  for each row when (old.settings ->> 'configuration_needs_approval' = 'true'
    and old.settings -> 'number_patterns' is distinct from new.settings -> 'number_patterns') execute function require_approved_numbering();
