-- Search. The functions have the rights of the owner, because row security switches off the index conditions of a text search. Each of
-- them searches for the tenant of the transaction only.

-- Loads pg_trgm into a session that begins here: before, only a superuser may name a setting of it, as spelt_right() does.
do $$ begin perform show_limit(); end $$;

-- Deviations with all these words, each of which may be the beginning of a word; "quoted", or, -not. Used as `id =
-- any(array(select find_deviations(...)))`, it runs once, and the ids are looked up in the order of an index.
create function find_deviations(query text) returns setof bigint
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  asked tsquery := regexp_replace(websearch_to_tsquery('english_unaccented', query)::text, '''(?=[ )]|$)', ''':*', 'g')::tsquery;
begin
  return query select deviation_id from deviation_index where tenant_id = current_tenant() and words @@ asked;
end $$;

-- The words of a text that distinguish it, as they are written and as they are indexed, each with the share of deviations that have it. The
-- last ANALYZE counted the frequent words; all others are rarer than those.
create function telling_words(query text, out word text, out lexeme text, out share real) returns setof record
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with counted as (
      select c.lexeme, c.share from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) c (lexeme, share)
      where schemaname = 'public' and tablename = 'deviation_index' and attname = 'words' and c.lexeme is not null),
    least as (select coalesce(min(c.share), 0.001) / 2 as share from counted c)
  select distinct on (l.lexeme) lower(t.token), l.lexeme, coalesce(c.share, least.share)
  from (select distinct p.token from ts_parse('default', query) p where p.tokid not in (12, 13, 14)) t
    cross join lateral unnest(to_tsvector('english_unaccented', t.token)) l
    cross join least left join counted c using (lexeme)
  order by l.lexeme, length(t.token)
$$;

-- Deviations with the rarer words of a text, with one of the items, or with a similar title: only these are scored, never all there are.
-- If many deviations have the words, the newest are taken.
create function similar_deviations(query text, query_title text, query_items text[], leave_out bigint, of_severity text, of_category text,
    out deviation_id bigint, out words text[], out text_score real, out title_score real, out items text[],
    out category text, out root_cause_category text)
  returns setof record language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  tenant constant bigint := current_tenant();
  most_expected constant integer := 1000;
  most_ranked constant integer := 200;
  few_found constant integer := 10;
  known jsonb;
  whole real;
  rare text;
  found bigint[];
  condition text := format('tenant_id = %s and deviation_id <> %s', tenant, coalesce(leave_out, 0))
    || coalesce(' and severity = ' || quote_literal(of_severity), '') || coalesce(' and category = ' || quote_literal(of_category), '');
begin
  if tenant is null then return; end if;
  with asked as (select * from telling_words(query) order by share, lexeme limit 40),
    running as (select *, sum(share) over (order by share, lexeme) as together from asked)
  select jsonb_object_agg(lexeme, jsonb_build_array(word, ln(1 + 1 / share))), sum(ln(1 + 1 / share)),
    string_agg(quote_literal(lexeme), ' | ') filter (
      where together * (select greatest(reltuples, 1) from pg_class where oid = 'deviation_index'::regclass) <= most_expected)
    into known, whole, rare from running;
  -- All deviations have these words: any of them will do.
  if rare is null then select string_agg(quote_literal(lexeme), ' | ') into rare from jsonb_object_keys(known) lexeme; end if;
  if rare is not null then
    execute format('select array_agg(deviation_id) from (select deviation_id from (
        select i.deviation_id, i.words from deviation_index i where %s and words @@ %L::tsquery order by deviation_id desc limit %s) newest
      order by ts_rank(words, %L::tsquery) desc, deviation_id desc limit %s) best', condition, rare, most_expected,
      (select string_agg(quote_literal(lexeme), ' | ') from jsonb_object_keys(known) lexeme), most_ranked) into found;
  end if;
  if cardinality(query_items) > 0 then
    execute format('select $1 || array(select deviation_id from deviation_index where %s and items && %L::text[]
      order by deviation_id desc limit %s)', condition, query_items, most_ranked) into found using coalesce(found, '{}');
  end if;
  -- Another spelling, or words of no other deviation.
  if coalesce(cardinality(found), 0) < few_found then
    execute format('select $1 || array(select t.deviation_id
      from (select distinct word from regexp_split_to_table(%L, ''[^[:alnum:]]+'') word where length(word) > 3 limit 8) asked,
        lateral (select deviation_id from deviation_index where %s and word <%% title limit %s) t)',
      left(query_title, 200), condition, few_found * 4) into found using coalesce(found, '{}');
  end if;
  return query
    select i.deviation_id, coalesce(w.shared, '{}'), coalesce(w.sum / nullif(whole, 0), 0)::real,
      greatest(similarity(i.title, query_title), word_similarity(query_title, i.title))::real,
      array(select unnest(i.items) intersect select unnest(query_items)), i.category, i.root_cause_category
    from deviation_index i left join lateral (
        select array_agg(known -> l.lexeme ->> 0 order by (known -> l.lexeme ->> 1)::real desc) as shared,
          sum((known -> l.lexeme ->> 1)::real) as sum
        from unnest(i.words) l where known ? l.lexeme) w on true
    where i.tenant_id = tenant and i.deviation_id = any(found);
