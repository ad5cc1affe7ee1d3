-- Searching. The functions have the rights of the owner, because row security switches off the index conditions of a text search; each
-- reads for the tenant of the transaction alone, by `search_condition` and `content_condition`.

-- A number however it is typed: SOP-0012, sop 12 and SOP0012 are sop-12.
create function plain_number(text) returns text language sql immutable parallel safe set search_path = pg_catalog, public, pg_temp as $$
  select btrim(regexp_replace(regexp_replace(regexp_replace(lower($1), '[^[:alnum:]]+', '-', 'g'),
    '([[:alpha:]])(?=[0-9])|([0-9])(?=[[:alpha:]])', '\1\2-', 'g'), '(^|-)0+(?=[0-9])', '\1', 'g'), '-') $$;
create index document_index_number on document_index (tenant_id, plain_number(number));
-- Which languages there are is read from it without the rows.
create index document_texts_language on document_texts (tenant_id, language);

-- The configurations by which the words of a tenant are read.
create function words_configurations() returns regconfig[] language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with recursive languages as (
    (select language from document_texts where tenant_id = (select current_tenant()) and language is not null order by language limit 1)
    union all
    select (select t.language from document_texts t where t.tenant_id = (select current_tenant()) and t.language > l.language
      order by t.language limit 1) from languages l where l.language is not null)
  select array(select distinct words_configuration(language) from (select 'eng' as language union all select language from languages) l
    where language is not null and words_configuration(language) <> 'simple_unaccented'::regconfig)
$$;

-- A word or a phrase as the index has it: as it stands, and by its stems. A stem that leaves words of a phrase out is none: `out of
-- specification` is not `specification`. `is_stop`: a word that some language does not count as one.
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

-- What was typed, as the index can be asked: whatever is found has `must` and nothing of `never`; `words` are ranked, `typed` before
-- `other` names of the same, and of those that are `is_asked` what is found exactly has all.
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
  -- Nothing but words that languages do not count.
  if not jsonb_path_exists(words, '$[*] ? (@.is_asked == true)') then
    words := (select coalesce(jsonb_agg(w || '{"is_asked": true}'), '[]') from jsonb_array_elements(words) w);
  end if;
end $$;

-- How well a text search vector answers, as the text of an expression: of each word the best place that it has, and the more the rarer
-- the word is. `words` with their `weight`, by `ranking`.
create function rank_expression(words jsonb, vector text, ranking jsonb) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(string_agg(format('%s * greatest(%s)', w ->> 'weight',
    (select string_agg(format('%s * power(ts_rank(%L::real[], %s, %L::tsquery, %s), %s)', share, ranking ->> 'places', vector, q,
        ranking ->> 'normalization', ranking ->> 'power'), ', ')
      from (select '1' as share, jsonb_array_elements_text(w -> 'typed') as q
        union all select ranking ->> 'other', jsonb_array_elements_text(w -> 'other')) each_query)), ' + '), '0')
  from jsonb_array_elements(words) w
$$;

-- What matches in a row `i`: who may know only what a version is called finds it by that alone. `content`: whose content they may know.
-- Nor does what they may not know keep it from being found.
create function match_condition(words tsquery, never tsquery, content text) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select format('i.words @@ %L::tsquery', words)
    || case when content = 'true' then '' else format(' and (%s or ts_filter(i.words, ''{a,b}'') @@ %L::tsquery)', content, words) end
    || case when never is null then '' else format(' and not case when %s then i.words else ts_filter(i.words, ''{a,b}'') end @@ %L::tsquery',
      content, never) end
$$;

-- A word that nothing says, as the titles that may be found spell one almost like it.
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

