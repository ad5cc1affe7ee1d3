-- Searches by statements that a session plans once. The service prepares the words of a query, keeps how frequent words are, and marks
-- what was found in snippets.

-- Loads pg_trgm into a session that begins here: before, only a superuser may name a setting of it, as similar_word() does.
do $$ begin perform show_limit(); end $$;

drop function search_texts(jsonb, jsonb, bigint[], jsonb);
drop function search_more(jsonb, text, text, bigint[], bigint, integer);
drop function search_pieces(jsonb, jsonb, jsonb, bigint[], integer);
drop function count_found(text, text, tsquery, jsonb);
drop function labelled(jsonb, tsquery, tsquery, text, integer);
drop function spelt_right(jsonb, text);
drop function match_condition(tsquery, tsquery, text);
drop function words_condition(jsonb);
drop function label_condition(jsonb);
drop function search_terms(jsonb);

-- What a person may read (`kinds` of states, `user_id` for own documents in any state, `trained`: the restricted documents whose content
-- they may know through training, `drafts`: they hold documents.read_drafts), and the filters of a search.
create type search_scope as (
  kinds text[], user_id bigint, drafts boolean, trained bigint[],
  documents bigint[], status text[], document_type bigint[], category text[], date_from date, date_to date
);

-- These two set no search_path, because PostgreSQL puts only functions without settings into the plan of a statement; they name nothing
-- that a path could change.
-- The rows of document_index that a person may find: findable_condition() as a function.
create function is_findable(i document_index, kinds text[], user_id bigint, documents bigint[], status text[], document_type bigint[], category text[],
    date_from date, date_to date) returns boolean language sql immutable parallel safe as $$
  select (i.status_kind = any(kinds) or i.owner_id = user_id or i.created_by = user_id)
    and case when documents is not null then i.is_shown and i.document_id = any(documents) else status is not null or i.status_kind = 'effective' end
    and (status is null or i.status = any(status))
    and (document_type is null or i.document_type_id = any(document_type))
    and (category is null or i.category = any(category))
    and (date_from is null or i.listed_on >= date_from)
    and (date_to is null or i.listed_on <= date_to)
$$;
-- True if the person may know the content of a row, and not only its label: content_condition() as a function.
create function is_content_known(i document_index, drafts boolean, user_id bigint, trained bigint[]) returns boolean
  language sql immutable parallel safe as $$
  select drafts or not i.is_restricted or i.owner_id = user_id or i.created_by = user_id or i.document_id = any(trained)
$$;

-- A function in the language SQL is planned at each call, so these are in plpgsql.
-- A query that matches one of these words.
create function any_of(words jsonb) returns tsquery language plpgsql immutable set search_path = pg_catalog, public, pg_temp as $$
begin
  return (select string_agg(format('(%s)', w ->> 'any'), ' | ')::tsquery from jsonb_array_elements(words) w);
end $$;
-- A query that matches all words that were asked for, and `must`. Null without such words.
create function all_asked(words jsonb, must tsquery) returns tsquery language plpgsql immutable set search_path = pg_catalog, public, pg_temp as $$
declare
  asked constant tsquery := (select string_agg(format('(%s)', w ->> 'any'), ' & ')::tsquery from jsonb_array_elements(words) w where (w ->> 'is_asked')::boolean);
begin
  return coalesce(asked && must, asked);
end $$;

-- The text search configurations of a tenant's languages.
create or replace function words_configurations() returns regconfig[] language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
begin
  return (with recursive languages as (
      (select t.language from document_texts t where t.tenant_id = (select current_tenant()) and t.language is not null order by t.language limit 1)
      union all
      select (select t.language from document_texts t where t.tenant_id = (select current_tenant()) and t.language > l.language
        order by t.language limit 1) from languages l where l.language is not null)
    select array(select distinct words_configuration(l.language) from (select 'eng' as language union all select language from languages) l
      where l.language is not null and words_configuration(l.language) <> 'simple_unaccented'::regconfig));
end $$;

