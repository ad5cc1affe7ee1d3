-- Searches read parts of the indexes: of frequent words the newest versions, of a filter its own, of a phrase the versions that have its
-- words beside each other.

-- Loads pg_trgm into a session that begins here: before, only a superuser may name a setting of it, as similar_word() does.
do $$ begin perform show_limit(); end $$;

drop function search_texts(jsonb, jsonb, bigint[], jsonb);
drop function search_more(jsonb, text, text, bigint[], integer, bigint, integer);
drop function spelt_right(jsonb, search_scope, regconfig[]);
drop function phrase_queries(text, boolean, regconfig[]);

-- A search passes over the postings of a word outside the key that it asks for, so a key is worth what it leaves out: the tenant, ranges of
-- versions, the document type and the category. Each but the first is a hash with the tenant; whoever asks compares the tenant as well.
-- Without a path, because PostgreSQL puts only functions without settings into the plan of a statement.
create function version_range(tenant bigint, version bigint, bits integer) returns bigint language sql immutable parallel safe as
  $$ select hashint8extended(version >> bits, tenant * 64 + bits) $$;
create function type_key(tenant bigint, document_type bigint) returns bigint language sql immutable parallel safe as
  $$ select hashint8extended(document_type, tenant * 64 + 1) $$;
create function category_key(tenant bigint, category text) returns bigint language sql immutable parallel safe as
  $$ select hashtextextended(category, tenant * 64 + 2) $$;
create function search_keys(tenant bigint, version bigint, document_type bigint, category text) returns bigint[] language sql immutable parallel safe as
  $$ select array[tenant, public.version_range(tenant, version, 10), public.version_range(tenant, version, 14), public.type_key(tenant, document_type), public.category_key(tenant, category)] $$;

-- Numbers for the pairs of neighbouring words: a phrase is in a text only if all its pairs are. By the first letters, which a word
-- and its stem have in common, so that both give one pair.
create function word_pairs(words tsvector) returns integer[] language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return array(
    with places as (select distinct p as place, left(w.lexeme, 4) as beginning from unnest(words) w cross join lateral unnest(w.positions) p)
    select distinct hashtext(one.beginning || ' ' || next.beginning) & 65535 from places one join places next on next.place = one.place + 1);
end $$;

drop index document_index_words;
drop index document_index_label;
create index document_index_words on document_index using gin (search_keys(tenant_id, version_id, document_type_id, category), words) with (fastupdate = off);
create index document_index_label on document_index using gin (search_keys(-tenant_id, version_id, document_type_id, category), label) with (fastupdate = off);
create index document_index_pairs on document_index using gin ((array[tenant_id]), word_pairs(words)) with (fastupdate = off);

-- A word or a phrase as the index has it: as it stands, and by its stems. A stem that leaves out words of a phrase is not used: `out of
-- specification` is not `specification`. `is_stop`: some language does not index the word. `pairs` are in every text that has the phrase.
create function phrase_queries(phrase text, is_prefix boolean, configurations regconfig[], out queries tsquery[], out is_stop boolean, out pairs integer[])
  language plpgsql stable set search_path = pg_catalog, public, pg_temp set client_min_messages = warning as $$
declare
  plain constant text := search_text(phrase);
  whole constant tsquery := phraseto_tsquery('simple_unaccented', plain);
  stemmed tsquery;
  configuration regconfig;