-- {words, exact, never, total, found: [[version_id, score, is_exact, is_number, may_know]]}. `total` counts what has all words (is_exact), of
-- which the newest are ranked. Where few have all, what has some of them is found too. Of `near` those are found that hold what must hold.
-- To compare the words of a row, they are read from beside it and unpacked, which the planner does not know: it would read all rows.
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

  -- How rare each word is among what may be found, as far as it matters: of one alone, whether it is there.
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
    execute format('select count(*), coalesce((array_agg(i.version_id order by i.version_id desc))[1:%s], ''{}'') %s and %s', most, source,
      match_condition(exact, never, content)) into total, exactly;
    -- The rarest words first: those that are passed over tell least.
    if total < (ranking ->> 'few')::integer then
      for word in select w from jsonb_array_elements(words) w where (w ->> 'found')::integer > 0
          order by (w ->> 'weight')::real desc limit (ranking ->> 'most_words')::integer loop
        execute format(newest, source, match_condition(coalesce((word ->> 'any')::tsquery && must, (word ->> 'any')::tsquery), never, content),
          ranking ->> 'most_of_word') into some_found;
        partly := partly || some_found;
      end loop;
    end if;
  end if;

  execute format('
    select jsonb_agg(jsonb_build_array(version_id, round(score::numeric, 6), is_exact, is_number, may_know)
      order by is_number desc, score desc, version_id desc)
    from (select version_id, may_know, coalesce(vector @@ $2, false) as is_exact, version_id = any($3) as is_number, %s as score
      from (select i.version_id, %s as may_know, case when %2$s then i.words || '''' else ts_filter(i.words, ''{a,b}'') end as vector
        %s and i.version_id = any($1) offset 0) f
      where version_id = any($3) or %s) s',
    rank_expression(words, 'vector', ranking), content, source, concat_ws(' and ', 'true',
      case when must is not null then format('vector @@ %L::tsquery', must) end, case when never is not null then format('not vector @@ %L::tsquery', never) end))
    into found using exactly || partly || numbered || near, exact, numbered;
  return jsonb_build_object('words', words, 'exact', exact::text, 'never', never::text, 'total', total, 'found', coalesce(found, '[]'));
end $$;

-- What has all words, behind those that were ranked: the newest first.
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

-- The pieces of these versions that answer best, a few of each: of those alone whose content may be known.
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

-- What a list of documents is filtered by: those whose shown version has the text in its title or number, or the words of it, the last of
-- which may be the beginning of one, together in its description or keywords.
create index document_index_number_parts on document_index using gin (tenant_id, number gin_trgm_ops) with (fastupdate = off);
create function find_documents(q text) returns setof bigint language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan set client_min_messages = warning
  set cpu_operator_cost = 0.1 set jit = off as $$
declare
  somewhere constant text := '%' || regexp_replace(q, '([\\%_])', '\\\1', 'g') || '%';
  phrase constant text := phraseto_tsquery('simple_unaccented', search_text(q))::text;
  together constant tsquery := regexp_replace(regexp_replace(phrase, '''(?= |$)', ''':B', 'g'), ':B$', ':*B')::tsquery;
begin
  return query
    select document_id from document_index where tenant_id = current_tenant() and is_shown and title like plain_words(somewhere)
    union select document_id from document_index where tenant_id = current_tenant() and is_shown and number ilike somewhere
    union select document_id from document_index where tenant_id = current_tenant() and is_shown and words @@ together;
end $$;

revoke execute on function plain_number(text), words_configurations(), phrase_queries(text, boolean, regconfig[]), search_terms(jsonb),
  rank_expression(jsonb, text, jsonb), match_condition(tsquery, tsquery, text), spelt_right(jsonb, text), search_texts(jsonb, jsonb, bigint[], jsonb),
  search_more(jsonb, text, text, bigint[], bigint, integer), search_pieces(jsonb, jsonb, jsonb, bigint[], integer), find_documents(text) from public;
grant execute on function search_texts(jsonb, jsonb, bigint[], jsonb), search_more(jsonb, text, text, bigint[], bigint, integer),
  search_pieces(jsonb, jsonb, jsonb, bigint[], integer), find_documents(text) to attest_app;
