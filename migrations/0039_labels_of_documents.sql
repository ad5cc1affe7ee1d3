-- What a version is called, apart from its text: a text is beside its row and is unpacked to be compared, which takes a hundred times as
-- long. Who may know only what a version is called is answered from it, and lists of documents are narrowed by it.

alter table document_index add column label tsvector generated always as (ts_filter(words, '{a,b}')) stored;
create index document_index_label on document_index using gin (tenant_id, label) with (fastupdate = off);

-- What matches in a row `i`: who may know only what a version is called finds it by that alone. `content`: whose content they may know.
-- Nor does what they may not know keep it from being found.
create or replace function match_condition(words tsquery, never tsquery, content text) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select format('i.words @@ %L::tsquery', words)
    || case when content = 'true' then '' else format(' and (%s or i.label @@ %L::tsquery)', content, words) end
    || case when never is null then '' else format(' and not case when %s then i.words else i.label end @@ %L::tsquery',
      content, never) end
$$;

-- How well a text search vector answers, as the text of an expression: of each word the best place that it has, and the more the rarer
-- the word is. `words` with their `weight`, by `ranking`. Another name of a word has places of its own: SOP is in the number of each of them.
create or replace function rank_expression(words jsonb, vector text, ranking jsonb) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(string_agg(format('%s * greatest(%s)', w ->> 'weight',
    (select string_agg(format('%s * power(ts_rank(%L::real[], %s, %L::tsquery, %s), %s)', share, places, vector, q,
        ranking ->> 'normalization', ranking ->> 'power'), ', ')
      from (select '1' as share, ranking ->> 'places' as places, jsonb_array_elements_text(w -> 'typed') as q
        union all select ranking ->> 'other', ranking ->> 'other_places', jsonb_array_elements_text(w -> 'other')) each_query)), ' + '), '0')
  from jsonb_array_elements(words) w
$$;

-- How many rows a condition on words holds for, and the newest of them: by the index on words, whatever the planner thinks of the others,
-- which unpack each row.
create function count_found(source text, condition text, most integer, out total bigint, out newest bigint[]) language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = off set jit = off as $$
begin
  execute format('select count(*), coalesce((array_agg(i.version_id order by i.version_id desc))[1:%s], ''{}'') %s and %s', most, source, condition)
    into total, newest;
end $$;
revoke execute on function count_found(text, text, integer) from public;

-- {words, exact, never, total, found: [[version_id, score, is_exact, is_number, may_know]]}. `total` counts what has all words (is_exact), of
-- which the newest are ranked. Where few have all, what has some of them is found too. Of `near` those are found that hold what must hold.
-- To compare the words of a row, they are read from beside it and unpacked, which the planner does not know: it would read all rows.
create or replace function search_texts(asked jsonb, query jsonb, near bigint[], ranking jsonb) returns jsonb
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
    select f.total, f.newest from count_found(source, match_condition(exact, never, content), most) f into total, exactly;
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
      from (select i.version_id, %s as may_know, case when %2$s then i.words || '''' else i.label end as vector
        %s and i.version_id = any($1) offset 0) f
      where version_id = any($3) or %s offset 0) s',
    rank_expression(words, 'vector', ranking), content, source, concat_ws(' and ', 'true',
      case when must is not null then format('vector @@ %L::tsquery', must) end, case when never is not null then format('not vector @@ %L::tsquery', never) end))
    into found using exactly || partly || numbered || near, exact, numbered;
  return jsonb_build_object('words', words, 'exact', exact::text, 'never', never::text, 'total', total, 'found', coalesce(found, '[]'));
end $$;

-- What a list of documents is filtered by: those whose shown version has the text in its title or number, or the words of it, the last of
-- which may be the beginning of one, together in its description or keywords.
create or replace function find_documents(q text) returns setof bigint language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan set client_min_messages = warning
  set cpu_operator_cost = 0.1 set jit = off as $$
declare
  -- Calculated once: in the statement they would be for each row.
  tenant constant bigint := current_tenant();
  somewhere constant text := '%' || regexp_replace(q, '([\\%_])', '\\\1', 'g') || '%';
  in_title constant text := plain_words(somewhere);
  phrase constant text := phraseto_tsquery('simple_unaccented', search_text(q))::text;
  together constant tsquery := regexp_replace(regexp_replace(phrase, '''(?= |$)', ''':B', 'g'), ':B$', ':*B')::tsquery;
begin
  return query select document_id from document_index
    where tenant_id = tenant and is_shown and (title like in_title or number ilike somewhere or label @@ together);
end $$;