begin
  queries := '{}';
  is_stop := false;
  pairs := '{}';
  if numnode(whole) = 0 then return; end if;
  if is_prefix then
    queries := array[regexp_replace(whole::text, '''$', ''':*')::tsquery];
    return;
  end if;
  queries := array[whole];
  pairs := word_pairs(to_tsvector('simple_unaccented', plain));
  foreach configuration in array configurations loop
    stemmed := phraseto_tsquery(configuration, plain);
    if numnode(stemmed) = 0 then is_stop := true;
    elsif numnode(stemmed) = numnode(whole) and not stemmed = any(queries) then
      queries := queries || stemmed;
      if cardinality(pairs) > 0 then pairs := array(select unnest(pairs) intersect select unnest(word_pairs(to_tsvector(configuration, plain)))); end if;
    end if;
  end loop;
end $$;

-- The rank of a tsvector, as the text of an expression: for each word its best position, weighted by how rare the word is, and all of it by
-- the length of the text. `words` with their `weight`, by `ranking`. Each number is cast: as text it could be any expression, and the callers
-- read with the rights of the owner. What ts_rank makes of a length is the same for each query, so the first form that a row has tells it;
-- a query of all forms takes ten times as long.
create or replace function rank_expression(words jsonb, vector text, ranking jsonb) returns text language plpgsql immutable
  set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_variable
declare
  by_length constant text := format('ts_rank(%1$L::real[], %2$s, %%1$L::tsquery, %3$s) / nullif(ts_rank(%1$L::real[], %2$s, %%1$L::tsquery), 0)',
    ranking ->> 'places', vector, (ranking ->> 'normalization')::integer);
  lengths constant text := (select string_agg(format(by_length, q), ', ')
    from (select jsonb_array_elements_text(w -> 'typed') as q from jsonb_array_elements(words) w limit 3) typed);
begin
  return (select coalesce(format('power(coalesce(%s, 0), %s) * (', concat_ws(', ', lengths, format(by_length, any_of(words))), (ranking ->> 'power')::double precision)
    || string_agg(format('%s * %s * greatest(%s)', (w ->> 'weight')::double precision, coalesce((ranking ->> (w ->> 'share'))::double precision, 1),
    (select string_agg(format('%s * power(ts_rank(%L::real[], %s, %L::tsquery), %s)', share, places, vector, q,
        (ranking ->> 'power')::double precision), ', ')
      from (select 1::double precision as share, ranking ->> 'places' as places, jsonb_array_elements_text(w -> 'typed') as q
        union all select (ranking ->> 'other')::double precision, ranking ->> 'places', jsonb_array_elements_text(w -> 'other')
        union all select (ranking ->> 'prefix')::double precision, ranking ->> 'prefix_places', jsonb_array_elements_text(w -> 'prefix')) each_query)), ' + ') || ')', '0')
  from jsonb_array_elements(words) w);
end $$;

-- The functions up to search_texts() run within its settings, and within those of search_more(): each of their own takes time at each call.

-- The newest version of a tenant.
create function newest_version(tenant bigint) returns bigint language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_indexscan = on as $$
begin
  return (select max(i.version_id) from document_index i where i.tenant_id = tenant);
end $$;

-- The keys to search by, one list after the other until enough is found: a filter's; or the newest versions', where words are so frequent
-- that these may be enough, then those of some eight times as many (`is_wide`), and then all. `place` tells the keys of the index on
-- words (1) from those of the index on labels (-1).
create function key_lists(tenant bigint, a search_scope, are_frequent boolean, place integer) returns table (keys bigint[], is_wide boolean)
  language plpgsql stable as $$
declare
  newest bigint;
begin
  if a.document_type is not null then
    return query values (array(select type_key(tenant * place, t) from unnest(a.document_type) t), false);
  elsif a.category is not null then
    return query values (array(select category_key(tenant * place, c) from unnest(a.category) c), false);
  elsif are_frequent and num_nonnulls(a.documents, a.status, a.date_from, a.date_to) = 0 then
    newest := newest_version(tenant);
    return query values (array(select version_range(tenant * place, newest - n * 1024, 10) from generate_series(0, 2) n), false),
      (array(select version_range(tenant * place, newest - n * 16384, 14) from generate_series(0, 1) n), true), (array[tenant * place], false);
  else
    return query values (array[tenant * place], false);
  end if;
end $$;

-- Up to `most` versions that match. Rows whose content the person may not know are found by the index on labels alone.
-- Every statement on words goes by an index on words, whatever the planner prefers: it does not know what unpacking the words of a row
-- costs. So the tenant is compared in a form that fits no other index, and the words of a phrase in one that does not fit the index on words.
create function matching_versions(tenant bigint, a search_scope, matching tsquery, pairs integer[], are_frequent boolean, most integer) returns bigint[]
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_wide boolean;
  found bigint[];
begin
  if cardinality(pairs) > 0 then
    found := array(select i.version_id from document_index i where array[i.tenant_id] @> array[tenant] and word_pairs(i.words) @> pairs
      and is_content_known(i, a.drafts, a.user_id, a.trained) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) and (array[i.words])[1] @@ matching limit most);
  else
    for keys, is_wide in select k.keys, k.is_wide from key_lists(tenant, a, are_frequent, 1) k loop
      continue when is_wide and cardinality(found) * 8 < most;
      found := array(select i.version_id from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.words @@ matching
        and i.tenant_id + 0 = tenant and is_content_known(i, a.drafts, a.user_id, a.trained) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) limit most);
      exit when cardinality(found) = most;
    end loop;
  end if;
  if not a.drafts and cardinality(found) < most then
    found := found || array(select i.version_id from document_index i where search_keys(-i.tenant_id, i.version_id, i.document_type_id, i.category) && array[-tenant] and i.label @@ matching
      and i.tenant_id + 0 = tenant and not is_content_known(i, a.drafts, a.user_id, a.trained) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) limit most - cardinality(found));
  end if;
  return found;