end $$;

-- The condition, as text, that selects the rows `i` of document_index that a person may find. `asked` holds what the person may read
-- (`kinds` of states, `user_id` for own documents in any state) and the filters; all values are quoted here. With `documents`: the
-- shown version of each; with `status`: any version in it; with neither: effective versions.
create function search_condition(asked jsonb) returns text
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select format('i.tenant_id = %s and (i.status_kind = any(%L::text[]) or i.owner_id = %s or i.created_by = %3$s)',
      coalesce(current_tenant(), 0), array(select jsonb_array_elements_text(asked -> 'kinds')), coalesce((asked ->> 'user_id')::bigint, 0))
    || case when asked ? 'documents' then format(' and i.is_shown and i.document_id = any(%L::bigint[])', array(select jsonb_array_elements_text(asked -> 'documents')))
      when not asked ? 'status' then ' and i.status_kind = ''effective''' else '' end
    || case when asked ? 'status' then format(' and i.status = any(%L::text[])', array(select jsonb_array_elements_text(asked -> 'status'))) else '' end
    || case when asked ? 'document_type' then format(' and i.document_type_id = any(%L::bigint[])', array(select jsonb_array_elements_text(asked -> 'document_type'))) else '' end
    || case when asked ? 'category' then format(' and i.category = any(%L::text[])', array(select jsonb_array_elements_text(asked -> 'category'))) else '' end
    || case when asked ? 'date_from' then format(' and i.listed_on >= %L::date', asked ->> 'date_from') else '' end
    || case when asked ? 'date_to' then format(' and i.listed_on <= %L::date', asked ->> 'date_to') else '' end
$$;
-- True for rows `i` whose content the person may know, and not only the label. `drafts` says that the person holds documents.read_drafts,
-- `trained` are the restricted documents on which the person is trained or is being trained.
create function content_condition(asked jsonb) returns text
  language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select case when (asked ->> 'drafts')::boolean then 'true' else
    format('(not i.is_restricted or i.owner_id = %s or i.created_by = %1$s or i.document_id = any(%L::bigint[]))',
      coalesce((asked ->> 'user_id')::bigint, 0), array(select jsonb_array_elements_text(asked -> 'trained'))) end
$$;

-- The text search configurations of a tenant's languages.
create function words_configurations() returns regconfig[] language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with recursive languages as (
    (select language from document_texts where tenant_id = (select current_tenant()) and language is not null order by language limit 1)
    union all
    select (select t.language from document_texts t where t.tenant_id = (select current_tenant()) and t.language > l.language
      order by t.language limit 1) from languages l where l.language is not null)
  select array(select distinct words_configuration(language) from (select 'eng' as language union all select language from languages) l
    where language is not null and words_configuration(language) <> 'simple_unaccented'::regconfig)
$$;

