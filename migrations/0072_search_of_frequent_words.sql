-- Searches of frequent words rank few versions, chosen by their titles, and count no further than a thousand.

-- Each index on words has the tenant in a form of its own. By a plain `tenant_id` the planner, which does not know what unpacking the
-- words of a row costs, would read all rows of a tenant for a word that most of them have.
drop index document_index_words;
create index document_index_words on document_index using gin ((array[tenant_id]), words) with (fastupdate = off);
drop index document_index_label;
create index document_index_label on document_index using gin ((array[-tenant_id]), label) with (fastupdate = off);

-- What a person may find and asks for, as the text of a condition on rows `i` of document_index: all of search_condition() but the tenant.
create function findable_condition(asked jsonb) returns text
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select format('(i.status_kind = any(%L::text[]) or i.owner_id = %s or i.created_by = %2$s)',
      array(select jsonb_array_elements_text(asked -> 'kinds')), coalesce((asked ->> 'user_id')::bigint, 0))
    || case when asked ? 'documents' then format(' and i.is_shown and i.document_id = any(%L::bigint[])', array(select jsonb_array_elements_text(asked -> 'documents')))
      when not asked ? 'status' then ' and i.status_kind = ''effective''' else '' end
    || case when asked ? 'status' then format(' and i.status = any(%L::text[])', array(select jsonb_array_elements_text(asked -> 'status'))) else '' end
    || case when asked ? 'document_type' then format(' and i.document_type_id = any(%L::bigint[])', array(select jsonb_array_elements_text(asked -> 'document_type'))) else '' end
    || case when asked ? 'category' then format(' and i.category = any(%L::text[])', array(select jsonb_array_elements_text(asked -> 'category'))) else '' end
    || case when asked ? 'date_from' then format(' and i.listed_on >= %L::date', asked ->> 'date_from') else '' end
    || case when asked ? 'date_to' then format(' and i.listed_on <= %L::date', asked ->> 'date_to') else '' end
$$;

create or replace function search_condition(asked jsonb) returns text
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select format('i.tenant_id = %s and ', coalesce(current_tenant(), 0)) || findable_condition(asked)
$$;
create function words_condition(asked jsonb) returns text
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select format('array[i.tenant_id] @> array[%s]::bigint[] and ', coalesce(current_tenant(), 0)) || findable_condition(asked)
$$;
create function label_condition(asked jsonb) returns text
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select format('array[-i.tenant_id] @> array[-%s]::bigint[] and ', coalesce(current_tenant(), 0)) || findable_condition(asked)
$$;

-- The versions with these words in their title, number, keywords or description, the newest.
create function labelled(asked jsonb, words tsquery, never tsquery, content text, most integer) returns bigint[] language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set jit = off as $$
declare
  found bigint[];
begin
  execute format('select array(select i.version_id from document_index i where %s and i.label @@ %L::tsquery%s order by i.version_id desc limit %s)',
    label_condition(asked), words,
    case when never is null then '' else format(' and not case when %s then i.words else i.label end @@ %L::tsquery', content, never) end, most) into found;
  return found;
end $$;

-- The filter of document lists, by the index on labels.
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
begin
  return query select document_id from document_index
    where tenant_id = tenant and is_shown
      and (title like in_title or number ilike somewhere or legacy_number ilike somewhere or array[-tenant_id] @> array[-tenant] and label @@ together);
end $$;

drop function count_found(text, text, integer);
-- How many rows match a condition on words, counted up to `most_counted`, and those of them with the best titles, then the newest.
create function count_found(source text, condition text, words tsquery, ranking jsonb, out total bigint, out best bigint[])
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set enable_seqscan = off set enable_indexscan = off set jit = off as $$
begin
  execute format('select count(*), coalesce((array_agg(version_id order by ts_rank(%L::real[], label, %L::tsquery) desc, version_id desc))[1:%s], ''{}'')
      from (select i.version_id, i.label %s and %s limit %s) f',
    ranking ->> 'places', words, (ranking ->> 'most')::integer, source, condition, (ranking ->> 'most_counted')::integer + 1) into total, best;
end $$;

