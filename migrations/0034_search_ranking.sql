-- Other names of a thing count in titles as they do in texts, stop words of any language hardly count, and the words of a name that is
-- typed count where they stand apart as well. Similar deviations
-- are also found by meaning, where a model that knows it is installed.

-- The typed query as the index can be searched: every result has `must` and nothing of `never`; `words` are ranked, `typed` before `other`
-- names of the same, and an exact result has all words with `is_asked`. `share` names the number of `ranking` by which a word counts less.
-- `query`: {terms: [{kind: word|phrase|not, is_part, any: [{text, is_prefix, is_other}]}]}.
create or replace function search_terms(query jsonb, out must tsquery, out never tsquery, out words jsonb) language plpgsql stable
  set search_path = pg_catalog, public, pg_temp as $$
declare
  configurations constant regconfig[] := words_configurations();
  -- SOP is in the number of every SOP, so as another name of `procedure` it tells nothing about one of them.
  prefixes constant text[] := array(select lower(prefix) from document_types where tenant_id = current_tenant());
  term jsonb;
  is_part boolean;
  typed tsquery[];
  other tsquery[];
  prefix tsquery[];
  any_stop boolean;
  either tsquery;
begin
  words := '[]';
  for term in select jsonb_array_elements(query -> 'terms') loop
    select array_agg(distinct q) filter (where not is_other), array_agg(distinct q) filter (where is_other and not is_prefix),
      array_agg(distinct q) filter (where is_other and is_prefix), coalesce(bool_or(is_stop), false) into typed, other, prefix, any_stop
    from (select q, p.is_stop, coalesce((a -> 'is_other')::boolean, false) as is_other, lower(a ->> 'text') = any(prefixes) as is_prefix
      from jsonb_array_elements(term -> 'any') a,
        phrase_queries(a ->> 'text', coalesce((a -> 'is_prefix')::boolean, false), configurations) p, unnest(p.queries) q) each_query;
    continue when typed is null and other is null and prefix is null;
    either := (select string_agg(format('(%s)', q), ' | ')::tsquery from unnest(typed || other || prefix) q);
    if term ->> 'kind' = 'not' then never := coalesce(never || either, either); continue; end if;
    if term ->> 'kind' = 'phrase' then must := coalesce(must && either, either); end if;
    is_part := coalesce((term -> 'is_part')::boolean, false);
    words := words || jsonb_build_object('any', either, 'typed', coalesce(typed, '{}'), 'other', coalesce(other, '{}'), 'prefix', coalesce(prefix, '{}'),
      'is_asked', term ->> 'kind' = 'phrase' or not (any_stop or is_part), 'share', case when any_stop then 'stop' when is_part then 'part' end,
      'text', term #>> '{any,0,text}', 'can_be_mistyped', term ->> 'kind' = 'word' and not is_part and jsonb_array_length(term -> 'any') = 1
        and not coalesce((term #>> '{any,0,is_prefix}')::boolean, false));
  end loop;
  -- Only stop words: then they count.
  if not jsonb_path_exists(words, '$[*] ? (@.is_asked == true)') then
    words := (select coalesce(jsonb_agg(w || '{"is_asked": true, "share": null}'), '[]') from jsonb_array_elements(words) w);
  end if;
end $$;

-- The rank of a tsvector, as the text of an expression: for each word its best position, weighted by how rare the word is. `words` with
-- their `weight`, by `ranking`. Each number is cast: as text it could be any expression, and the callers read with the rights of the owner.
create or replace function rank_expression(words jsonb, vector text, ranking jsonb) returns text language sql immutable
  set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(string_agg(format('%s * %s * greatest(%s)', (w ->> 'weight')::double precision, coalesce((ranking ->> (w ->> 'share'))::double precision, 1),
    (select string_agg(format('%s * power(ts_rank(%L::real[], %s, %L::tsquery, %s), %s)', share, places, vector, q,
        (ranking ->> 'normalization')::integer, (ranking ->> 'power')::double precision), ', ')
      from (select 1::double precision as share, ranking ->> 'places' as places, jsonb_array_elements_text(w -> 'typed') as q
        union all select (ranking ->> 'other')::double precision, ranking ->> 'places', jsonb_array_elements_text(w -> 'other')
        union all select (ranking ->> 'prefix')::double precision, ranking ->> 'prefix_places', jsonb_array_elements_text(w -> 'prefix')) each_query)), ' + '), '0')
  from jsonb_array_elements(words) w
$$;

-- {words, exact, never, total, found: [[version_id, score, is_exact, is_number, may_know, by_words]]}. `total` counts the rows with all words
-- (is_exact), of which the newest are ranked. If few rows have all words, rows with some of them are found too. Rows of `near` must
-- have what every result must have; with `by_words` words alone would have found it. The words of a row are stored beside it and unpacked for a comparison: without a higher
-- cpu_operator_cost the planner, which does not know this, would read all rows.
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
    select jsonb_agg(jsonb_build_array(version_id, round(score::numeric, 6), is_exact, is_number, may_know, version_id = any($4))
      order by is_number desc, score desc, version_id desc)
    from (select version_id, may_know, coalesce(vector @@ $2, false) as is_exact, version_id = any($3) as is_number, %s as score
      from (select i.version_id, %s as may_know, case when %2$s then i.words || '''' else i.label end as vector
        %s and i.version_id = any($1) offset 0) f
      where version_id = any($3) or %s offset 0) s',
    rank_expression(words, 'vector', ranking), content, source, concat_ws(' and ', 'true',
      case when must is not null then format('vector @@ %L::tsquery', must) end, case when never is not null then format('not vector @@ %L::tsquery', never) end))
    into found using exactly || partly || numbered || near, exact, numbered, exactly || partly || numbered;
  return jsonb_build_object('words', words, 'exact', exact::text, 'never', never::text, 'total', total, 'found', coalesce(found, '[]'));
end $$;

drop function similar_deviations(text, text, text[], bigint, text, text);
drop function similar_deviations(text, text, text[], bigint, text, text, jsonb);
-- Deviations with the rarer words of a text or with other names of what it names, with one of the items, or with a similar title: only
-- these are scored, never all there are. If many deviations have the words, the newest are taken.
-- `names`: [{typed, others: [...]}], what the text names and its other names. `near`: deviations that are near in meaning, which are scored too.
create function similar_deviations(query text, query_title text, query_items text[], leave_out bigint, of_severity text, of_category text,
    names jsonb, near bigint[],
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
    where i.tenant_id = tenant and i.deviation_id = any(found || near);
end $$;
revoke execute on function similar_deviations(text, text, text[], bigint, text, text, jsonb, bigint[]) from public;
grant execute on function similar_deviations(text, text, text[], bigint, text, text, jsonb, bigint[]) to attest_app;

create table deviation_vectors (
  tenant_id bigint not null default current_tenant() references tenants,
  deviation_id bigint not null,
  model_id bigint not null references embedding_models,
  -- That of the deviation which the vector was made from.
  content_revision integer not null,
  -- The sign of each dimension: a query compares those of all deviations, and the whole vectors of the nearest.
  bits bit varying not null,
  -- A byte for each dimension, -127 to 127.
  vector bytea not null,
  primary key (tenant_id, deviation_id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id)
);
comment on table deviation_vectors is 'The vector of each deviation, made by a model that knows what words mean, for deviations that are alike.';
-- Rows stay narrow, because a query reads the signs of all.
alter table deviation_vectors alter vector set storage external;
call tenant_table('deviation_vectors', 'select, insert, update');
