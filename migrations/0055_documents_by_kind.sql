-- How many documents somebody may read is counted by what kind of state that version is in which they are shown; what is shown to its owner
-- and its author alone is looked up among theirs.

create or replace function document_index_facts(i document_index, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select f.* from (values
    ('documents.shown', '-infinity'::date, i.document_type_id || ' ' || i.status),
    ('documents.kind', '-infinity'::date, i.status_kind)) f where i.is_shown $$;

-- Nobody changes a document between what is counted here and what triggers count from now on.
lock table document_index in share row exclusive mode;
insert into stat_counts (tenant_id, time_zone, measure, day, key, slot, n)
select i.tenant_id, z.time_zone, 'documents.kind', '-infinity', i.status_kind, 0, count(*)
from stat_zones z join document_index i on i.tenant_id = z.tenant_id
  and (2, i.version_id) <= (z.up_to_source, z.up_to_id)
where i.is_shown group by 1, 2, 5;
