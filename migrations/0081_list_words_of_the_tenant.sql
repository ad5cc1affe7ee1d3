-- The filter of document lists finds keywords and descriptions by words of which the last may be the beginning of one. In an index on the words
-- of all tenants, the words with a beginning are those of all tenants, and collecting them took longer than everything else that a small tenant's
-- list does. Here each word has its tenant before it, so that those with a beginning are the tenant's own.

-- B: keywords and description, as label_words() says it; number and title are found by any part of them.
create function own_words(tenant bigint, label tsvector) returns tsvector language sql immutable parallel safe set search_path = pg_catalog, pg_temp as
  $$ select array_to_tsvector(array(select tenant || '/' || lexeme from unnest(ts_filter(label, '{b}')))) $$;
revoke execute on function own_words(bigint, tsvector) from public;
grant execute on function own_words(bigint, tsvector) to attest_app;

create index document_index_own_words on document_index using gin (own_words(tenant_id, label)) with (fastupdate = off);

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
  -- The same words with the tenant before each. They have no places: whether they follow each other is looked at in the rows, and
  -- not in the index on labels, which `|| ''` keeps out.
  own constant tsquery := regexp_replace(regexp_replace(regexp_replace(phrase, '(^| )''', '\1''' || tenant || '/', 'g'), ' <[-\d]+> ', ' & ', 'g'),
    '''$', ''':*')::tsquery;
begin
  -- Two statements: as one condition, the planner combines indexes of which some are read for all tenants. A document may be answered twice.
  return query select document_id from document_index
    where tenant_id = tenant and is_shown and (title like in_title or number ilike somewhere or legacy_number ilike somewhere);
  return query select document_id from document_index
    where tenant_id = tenant and is_shown and own_words(tenant_id, label) @@ own and (label || '') @@ together;
end $$;