-- A word or a phrase as the index has it: as it stands, and by its stems. A stem that leaves out words of a phrase is not used: `out of
-- specification` is not `specification`. `is_stop`: some language does not index the word.
create function phrase_queries(phrase text, is_prefix boolean, configurations regconfig[], out queries tsquery[], out is_stop boolean)
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set client_min_messages = warning as $$
declare
  plain constant text := search_text(phrase);
  whole constant tsquery := phraseto_tsquery('simple_unaccented', plain);
  stemmed tsquery;
  configuration regconfig;
begin
  queries := '{}';
  is_stop := false;
  if numnode(whole) = 0 then return; end if;
  if is_prefix then
    queries := array[regexp_replace(whole::text, '''$', ''':*')::tsquery];
    return;
  end if;
  queries := array[whole];
  foreach configuration in array configurations loop
    stemmed := phraseto_tsquery(configuration, plain);
    if numnode(stemmed) = 0 then is_stop := true;
    elsif numnode(stemmed) = numnode(whole) and not stemmed = any(queries) then queries := queries || stemmed;
    end if;
  end loop;
end $$;

-- The typed query as the index can be searched: every result has `must` and nothing of `never`; `words` are ranked, `typed` before `other`
-- names of the same, and an exact result has all words with `is_asked`.
-- `query`: {terms: [{kind: word|phrase|not, any: [{text, is_prefix, is_other}]}]}.
create function search_terms(query jsonb, out must tsquery, out never tsquery, out words jsonb) language plpgsql stable
  set search_path = pg_catalog, public, pg_temp as $$
declare
  configurations constant regconfig[] := words_configurations();
  term jsonb;
  typed tsquery[];
  other tsquery[];
  any_stop boolean;
  either tsquery;
begin
  words := '[]';
  for term in select jsonb_array_elements(query -> 'terms') loop
    select array_agg(distinct q) filter (where not coalesce((a -> 'is_other')::boolean, false)),
      array_agg(distinct q) filter (where (a -> 'is_other')::boolean), coalesce(bool_or(p.is_stop), false) into typed, other, any_stop
    from jsonb_array_elements(term -> 'any') a,
      phrase_queries(a ->> 'text', coalesce((a -> 'is_prefix')::boolean, false), configurations) p, unnest(p.queries) q;
    continue when typed is null and other is null;
    either := (select string_agg(format('(%s)', q), ' | ')::tsquery from unnest(typed || other) q);
    if term ->> 'kind' = 'not' then never := coalesce(never || either, either); continue; end if;
    if term ->> 'kind' = 'phrase' then must := coalesce(must && either, either); end if;
    words := words || jsonb_build_object('any', either, 'typed', coalesce(typed, '{}'), 'other', coalesce(other, '{}'), 'is_asked', not any_stop or term ->> 'kind' = 'phrase',
      'text', term #>> '{any,0,text}', 'can_be_mistyped', term ->> 'kind' = 'word' and jsonb_array_length(term -> 'any') = 1
        and not coalesce((term #>> '{any,0,is_prefix}')::boolean, false));
  end loop;
  -- Only stop words: then they count.
  if not jsonb_path_exists(words, '$[*] ? (@.is_asked == true)') then
    words := (select coalesce(jsonb_agg(w || '{"is_asked": true}'), '[]') from jsonb_array_elements(words) w);
  end if;
end $$;

-- The rank of a tsvector, as the text of an expression: for each word its best position, weighted by how rare the word is. `words` with
-- their `weight`, by `ranking`. Another name of a word has weights of its own, because SOP is in the number of every SOP. Each number is
-- cast: as text it could be any expression, and the callers read with the rights of the owner.
create function rank_expression(words jsonb, vector text, ranking jsonb) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(string_agg(format('%s * greatest(%s)', (w ->> 'weight')::double precision,
    (select string_agg(format('%s * power(ts_rank(%L::real[], %s, %L::tsquery, %s), %s)', share, places, vector, q,
        (ranking ->> 'normalization')::integer, (ranking ->> 'power')::double precision), ', ')
      from (select 1::double precision as share, ranking ->> 'places' as places, jsonb_array_elements_text(w -> 'typed') as q
        union all select (ranking ->> 'other')::double precision, ranking ->> 'other_places', jsonb_array_elements_text(w -> 'other')) each_query)), ' + '), '0')
  from jsonb_array_elements(words) w
$$;

-- The match of a row `i`, as the text of a condition. A person who may know only the label finds a row by its label only, and hidden
-- content does not exclude it either. `content`: whose content the person may know.
create function match_condition(words tsquery, never tsquery, content text) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select format('i.words @@ %L::tsquery', words)
    || case when content = 'true' then '' else format(' and (%s or i.label @@ %L::tsquery)', content, words) end
    || case when never is null then '' else format(' and not case when %s then i.words else i.label end @@ %L::tsquery',
      content, never) end
$$;

-- A word that matches nothing, replaced by a similar one of the titles that may be found.
create function spelt_right(word jsonb, source text) returns jsonb language plpgsql stable set search_path = pg_catalog, public, pg_temp
  set pg_trgm.word_similarity_threshold = 0.45 as $$
declare
  typed constant text := plain_words(word ->> 'text');
  meant text;
begin
  if length(typed) < 4 then return word; end if;
  execute format('select w from (select distinct t.w from (select i.title %s and %L <%% i.title order by i.version_id desc limit 200) near,
      regexp_split_to_table(near.title, ''[^[:alnum:]]+'') t (w) where length(t.w) > 2) all_words
    where similarity(w, %2$L) >= 0.4 order by similarity(w, %2$L) desc, w limit 1', source, typed) into meant;
  if meant is null then return word; end if;
  return (select word || jsonb_build_object('text', meant, 'typed', p.queries,
      'any', (select string_agg(format('(%s)', q), ' | ') from unnest(p.queries) q))
    from phrase_queries(meant, false, words_configurations()) p);
end $$;

-- How many rows match a condition on words, and the newest of them. By the index on words, whatever the planner prefers: any other way
-- unpacks each row.
create function count_found(source text, condition text, most integer, out total bigint, out newest bigint[]) language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = off set jit = off as $$
begin
  execute format('select count(*), coalesce((array_agg(i.version_id order by i.version_id desc))[1:%s], ''{}'') %s and %s', most, source, condition)
    into total, newest;
end $$;

-- {words, exact, never, total, found: [[version_id, score, is_exact, is_number, may_know]]}. `total` counts the rows with all words
-- (is_exact), of which the newest are ranked. If few rows have all words, rows with some of them are found too. Rows of `near` must
-- have what every result must have. The words of a row are stored beside it and unpacked for a comparison: without a higher
-- cpu_operator_cost the planner, which does not know this, would read all rows.
create function search_texts(asked jsonb, query jsonb, near bigint[], ranking jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set cpu_operator_cost = 0.1 set jit = off as $$
#variable_conflict use_variable
declare
  most constant integer := ranking ->> 'most';
  content constant text := content_condition(asked);
  source constant text := format('from document_index i where %s', search_condition(asked));
  newest constant text := 'select array(select i.version_id %s and %s order by i.version_id desc limit %s)';
  must tsquery;
  never tsquery;
  words jsonb;
  exact tsquery;
  total bigint := 0;
  numbered bigint[] := '{}';
  exactly bigint[] := '{}';
  partly bigint[] := '{}';
  some_found bigint[];
  everything integer;
  word jsonb;
  weighed jsonb := '[]';
  found jsonb;
begin
  if current_tenant() is null then return null; end if;
  select t.must, t.never, t.words into must, never, words from search_terms(query) t;
  if query ? 'number' then
    execute format(newest, source, format('plain_number(i.number) = %L', plain_number(query ->> 'number')), 20) into numbered;
  end if;

  -- How rare each word is among the rows that may be found. A single word is only looked for, because its weight changes no order.
  execute format('select count(*) from (select %s limit %s) n', source, most * 4) into everything;
  for word in select jsonb_array_elements(words) loop
    for attempt in 1 .. 2 loop
      execute format('select count(*) from (select %s and %s limit %s) n', source, match_condition((word ->> 'any')::tsquery, never, content),
        case jsonb_array_length(words) when 1 then 1 else most end) into total;
      exit when total > 0 or not (word ->> 'can_be_mistyped')::boolean;
      word := spelt_right(word, source);
    end loop;
    weighed := weighed || (word || jsonb_build_object('found', total, 'weight', ln(1 + everything / (total + 0.5))));
  end loop;
  words := weighed;
  total := 0;

  exact := (select string_agg(format('(%s)', w ->> 'any'), ' & ')::tsquery from jsonb_array_elements(words) w
    where (w ->> 'is_asked')::boolean);
  if exact is not null then
    exact := coalesce(exact && must, exact);
    select f.total, f.newest from count_found(source, match_condition(exact, never, content), most) f into total, exactly;
    -- The rarest words first: those beyond the limit distinguish least.
    if total < (ranking ->> 'few')::integer then
      for word in select w from jsonb_array_elements(words) w where (w ->> 'found')::integer > 0
          order by (w ->> 'weight')::real desc limit (ranking ->> 'most_words')::integer loop
        execute format(newest, source, match_condition(coalesce((word ->> 'any')::tsquery && must, (word ->> 'any')::tsquery), never, content),
          (ranking ->> 'most_of_word')::integer) into some_found;
        partly := partly || some_found;
      end loop;
    end if;
  end if;

  execute format('
    select jsonb_agg(jsonb_build_array(version_id, round(score::numeric, 6), is_exact, is_number, may_know)
      order by is_number desc, score desc, version_id desc)
    from (select version_id, may_know, coalesce(vector @@ $2, false) as is_exact, version_id = any($3) as is_number, %s as score
      from (select i.version_id, %s as may_know, case when %2$s then i.words || '''' else i.label end as vector
        %s and i.version_id = any($1) offset 0) f
      where version_id = any($3) or %s offset 0) s',
    rank_expression(words, 'vector', ranking), content, source, concat_ws(' and ', 'true',
      case when must is not null then format('vector @@ %L::tsquery', must) end, case when never is not null then format('not vector @@ %L::tsquery', never) end))
    into found using exactly || partly || numbered || near, exact, numbered;
  return jsonb_build_object('words', words, 'exact', exact::text, 'never', never::text, 'total', total, 'found', coalesce(found, '[]'));
end $$;

-- Rows with all words, behind those that were ranked, the newest first.
create function search_more(asked jsonb, exact text, never text, leave_out bigint[], skip bigint, take integer)
  returns table (version_id bigint, may_know boolean)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set cpu_operator_cost = 0.1 set jit = off as $$
declare
  content constant text := content_condition(asked);
begin
  if current_tenant() is null then return; end if;
  return query execute format('select i.version_id, %s from document_index i where %s and %s and not i.version_id = any($1)
    order by i.version_id desc limit $2 offset $3', content, search_condition(asked), match_condition(exact::tsquery, never::tsquery, content))
    using leave_out, take, skip;
end $$;

-- The best passages of these versions, a few of each, where the person may know the content.
create function search_pieces(asked jsonb, words jsonb, ranking jsonb, versions bigint[], most_of_version integer)
  returns table (version_id bigint, "position" integer, score real)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  telling constant tsquery := (select string_agg(format('(%s)', w ->> 'any'), ' | ')::tsquery from jsonb_array_elements(words) w);
begin
  if current_tenant() is null or telling is null then return; end if;
  return query execute format('
    select i.version_id, c.position, c.score
    from document_index i cross join lateral (
      select p.position, (%s)::real as score
      from (select position, words || '''' as vector from document_chunks
        where tenant_id = i.tenant_id and version_id = i.version_id and words @@ $1 order by position limit 2000) p
      order by 2 desc, 1 limit $2) c
    where %s and %s and i.version_id = any($3)
    order by c.score desc, i.version_id desc, c.position',
    rank_expression(words, 'p.vector', ranking), search_condition(asked), content_condition(asked)) using telling, most_of_version, versions;
end $$;

-- The filter of document lists: documents whose shown version has the text in its title or number, or the words together in its description
-- or keywords; the last word may be the beginning of one.
create function find_documents(q text) returns setof bigint language plpgsql stable security definer
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
    where tenant_id = tenant and is_shown and (title like in_title or number ilike somewhere or label @@ together);
end $$;

-- The documents in `asked` with their shown version, and whether the person may know its content: the assistant reads by the same
-- conditions as a search.
create function known_documents(asked jsonb, out document_id bigint, out number text, out version_id bigint, out may_know boolean)
  returns setof record language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_tenant() is null or not asked ? 'documents' then return; end if;
  return query execute format('select i.document_id, i.number, i.version_id, %s from document_index i where %s order by i.document_id',
    content_condition(asked), search_condition(asked));
end $$;

-- If the extension pgvector is installed, `qms vector-index` makes an index on the signs of the searched model. A query then reads some
-- hundred passages instead of all those of a tenant.
create function vector_index_name(of_model bigint) returns text language sql immutable set search_path = pg_catalog, public, pg_temp as
  $$ select concat('chunk_bits_near_', of_model) $$;

-- The result of a statement in the order of that index. The planner does not know how many rows the conditions leave, and would sort all of
-- them; the index continues where the conditions exclude rows that it found (up to hnsw.max_scan_tuples).
create function nearest_by_index(statement text, most integer, out versions bigint[], out positions integer[], out distances integer[])
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set enable_sort = off set jit = off as $$
begin
  perform set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', least(most, 1000)::text, true);
  execute format('select array_agg(version_id), array_agg(position), array_agg(away) from (%s) n', statement) into versions, positions, distances;
end $$;

-- The passages, with their vectors, whose signs differ least from those of the query, about `most` of them, among those that may be found
-- and whose content may be known. For many passages, a sample gives the distance beyond which a passage has no chance, so that most rows
-- are only read.
create function nearest_passages(asked jsonb, of_model bigint, asked_bits bit varying, most integer,
    out version_id bigint, out "position" integer, out vector bytea)
  returns setof record language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set jit = off as $$
#variable_conflict use_column
declare
  tenant constant bigint := current_tenant();
  dimensions constant integer := length(asked_bits);
  most_sampled constant integer := 5000;
  -- This many of the sample are nearer than the excluded passages. Where few passages may be found, all of them are compared instead.
  sampled_near constant integer := 10;
  may_know text := search_condition(asked) || ' and ' || content_condition(asked);
  distance text := format('bit_count(b.bits # %L::bit varying)', asked_bits);
  ours text := format('b.tenant_id = %s and b.model_id = %s', tenant, of_model);
  joined text := 'chunk_bits b join document_index i on i.tenant_id = b.tenant_id and i.version_id = b.version_id';
  -- The schema of the extension, if the index can be used.
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

revoke execute on function find_deviations(text), telling_words(text), similar_deviations(text, text, text[], bigint, text, text),
  search_condition(jsonb), content_condition(jsonb), words_configurations(), phrase_queries(text, boolean, regconfig[]), search_terms(jsonb),
  rank_expression(jsonb, text, jsonb), match_condition(tsquery, tsquery, text), spelt_right(jsonb, text), count_found(text, text, integer),
  search_texts(jsonb, jsonb, bigint[], jsonb), search_more(jsonb, text, text, bigint[], bigint, integer),
  search_pieces(jsonb, jsonb, jsonb, bigint[], integer), find_documents(text), known_documents(jsonb), vector_index_name(bigint),
  nearest_by_index(text, integer), nearest_passages(jsonb, bigint, bit varying, integer) from public;
grant execute on function find_deviations(text), similar_deviations(text, text, text[], bigint, text, text),
  search_texts(jsonb, jsonb, bigint[], jsonb), search_more(jsonb, text, text, bigint[], bigint, integer),
  search_pieces(jsonb, jsonb, jsonb, bigint[], integer), find_documents(text), known_documents(jsonb),
  nearest_passages(jsonb, bigint, bit varying, integer) to attest_app;