-- The rank of a tsvector, as the text of an expression: for each word its best position, weighted by how rare the word is, and all of it by
-- the length of the text, which is computed once. `words` with their `weight`, by `ranking`. Each number is cast: as text it could be any
-- expression, and the callers read with the rights of the owner.
create or replace function rank_expression(words jsonb, vector text, ranking jsonb) returns text language plpgsql immutable
  set search_path = pg_catalog, public, pg_temp as $$
begin
  return (select coalesce(format('power(coalesce(ts_rank(%1$L::real[], %2$s, %3$L::tsquery, %4$s) / nullif(ts_rank(%1$L::real[], %2$s, %3$L::tsquery), 0), 0), %5$s) * (',
      ranking ->> 'places', vector, any_of(words), (ranking ->> 'normalization')::integer, (ranking ->> 'power')::double precision)
    || string_agg(format('%s * %s * greatest(%s)', (w ->> 'weight')::double precision, coalesce((ranking ->> (w ->> 'share'))::double precision, 1),
    (select string_agg(format('%s * power(ts_rank(%L::real[], %s, %L::tsquery), %s)', share, places, vector, q,
        (ranking ->> 'power')::double precision), ', ')
      from (select 1::double precision as share, ranking ->> 'places' as places, jsonb_array_elements_text(w -> 'typed') as q
        union all select (ranking ->> 'other')::double precision, ranking ->> 'places', jsonb_array_elements_text(w -> 'other')
        union all select (ranking ->> 'prefix')::double precision, ranking ->> 'prefix_places', jsonb_array_elements_text(w -> 'prefix')) each_query)), ' + ') || ')', '0')
  from jsonb_array_elements(words) w);
end $$;

-- Up to so many of the versions that everybody who reads documents may find with their content. By the order of the table: an index would be read as a whole.
create function count_findable(most integer) returns integer language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_seqscan = on set enable_indexscan = on as $$
begin
  return (select count(*) from (select from document_index i where i.tenant_id = current_tenant() and i.status_kind = 'effective' and not i.is_restricted
    limit most) n);
end $$;

-- The word of the titles that may be found which is most similar to a word without accents.
create function similar_word(typed text, a search_scope) returns text language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set pg_trgm.word_similarity_threshold = 0.45 as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
begin
  return (select w from (select distinct t.w from (
      select i.title from document_index i where i.tenant_id = tenant and typed <% i.title
        and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      order by i.version_id desc limit 200) near,
      regexp_split_to_table(near.title, '[^[:alnum:]]+') t (w) where length(t.w) > 2) all_words
    where similarity(w, typed) >= 0.4 order by similarity(w, typed) desc, w limit 1);
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
  where exists (select from document_index i where array[i.tenant_id] @> array[tenant] and i.words @@ f.q
    and (is_content_known(i, a.drafts, a.user_id, a.trained) or i.label @@ f.q)
    and is_findable(i, a.kinds, a.user_id, a.documents, a.status, null, null, null, null));
  if forms is null then return word; end if;
  return (select word || jsonb_build_object('text', coalesce(meant, word ->> 'text'), 'typed', jsonb_agg(q), 'any', string_agg(format('(%s)', q), ' | '))
    from unnest(forms) q);
end $$;

