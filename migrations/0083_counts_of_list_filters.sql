-- The counts beside the filters of the list of documents read every document of the tenant, four times for the page of the list. They are
-- kept as counts of two more measures: documents by kind of state, state, state of the version under way beside it, type and category; and
-- by kind of state and keyword. From here on the program writes them with the other facts of a document (src/modules/projections/statistics);
-- this adds them to the facts of the documents that there are, spelled as the program spells them.
do $$
declare
  tenant bigint;
begin
  -- The platform's own tenant sees the rows of all tenants.
  perform set_config('app.tenant_id', '1', true);
  for tenant in select id from tenants loop
    perform set_config('app.tenant_id', tenant::text, true);
    with listed as (
      select d.id, jsonb_build_array(jsonb_build_array('documents.listed', null, v.status_kind || ' ' || v.status || ' ' || coalesce(l.status, '-')
          || ' ' || d.document_type_id || coalesce(' ' || v.category, '')))
        || coalesce((select jsonb_agg(jsonb_build_array('documents.keyword', null, v.status_kind || ' ' || keyword) order by place)
          from unnest(v.keywords) with ordinality as k (keyword, place)), '[]') as added
      from documents d join document_versions v on v.id = d.shown_version_id
        left join document_versions l on l.id = d.latest_version_id and l.id <> v.id and l.status_kind in ('initial', 'review')
      where d.tenant_id = tenant and v.tenant_id = tenant),
    counted as (
      update stat_records s set facts = s.facts || l.added from listed l
      where s.tenant_id = tenant and s.resource = 'document' and s.record_id = l.id
      returning s.zone_id, l.added)
    insert into stat_counts (zone_id, measure, day, key, slot, n)
    select zone_id, fact ->> 0, '-infinity', fact ->> 2, 0, count(*) from counted, jsonb_array_elements(added) fact group by 1, 2, 4;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
