-- Where the extension pgvector is in the database, `qms vector-index` makes an index on the signs of the model that is searched: of
-- hundreds of thousands of passages it reads some hundred. Without it all of a tenant's are read.
create function vector_index_name(of_model bigint) returns text language sql immutable set search_path = pg_catalog, public, pg_temp as
  $$ select concat('chunk_bits_near_', of_model) $$;

-- What a statement in the order of the index answers. The planner does not know how many rows the conditions leave, and would sort all; the
-- index goes on where the conditions leave out what it found (up to hnsw.max_scan_tuples).
create function nearest_by_index(statement text, most integer, out versions bigint[], out positions integer[], out distances integer[])
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set enable_sort = off set jit = off as $$
begin
  perform set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', least(most, 1000)::text, true);
  execute format('select array_agg(version_id), array_agg(position), array_agg(away) from (%s) n', statement) into versions, positions, distances;
end $$;
revoke execute on function vector_index_name(bigint), nearest_by_index(text, integer) from public;

-- The passages whose signs differ least from those asked for, about so many, of what may be found and whose content may be known; with
-- their vectors. Of many, a sample tells from which distance on a passage has no chance: most rows are read, and no more.
create or replace function nearest_passages(asked jsonb, of_model bigint, asked_bits bit varying, most integer,
    out version_id bigint, out "position" integer, out vector bytea)
  returns setof record language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set jit = off as $$
#variable_conflict use_column
declare
  tenant constant bigint := current_tenant();
  dimensions constant integer := length(asked_bits);
  most_sampled constant integer := 5000;
  -- So many of the sample are nearer than what is left out. Where few may be found it is not worth it: those alone are looked at.
  sampled_near constant integer := 10;
  may_know text := search_condition(asked) || ' and ' || content_condition(asked);
  distance text := format('bit_count(b.bits # %L::bit varying)', asked_bits);
  ours text := format('b.tenant_id = %s and b.model_id = %s', tenant, of_model);
  joined text := 'chunk_bits b join document_index i on i.tenant_id = b.tenant_id and i.version_id = b.version_id';
  -- The schema of the extension, where the index can be used.
  extension constant text := (select e.extnamespace::regnamespace from pg_extension e, pg_index x join pg_class c on c.oid = x.indexrelid
    where e.extname = 'vector' and string_to_array(substring(e.extversion from '^[0-9.]+'), '.')::integer[] >= '{0,8}' and x.indrelid = 'chunk_bits'::regclass and x.indisvalid and c.relname = vector_index_name(of_model));
  versions bigint[];
  positions integer[];
  distances integer[];
  share double precision;
  near integer;
  candidates text;
begin
  if tenant is null then return; end if;
  if extension is not null and not asked ? 'documents' then
    select * from nearest_by_index(format('select b.version_id, b.position, %s as away from %s where %s and %s
      order by b.bits::bit(%s) operator(%s.<~>) %L::bit(%5$s) limit %8$s', distance, joined, ours, may_know, dimensions, extension, asked_bits, most), most)
      into versions, positions, distances;
  end if;
  if cardinality(versions) = most then
    candidates := 'select * from unnest($5, $6, $7) n (version_id, position, away)';
  elsif not asked ? 'documents' then
    select 100.0 * most_sampled / reltuples into share from pg_class where oid = 'chunk_bits'::regclass and reltuples > 10 * most_sampled;
  end if;
  if share is not null then
    execute format('select (array_agg(away order by away) filter (where may_know))[%s] from (
        select %s as away, i.version_id is not null as may_know from (select * from chunk_bits tablesample system (%s) repeatable (1)) b
          left join document_index i on i.tenant_id = b.tenant_id and i.version_id = b.version_id and %s
        where %s) sample having count(*) filter (where may_know) > count(*) / 10', sampled_near, distance, share, may_know, ours) into near;
  end if;
  candidates := coalesce(candidates, case when near is null
    then format('select b.version_id, b.position, %s as away from %s where %s and %s offset 0', distance, joined, ours, may_know)
    else format('select b.version_id, b.position, b.away
      from (select b.version_id, b.position, %1$s as away from chunk_bits b where %2$s and %1$s <= %3$s order by 3 limit %4$s) b
        join document_index i on i.version_id = b.version_id where %5$s', distance, ours, near, 50 * most, may_know) end);
  return query execute format('
    select c.version_id, c.position, substring(v.vectors from c.position * $1 + 1 for $1)
    from (select * from (%s) c order by c.away, c.version_id, c.position limit $2) c
      join version_vectors v on v.tenant_id = $3 and v.version_id = c.version_id and v.model_id = $4', candidates)
    using dimensions, most, tenant, of_model, versions, positions, distances;
end $$;