-- {words, exact, never, total, found: [[version_id, score, is_exact, is_number, may_know]]}. `total` counts the rows with all words
-- (is_exact), up to one more than `most_counted`; those with the best titles are ranked. If few rows have all words, rows with some of them are found too. Rows of `near` must
-- have what every result must have. The words of a row are stored beside it and unpacked for a comparison: without a higher
-- cpu_operator_cost the planner, which does not know this, would read all rows.
create or replace function search_texts(asked jsonb, query jsonb, near bigint[], ranking jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set cpu_operator_cost = 0.1 set jit = off set enable_seqscan = off as $$
#variable_conflict use_variable
declare
  most constant integer := ranking ->> 'most';
  content constant text := content_condition(asked);
  source constant text := format('from document_index i where %s', search_condition(asked));
  with_words constant text := format('from document_index i where %s', words_condition(asked));
  newest constant text := 'select array(select i.version_id %s and %s order by i.version_id desc limit %s)';
  must tsquery;
  never tsquery;
  words jsonb;
  exact tsquery;
  any_word tsquery;
  total bigint := 0;
  numbered bigint[] := '{}';
  exactly bigint[] := '{}';
  partly bigint[] := '{}';
  some_found bigint[];
  filters constant text[] := '{document_type,category,date_from,date_to}';
  most_weighed constant integer := ranking ->> 'most_weighed';
  everything integer;
  found_rows integer;
  is_corrected boolean := false;
  word jsonb;
  weighed jsonb := '[]';
  found jsonb;
begin
  if current_tenant() is null then return null; end if;
  select t.must, t.never, t.words into must, never, words from search_terms(query) t;
  if query ? 'number' then
    execute format(newest, source, format('plain_number(i.number) = %L', plain_number(query ->> 'number')), 20) into numbered;
  end if;

  for attempt in 1 .. 2 loop
    exact := (select string_agg(format('(%s)', w ->> 'any'), ' & ')::tsquery from jsonb_array_elements(words) w
      where (w ->> 'is_asked')::boolean);
    exit when exact is null;
    exact := coalesce(exact && must, exact);
    any_word := (select string_agg(format('(%s)', w ->> 'any'), ' | ')::tsquery from jsonb_array_elements(words) w);
    select f.total, f.best from count_found(with_words, match_condition(exact, never, content), any_word, ranking) f into total, exactly;
    exit when attempt = 2;
    -- Where so many rows have all words, each of the words is frequent, and no other counts.
    if total >= most_weighed or (total > 0 and jsonb_array_length(words) = 1) then
      words := (select jsonb_agg(w || jsonb_build_object('found', total, 'weight', 1)) from jsonb_array_elements(words) w);
      exit;
    end if;
    -- How rare each word is, whatever the filters.
    execute format('select count(*) from (select from document_index i where %s limit %s) n', search_condition(asked - filters),
      (ranking ->> 'most_everything')::integer) into everything;
    for word in select jsonb_array_elements(words) loop
      for reading in 1 .. 2 loop
        execute format('select count(*) from (select from document_index i where %s and %s limit %s) n', words_condition(asked - filters),
          match_condition((word ->> 'any')::tsquery, never, content), most_weighed) into found_rows;
        exit when found_rows > 0 or not (word ->> 'can_be_mistyped')::boolean or reading = 2;
        word := spelt_right(word, source);
        is_corrected := true;
      end loop;
      weighed := weighed || (word || jsonb_build_object('found', found_rows, 'weight', ln(1 + everything / (found_rows + 0.5))));
    end loop;
    words := weighed;
    exit when not is_corrected;
  end loop;

  if exact is not null then
    -- Of a frequent word only some rows were looked at: the best are those that have it in the title.
    if total > (ranking ->> 'most_counted')::integer then
      exactly := labelled(asked, exact, never, content, most) || exactly;
    end if;
    -- The rarest words first: those beyond the limit distinguish least.
    if total < (ranking ->> 'few')::integer then
      for word in select w from jsonb_array_elements(words) w where (w ->> 'found')::integer > 0
          order by (w ->> 'weight')::real desc limit (ranking ->> 'most_words')::integer loop
        exit when cardinality(partly) >= (ranking ->> 'most_partly')::integer;
        execute format(newest, with_words, match_condition(coalesce((word ->> 'any')::tsquery && must, (word ->> 'any')::tsquery), never, content),
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
    into found using exactly[1:most] || partly || numbered || near, exact, numbered;
  return jsonb_build_object('words', words, 'exact', exact::text, 'never', never::text, 'total', total, 'found', coalesce(found, '[]'));
end $$;

-- Rows with all words, behind those that were ranked, the newest first.
create or replace function search_more(asked jsonb, exact text, never text, leave_out bigint[], skip bigint, take integer)
  returns table (version_id bigint, may_know boolean)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set cpu_operator_cost = 0.1 set jit = off as $$
declare
  content constant text := content_condition(asked);
begin
  if current_tenant() is null then return; end if;
  return query execute format('select i.version_id, %s from document_index i where %s and %s and not i.version_id = any($1)
    order by i.version_id desc limit $2 offset $3', content, words_condition(asked), match_condition(exact::tsquery, never::tsquery, content))
    using leave_out, take, skip;
end $$;