-- {words, exact, total, counted, everything} and what was found in five arrays of the same length: version_ids, scores, are_exact,
-- are_numbers, may_know.
-- `query`: {must, never, number, words: [{any, typed, other, prefix, is_asked, share, text, can_be_mistyped, found}], everything,
-- configurations}: every result has `must` and nothing of `never`; `words` are ranked, `typed` before `other` names of the same, and an
-- exact result has all words with `is_asked`. `found` says how many versions have a word, of those that everybody may find with their
-- content (`everything`); `counted` answers those that were not given.
-- `total` counts the rows with all words (is_exact), up to one more than `most_counted`; those with the best titles are ranked. If few rows
-- have all words, rows with some of them are found too. Rows of `near` must have what every result must have.
-- Every statement on words goes by an index on words, whatever the planner prefers: it does not know what unpacking the words of a row
-- costs. Each of these indexes has the tenant in a form of its own, so that no other index fits. Rows whose content the person may not know
-- are found by the index on labels alone.
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
  most_counted constant integer := ranking ->> 'most_counted';
  most_weighed constant integer := ranking ->> 'most_weighed';
  most_of_word constant integer := ranking ->> 'most_of_word';
  most_partly constant integer := ranking ->> 'most_partly';
  must constant tsquery := query ->> 'must';
  never constant tsquery := query ->> 'never';
  number constant text := plain_number(query ->> 'number');
  words jsonb := query -> 'words';
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
    select count(*), coalesce((array_agg(f.version_id order by ts_rank(places, f.label, any_word) desc, f.version_id desc))[1:most], '{}')
      into total, exactly
    from (select i.version_id, i.label from document_index i where array[i.tenant_id] @> array[tenant] and i.words @@ matching and is_content_known(i, a.drafts, a.user_id, a.trained)
        and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      union all select i.version_id, i.label from document_index i where array[-i.tenant_id] @> array[-tenant] and i.label @@ matching and not is_content_known(i, a.drafts, a.user_id, a.trained)
        and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      limit most_counted + 1) f;
    exit when attempt = 2 or total > 0;
    -- A word that nothing has, whatever the filters, may be mistyped. One that many have is looked for no more.
    for word in select jsonb_array_elements(words) loop
      if (word ->> 'can_be_mistyped')::boolean and coalesce((word ->> 'found')::integer < most_weighed, true) then
        one := word ->> 'any';
        matching := coalesce(one && !!never, one);
        if not exists (select  from document_index i where array[i.tenant_id] @> array[tenant] and i.words @@ matching and is_content_known(i, a.drafts, a.user_id, a.trained)
            and is_findable(i, a.kinds, a.user_id, a.documents, a.status, null, null, null, null)
          union all select  from document_index i where array[-i.tenant_id] @> array[-tenant] and i.label @@ matching and not is_content_known(i, a.drafts, a.user_id, a.trained)
            and is_findable(i, a.kinds, a.user_id, a.documents, a.status, null, null, null, null)) then
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
        one := word ->> 'any';
        found_rows := (select count(*) from (select from document_index i
          where array[i.tenant_id] @> array[tenant] and i.words @@ one and i.status_kind = 'effective' and not i.is_restricted limit most_weighed) n);
        counted := counted || jsonb_build_object(word ->> 'any', found_rows);
      end if;
      changed := changed || (word || jsonb_build_object('found', found_rows, 'weight', ln(1 + (everything + 1) / (found_rows + 0.5))));
    end loop;
    words := changed;
  end if;

  if exact is not null then
    -- Of a frequent word only some rows were looked at: the best are those that have it in the title.
    if total > most_counted then
      exactly := array(select i.version_id from document_index i
        where array[-i.tenant_id] @> array[-tenant] and i.label @@ exact
          and (never is null or not case when is_content_known(i, a.drafts, a.user_id, a.trained) then i.words else i.label end @@ never)
          and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
        order by i.version_id desc limit most) || exactly;
    end if;
    if total < (ranking ->> 'few')::integer and jsonb_array_length(words) > 1 then
      -- The rarest words first: those beyond the limit distinguish least. Of a frequent word, rows that have it in the title.
      for word in select w from jsonb_array_elements(words) w order by (w ->> 'weight')::real desc limit (ranking ->> 'most_words')::integer loop
        exit when cardinality(partly) >= most_partly;
        one := word ->> 'any';
        one := coalesce(one && must, one);
        if not is_narrowed and (word ->> 'found')::integer >= most_weighed then
          some_found := array(select i.version_id from document_index i
            where array[-i.tenant_id] @> array[-tenant] and i.label @@ one
              and (never is null or not case when is_content_known(i, a.drafts, a.user_id, a.trained) then i.words else i.label end @@ never)
              and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
            order by i.version_id desc limit most_of_word);
        else
          matching := coalesce(one && !!never, one);
          some_found := array(select f.version_id from (select i.version_id from document_index i where array[i.tenant_id] @> array[tenant] and i.words @@ matching and is_content_known(i, a.drafts, a.user_id, a.trained)
              and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
            union all select i.version_id from document_index i where array[-i.tenant_id] @> array[-tenant] and i.label @@ matching and not is_content_known(i, a.drafts, a.user_id, a.trained)
              and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)) f
            order by f.version_id desc limit most_of_word);
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
  return json_build_object('words', words, 'exact', exact::text, 'total', total, 'everything', everything, 'counted', counted,
    'version_ids', coalesce(version_ids, '{}'), 'scores', coalesce(scores, '{}'), 'are_exact', coalesce(are_exact, '{}'),
    'are_numbers', coalesce(are_numbers, '{}'), 'may_know', coalesce(may_know, '{}'));