end $$;

-- The newest versions with these words in their number, title, keywords or description.
create function labelled_versions(tenant bigint, a search_scope, matching tsquery, never tsquery, most integer) returns bigint[]
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_wide boolean;
  found bigint[];
begin
  for keys, is_wide in select k.keys, k.is_wide from key_lists(tenant, a, true, -1) k loop
    continue when is_wide and cardinality(found) * 8 < most;
    found := array(select i.version_id from document_index i where search_keys(-i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.label @@ matching and i.tenant_id + 0 = tenant
        and (never is null or not case when is_content_known(i, a.drafts, a.user_id, a.trained) then i.words else i.label end @@ never) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      order by i.version_id desc limit most);
    exit when cardinality(found) = most;
  end loop;
  return found;
end $$;

-- How many of the versions that everybody who reads documents may find with their content have a word, counted up to `most`.
create function count_having(tenant bigint, word tsquery, most integer) returns integer
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_wide boolean;
  found integer;
begin
  for keys, is_wide in select k.keys, k.is_wide from key_lists(tenant, null, true, 1) k loop
    continue when is_wide and found * 8 < most;
    found := (select count(*) from (select from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.words @@ word and i.tenant_id + 0 = tenant
      and i.status_kind = 'effective' and not i.is_restricted limit most) n);
    exit when found = most;
  end loop;
  return found;
end $$;

-- The word of the titles that may be found which is most similar to a word without accents.
create or replace function similar_word(typed text, a search_scope) returns text language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set pg_trgm.word_similarity_threshold = 0.45 as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
begin
  return (select s.w from (select t.w, similarity(t.w, typed) as likeness from (select distinct t.w from (
      select i.title from document_index i where i.tenant_id = tenant and typed <% i.title
        and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      order by i.version_id desc limit 200) near,
      regexp_split_to_table(near.title, '[^[:alnum:]]+') t (w) where length(t.w) > 2) t offset 0) s
    where s.likeness >= 0.4 order by s.likeness desc, s.w limit 1);
end $$;

-- A word that matches nothing, replaced by the words that it may have been before it was mistyped, and by a similar one of the titles that
-- may be found. The replacement depends on nothing that the person may not know: each of its forms is in a row that they may find.
create function spelt_right(word jsonb, a search_scope, configurations regconfig[]) returns jsonb language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  typed constant text := plain_words(word ->> 'text');
  most_letters constant integer := 30;
  meant text;
  candidates text[];
  forms tsquery[];
begin
  if length(typed) < 4 then return word; end if;
  meant := similar_word(typed, a);
  -- Codes and numbers are typed with care, and one letter less is another code.
  if typed ~ '^[[:alpha:]]+$' and length(typed) between 5 and most_letters then candidates := typing_errors(typed); end if;
  select array_agg(f.q) into forms
  from (select distinct q from unnest(array_remove(meant || candidates, null)) candidate, unnest('simple_unaccented'::regconfig || configurations) c,
    phraseto_tsquery(c, search_text(candidate)) q where numnode(q) > 0) f
  where exists (select from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && array[tenant] and i.words @@ f.q and i.tenant_id + 0 = tenant
    and (is_content_known(i, a.drafts, a.user_id, a.trained) or i.label @@ f.q)
    and is_findable(i, a.kinds, a.user_id, a.documents, a.status, null, null, null, null));
  if forms is null then return word; end if;
  return (select word || jsonb_build_object('text', coalesce(meant, word ->> 'text'), 'typed', jsonb_agg(q), 'any', string_agg(format('(%s)', q), ' | '))
    from unnest(forms) q);
end $$;

-- The `most` of the newest `most_looked_at` versions with the most of the words in their titles.
create function best_labelled(tenant bigint, versions bigint[], words tsquery, places real[], most_looked_at integer, most integer) returns bigint[]
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  newest constant bigint[] := array(select v from unnest(versions) v order by v desc limit most_looked_at);
begin
  return array(select i.version_id from document_index i where i.tenant_id = tenant and i.version_id = any(newest)
    order by ts_rank(places, i.label, words) desc, i.version_id desc limit most);
end $$;

-- {words, exact, total, counted, everything, are_frequent} and what was found in five arrays of the same length: version_ids, scores, are_exact,
-- are_numbers, may_know.
-- `query`: {must, never, number, words: [{any, typed, other, prefix, is_asked, share, text, can_be_mistyped, found}], everything,
-- configurations, pairs}: every result has `must` and nothing of `never`; `words` are ranked, `typed` before `other` names of the same, and an
-- exact result has all words with `is_asked`. `found` says how many versions have a word, of those that everybody may find with their
-- content (`everything`); `counted` answers those that were not given.
-- `total` counts the rows with all words (is_exact), up to one more than `most_counted`; those with the best titles are ranked. If few rows
-- have all words, rows with some of them are found too. Rows of `near` must have what every result must have.
create function search_texts(asked jsonb, query jsonb, near bigint[], ranking jsonb) returns json
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  a constant search_scope := jsonb_populate_record(null::search_scope, asked);
  is_narrowed constant boolean := asked ?| '{documents,status,document_type,category,date_from,date_to}';
  places constant real[] := ranking ->> 'places';
  most constant integer := ranking ->> 'most';
  most_titled constant integer := ranking ->> 'most_titled';
  most_counted constant integer := ranking ->> 'most_counted';
  most_weighed constant integer := ranking ->> 'most_weighed';
  most_of_word constant integer := ranking ->> 'most_of_word';
  most_partly constant integer := ranking ->> 'most_partly';
  must constant tsquery := query ->> 'must';
  never constant tsquery := query ->> 'never';
  pairs constant integer[] := array(select jsonb_array_elements_text(query -> 'pairs')::integer);
  number constant text := plain_number(query ->> 'number');
  words jsonb := query -> 'words';
  unfiltered search_scope := a;
  -- None of the words is known to be rare. The beginning of a word is looked for in all postings, whatever the keys.
  are_frequent constant boolean := coalesce((query ->> 'everything')::integer >= (ranking ->> 'most_everything')::integer, true)
    and not exists (select from jsonb_array_elements(words) w where (w ->> 'is_asked')::boolean and (w ->> 'found')::integer < most_weighed)
    and not (query -> 'words' @? '$[*] ? (@.any like_regex ":[*]")');
  exact tsquery;
  any_word tsquery;
  one tsquery;
  matching tsquery;
  total bigint := 0;
  numbered bigint[] := '{}';
  exactly bigint[] := '{}';
  partly bigint[] := '{}';
  some_found bigint[];
  everything integer := query ->> 'everything';
  counted jsonb := '{}';
  found_rows integer;
  is_corrected boolean := false;
  word jsonb;
  changed jsonb := '[]';
  version_ids bigint[];
  scores double precision[];
  are_exact boolean[];
  are_numbers boolean[];
  may_know boolean[];
begin
  if tenant is null then return null; end if;
  unfiltered.document_type := null;
  unfiltered.category := null;
  unfiltered.date_from := null;
  unfiltered.date_to := null;
  if number is not null then
    numbered := array(select i.version_id from document_index i where i.tenant_id = tenant and plain_number(i.number) = number
      and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      order by i.version_id desc limit 20);
  end if;

  for attempt in 1 .. 2 loop
    exact := all_asked(words, must);
    exit when exact is null;
    any_word := any_of(words);
    matching := coalesce(exact && !!never, exact);
    exactly := matching_versions(tenant, a, matching, pairs, are_frequent, most_counted + 1);
    total := cardinality(exactly);
    exit when attempt = 2 or total > 0;
    -- A word that nothing has, whatever the filters, may be mistyped. One that many have is looked for no more.
    for word in select jsonb_array_elements(words) loop
      if (word ->> 'can_be_mistyped')::boolean and coalesce((word ->> 'found')::integer < most_weighed, true) then
        one := word ->> 'any';
        matching := coalesce(one && !!never, one);
        if matching_versions(tenant, unfiltered, matching, '{}', not word ? 'found', 1) = '{}' then
          word := spelt_right(word, a, (query ->> 'configurations')::regconfig[]) - 'found';
          is_corrected := true;
        end if;
      end if;
      changed := changed || word;
    end loop;
    exit when not is_corrected;
    words := changed;
  end loop;

  -- Where so many rows have all words, each of the words is frequent, and no other counts.
  if total >= most_weighed or (total > 0 and jsonb_array_length(words) = 1) then
    words := (select jsonb_agg(w || '{"weight": 1}') from jsonb_array_elements(words) w);
  elsif exact is not null then
    everything := coalesce(everything, count_findable((ranking ->> 'most_everything')::integer));
    changed := '[]';
    for word in select jsonb_array_elements(words) loop
      found_rows := word ->> 'found';
      if found_rows is null then
        found_rows := count_having(tenant, (word ->> 'any')::tsquery, most_weighed);
        counted := counted || jsonb_build_object(word ->> 'any', found_rows);
      end if;
      changed := changed || (word || jsonb_build_object('found', found_rows, 'weight', ln(1 + (everything + 1) / (found_rows + 0.5))));
    end loop;
    words := changed;
  end if;

  if exact is not null then
    -- Of a frequent word only some rows were looked at: the best are those that have it in the title.
    if total > most_counted then
      some_found := labelled_versions(tenant, a, exact, never, most);
      exactly := some_found || case when cardinality(some_found) < most then best_labelled(tenant, exactly, any_word, places, most_titled, most) end;
    elsif total > most then
      exactly := best_labelled(tenant, exactly, any_word, places, most_counted, most);
    end if;
    if total < (ranking ->> 'few')::integer and jsonb_array_length(words) > 1 then
      -- The rarest words first: those beyond the limit distinguish least. Of a frequent word, rows that have it in the title.
      for word in select w from jsonb_array_elements(words) w order by (w ->> 'weight')::real desc limit (ranking ->> 'most_words')::integer loop
        exit when cardinality(partly) >= most_partly;
        one := word ->> 'any';
        one := coalesce(one && must, one);
        if not is_narrowed and (word ->> 'found')::integer >= most_weighed then
          some_found := labelled_versions(tenant, a, one, never, most_of_word);
        else
          matching := coalesce(one && !!never, one);
          some_found := array(select v from unnest(matching_versions(tenant, a, matching, '{}', false, most_counted)) v order by v desc limit most_of_word);
        end if;
        partly := partly || some_found;
      end loop;
    end if;
  end if;

  -- An element of an array is unpacked, so each row is unpacked once. Arrays of numbers, because JSON for each row takes longer than its rank.
  execute format('
    select array_agg(version_id), array_agg(score), array_agg(is_exact), array_agg(version_id = any($3)), array_agg(may_know)
    from (select version_id, may_know, coalesce(vector @@ $2, false) as is_exact, (%s)::double precision as score
      from (select version_id, may_know, case when may_know then (array[words])[1] else label end as vector
        from (select i.version_id, i.words, i.label, is_content_known(i, $5, $6, $7) as may_know
          from document_index i where i.tenant_id = $4 and i.version_id = any($1)
            and is_findable(i, ($8).kinds, ($8).user_id, ($8).documents, ($8).status, ($8).document_type, ($8).category, ($8).date_from, ($8).date_to)) known offset 0) f
      where version_id = any($3) or ($9 is null or vector @@ $9) and ($10 is null or not vector @@ $10) offset 0) s', rank_expression(words, 'vector', ranking))
    into version_ids, scores, are_exact, are_numbers, may_know
    using exactly[1:most] || partly || numbered || near, exact, numbered, tenant, a.drafts, a.user_id, a.trained, a, must, never;
  return json_build_object('words', words, 'exact', exact::text, 'total', total, 'everything', everything, 'are_frequent', are_frequent, 'counted', counted,
    'version_ids', coalesce(version_ids, '{}'), 'scores', coalesce(scores, '{}'), 'are_exact', coalesce(are_exact, '{}'),
    'are_numbers', coalesce(are_numbers, '{}'), 'may_know', coalesce(may_know, '{}'));
end $$;

-- Rows with all words, behind those that were ranked, the newest first.
create function search_more(asked jsonb, exact text, never text, pairs integer[], are_frequent boolean, leave_out bigint[], most integer, skip bigint, take integer)
  returns table (version_id bigint, may_know boolean)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  a constant search_scope := jsonb_populate_record(null::search_scope, asked);
  found bigint[];
begin
  if tenant is null then return; end if;
  found := array(select v from unnest(matching_versions(tenant, a, coalesce(exact::tsquery && !!never::tsquery, exact::tsquery), pairs, are_frequent, most)) v
    except select unnest(leave_out) order by 1 desc limit take offset skip);
  return query select i.version_id, is_content_known(i, a.drafts, a.user_id, a.trained) from document_index i where i.tenant_id = tenant and i.version_id = any(found)
    order by i.version_id desc;
end $$;

revoke execute on function phrase_queries(text, boolean, regconfig[]), newest_version(bigint), key_lists(bigint, search_scope, boolean, integer),
  matching_versions(bigint, search_scope, tsquery, integer[], boolean, integer), labelled_versions(bigint, search_scope, tsquery, tsquery, integer),
  count_having(bigint, tsquery, integer), best_labelled(bigint, bigint[], tsquery, real[], integer, integer), spelt_right(jsonb, search_scope, regconfig[]),
  search_texts(jsonb, jsonb, bigint[], jsonb), search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer) from public;
grant execute on function search_texts(jsonb, jsonb, bigint[], jsonb), search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer),
  phrase_queries(text, boolean, regconfig[]) to attest_app;
