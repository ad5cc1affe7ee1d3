-- A search forgives two letters that changed places and a letter too many, wherever the word stands, and similar deviations are found by
-- other words for the same thing.

-- Loads pg_trgm into a session that begins here: before, only a superuser may name a setting of it, as spelt_right() does.
do $$ begin perform show_limit(); end $$;

-- What a person may have meant by a word: two neighbouring letters in their right order, or one letter less.
create function typing_errors(word text) returns text[] language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select array(
    select distinct meant from generate_series(1, length(word)) place,
      lateral (values (left(word, place - 1) || substr(word, place + 1, 1) || substr(word, place, 1) || substr(word, place + 2)),
        (left(word, place - 1) || substr(word, place + 1))) m (meant)
    where meant <> word and length(meant) >= 4)
$$;

-- A word that matches nothing, replaced by the words that it may have been before it was mistyped, and by a similar one of the titles that
-- may be found. The replacement depends on nothing that the person may not know.
create or replace function spelt_right(word jsonb, source text) returns jsonb language plpgsql stable set search_path = pg_catalog, public, pg_temp
  set pg_trgm.word_similarity_threshold = 0.45 as $$
declare
  typed constant text := plain_words(word ->> 'text');
  most_letters constant integer := 30;
  meant text;
  candidates text[];
begin
  if length(typed) < 4 then return word; end if;
  execute format('select w from (select distinct t.w from (select i.title %s and %L <%% i.title order by i.version_id desc limit 200) near,
      regexp_split_to_table(near.title, ''[^[:alnum:]]+'') t (w) where length(t.w) > 2) all_words
    where similarity(w, %2$L) >= 0.4 order by similarity(w, %2$L) desc, w limit 1', source, typed) into meant;
  -- Codes and numbers are typed with care, and one letter less is another code.
  if typed ~ '^[[:alpha:]]+$' and length(typed) between 5 and most_letters then candidates := typing_errors(typed); end if;
  candidates := array_remove(meant || candidates, null);
  if cardinality(candidates) = 0 then return word; end if;
  return (select word || jsonb_build_object('text', coalesce(meant, word ->> 'text'), 'typed', jsonb_agg(distinct q),
      'any', string_agg(distinct format('(%s)', q), ' | '))
    from unnest(candidates) candidate, phrase_queries(candidate, false, words_configurations()) p, unnest(p.queries) q);
end $$;

-- Deviations with the rarer words of a text or with other names of what it names, with one of the items, or with a similar title: only
-- these are scored, never all there are. If many deviations have the words, the newest are taken.
-- `names`: [{typed, others: [...]}], what the text names and its other names.
create function similar_deviations(query text, query_title text, query_items text[], leave_out bigint, of_severity text, of_category text,
    names jsonb,
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
  -- Another name says a little less than the word that was typed.
  share_of_other constant real := 0.7;
  known jsonb;
  -- {lexeme, any, word, weight} of each telling word that has other names, as a text query.
  named jsonb;
  whole real;
  rare text;
  other text;
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
  select jsonb_agg(jsonb_build_object('lexeme', lexeme, 'name', name, 'any', q::text, 'weight', known -> lexeme ->> 1))
    into named
    from jsonb_array_elements(names) n,
      lateral unnest(to_tsvector('english_unaccented', n ->> 'typed')) l (lexeme),
      lateral jsonb_array_elements_text(n -> 'others') name,
      lateral phraseto_tsquery('english_unaccented', name) q
    where known ? lexeme and numnode(q) > 0;
  select string_agg(distinct format('(%s)', n ->> 'any'), ' | ') into other from jsonb_array_elements(named) n;
  if rare is not null then
    execute format('select array_agg(deviation_id) from (select deviation_id from (
        select i.deviation_id, i.words from deviation_index i where %s and words @@ %L::tsquery order by deviation_id desc limit %s) newest
      order by ts_rank(words, %L::tsquery) desc, deviation_id desc limit %s) best', condition, concat_ws(' | ', rare, other), most_expected,
      concat_ws(' | ', (select string_agg(quote_literal(lexeme), ' | ') from jsonb_object_keys(known) lexeme), other), most_ranked) into found;
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
    select i.deviation_id, coalesce(w.shared, '{}') || coalesce(o.shared, '{}'),
      least(1, (coalesce(w.sum, 0) + coalesce(o.sum, 0)) / nullif(whole, 0))::real,
      greatest(similarity(i.title, query_title), word_similarity(query_title, i.title))::real,
      array(select unnest(i.items) intersect select unnest(query_items)), i.category, i.root_cause_category
    from deviation_index i left join lateral (
        select array_agg(known -> l.lexeme ->> 0 order by (known -> l.lexeme ->> 1)::real desc) as shared,
          sum((known -> l.lexeme ->> 1)::real) as sum
        from unnest(i.words) l where known ? l.lexeme) w on true
      left join lateral (
        select array_agg(distinct name) as shared, sum(weight) as sum
        from (select distinct on (n ->> 'lexeme') n ->> 'name' as name, (n ->> 'weight')::real * share_of_other as weight
          from jsonb_array_elements(named) n
          where not n ->> 'lexeme' = any(tsvector_to_array(i.words)) and i.words @@ (n ->> 'any')::tsquery) each_name) o on true
    where i.tenant_id = tenant and i.deviation_id = any(found);
end $$;

-- A process of the release before, which runs beside this one during an upgrade, calls this one.
create or replace function similar_deviations(query text, query_title text, query_items text[], leave_out bigint, of_severity text, of_category text,
    out deviation_id bigint, out words text[], out text_score real, out title_score real, out items text[],
    out category text, out root_cause_category text)
  returns setof record language sql stable security definer set search_path = pg_catalog, public, pg_temp as
  $$ select * from similar_deviations(query, query_title, query_items, leave_out, of_severity, of_category, '[]') $$;

revoke execute on function typing_errors(text), similar_deviations(text, text, text[], bigint, text, text, jsonb) from public;
grant execute on function similar_deviations(text, text, text[], bigint, text, text, jsonb) to attest_app;