end $$;

-- Rows with all words, behind those that were ranked, the newest first.
create function search_more(asked jsonb, exact text, never text, leave_out bigint[], most integer, skip bigint, take integer)
  returns table (version_id bigint, may_know boolean)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp
  set enable_seqscan = off set enable_indexscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  a constant search_scope := jsonb_populate_record(null::search_scope, asked);
  matching constant tsquery := coalesce(exact::tsquery && !!never::tsquery, exact::tsquery);
begin
  if tenant is null then return; end if;
  return query select f.id, f.is_known from (
      select i.version_id as id, true as is_known from document_index i where array[i.tenant_id] @> array[tenant] and i.words @@ matching
        and is_content_known(i, a.drafts, a.user_id, a.trained)
        and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      union all select i.version_id, false from document_index i where array[-i.tenant_id] @> array[-tenant] and i.label @@ matching
        and not is_content_known(i, a.drafts, a.user_id, a.trained)
        and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      limit most) f
    where not f.id = any(leave_out)
    order by f.id desc limit take offset skip;
end $$;

-- The best passages of these versions, a few of each, where the person may know the content.
create function search_pieces(asked jsonb, words jsonb, ranking jsonb, versions bigint[], most_of_version integer)
  returns table (version_id bigint, "position" integer, score real)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set jit = off as $$
declare
  telling constant tsquery := any_of(words);
  a constant search_scope := jsonb_populate_record(null::search_scope, asked);
begin
  if current_tenant() is null or telling is null then return; end if;
  return query execute format('
    select i.version_id, c.position, c.score
    from document_index i cross join lateral (
      select p.position, (%s)::real as score
      from (select u.position, u.vector from (select position, (array[words])[1] as vector from document_chunks
          where tenant_id = i.tenant_id and version_id = i.version_id offset 0) u
        where u.vector @@ $1 order by u.position limit 2000) p
      order by 2 desc, 1 limit $2) c
    where i.tenant_id = $4 and i.version_id = any($3) and is_content_known(i, ($5).drafts, ($5).user_id, ($5).trained)
      and is_findable(i, ($5).kinds, ($5).user_id, ($5).documents, ($5).status, ($5).document_type, ($5).category, ($5).date_from, ($5).date_to)
    order by c.score desc, i.version_id desc, c.position',
    rank_expression(words, 'p.vector', ranking)) using telling, most_of_version, versions, current_tenant(), a;
end $$;

revoke execute on function is_findable(document_index, text[], bigint, bigint[], text[], bigint[], text[], date, date),
  is_content_known(document_index, boolean, bigint, bigint[]), any_of(jsonb), all_asked(jsonb, tsquery), count_findable(integer),
  similar_word(text, search_scope), spelt_right(jsonb, search_scope, regconfig[]), search_texts(jsonb, jsonb, bigint[], jsonb),
  search_more(jsonb, text, text, bigint[], integer, bigint, integer), search_pieces(jsonb, jsonb, jsonb, bigint[], integer) from public;
grant execute on function search_texts(jsonb, jsonb, bigint[], jsonb), search_more(jsonb, text, text, bigint[], integer, bigint, integer),
  search_pieces(jsonb, jsonb, jsonb, bigint[], integer), words_configurations(), phrase_queries(text, boolean, regconfig[]) to attest_app;
