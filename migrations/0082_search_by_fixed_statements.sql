-- Searches rank by statements that a session plans once: planning the rank of each query as a statement of its own took a fifth of a search.
-- Of frequent words fewer of the newest versions are read, and where few versions can be found at all, as those of a month or one's own
-- drafts, these alone are looked at.

-- Loads pg_trgm into a session that begins here: before, only a superuser may name a setting of it, as similar_word() does.
do $$ begin perform show_limit(); end $$;

drop function search_texts(jsonb, jsonb, bigint[], jsonb);
drop function search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer);
drop function search_pieces(jsonb, jsonb, jsonb, bigint[], integer);
drop function rank_expression(jsonb, text, jsonb);
drop function matching_versions(bigint, search_scope, tsquery, integer[], boolean, integer);
drop function key_lists(bigint, search_scope, boolean, integer);
drop function newest_version(bigint);

-- The day by which a version is listed, as document_index has it. A key there would have all words of a version indexed again when it
-- becomes effective.
create function listed_day(effective_at timestamptz, effective_date date, created_at timestamptz) returns date language sql immutable parallel safe as
  $$ select case when effective_at is null then (created_at at time zone 'UTC')::date else effective_date end $$;
create index document_versions_listed on document_versions (tenant_id, listed_day(effective_at, effective_date, created_at));
create index document_versions_kind on document_versions (tenant_id, status_kind, status);

-- The versions that a search can find at all, where these are few: null if they are more than `most`, or not so narrowed.
create function few_findable(tenant bigint, a search_scope, most integer) returns bigint[] language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_indexscan = on set enable_bitmapscan = off as $$
#variable_conflict use_variable
declare
  few bigint[];
  owned bigint[];
begin
  -- In states that the person reads in no other's versions they find their own.
  if a.status is not null and not exists (select from document_versions v where v.tenant_id = tenant and v.status_kind = any(a.kinds) and v.status = any(a.status)) then
    owned := array(select d.id from documents d where d.tenant_id = tenant and d.owner_id = a.user_id limit most + 1);
    -- In the order of the index on authors: as one of few authors, the planner would look for the person in all versions.
    few := array(select v.id from document_versions v where v.tenant_id = tenant and v.created_by between a.user_id and a.user_id order by v.created_by limit most + 1);
    if cardinality(owned) > most or cardinality(few) > most then return null; end if;
    few := few || array(select v.id from document_versions v where v.tenant_id = tenant and v.document_id = any(owned) limit most + 1);
  elsif a.date_from is not null and a.date_to is not null then
    few := array(select v.id from document_versions v where v.tenant_id = tenant
      and listed_day(v.effective_at, v.effective_date, v.created_at) between a.date_from and a.date_to limit most + 1);
  end if;
  return case when cardinality(few) <= most then few end;
end $$;

-- The functions up to search_texts() run within its settings, and within those of search_more(): each of their own takes time at each call.

-- The oldest and the newest version of a tenant.
create function version_bounds(tenant bigint, out oldest bigint, out newest bigint) language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_indexscan = on as $$
begin
  oldest := (select min(i.version_id) from document_index i where i.tenant_id = tenant);
  newest := (select max(i.version_id) from document_index i where i.tenant_id = tenant);
end $$;

-- The keys to search by, one list after the other until enough is found: a filter's; or the newest versions', where words are so frequent
-- that these may be enough, then those of some more, of some sixteen times as many, and of all. A list is passed over where `times` as many as
-- were found are too few. What a list with `is_more` finds is added to what the one before found. `place` tells the keys of the index on
-- words (1) from those of the index on labels (-1).
create function key_lists(tenant bigint, a search_scope, are_frequent boolean, place integer) returns table (keys bigint[], is_more boolean, times integer)
  language plpgsql stable as $$
declare
  oldest bigint;
  newest bigint;
begin
  if a.document_type is not null then
    return query values (array(select type_key(tenant * place, t) from unnest(a.document_type) t), false, 0);
  elsif a.category is not null then
    return query values (array(select category_key(tenant * place, c) from unnest(a.category) c), false, 0);
  elsif are_frequent and num_nonnulls(a.documents, a.status, a.date_from, a.date_to) = 0 then
    select b.oldest, b.newest into oldest, newest from version_bounds(tenant) b;
    return query values (array[version_range(tenant * place, newest, 10), version_range(tenant * place, newest - 1024, 10)], false, 0);
    return query values (array[version_range(tenant * place, newest - 2 * 1024, 10), version_range(tenant * place, newest - 3 * 1024, 10)], true, 3);
    -- Among fewer versions this list is the next.
    if oldest >> 14 < (newest >> 14) - 1 then
      return query values (array[version_range(tenant * place, newest, 14), version_range(tenant * place, newest - 16384, 14)], false, 8);
    end if;
    return query values (array[tenant * place], false, 0);
  else
    return query values (array[tenant * place], false, 0);
  end if;
end $$;

-- Up to `most` versions that match, of `among` where that is given. Rows whose content the person may not know are found by the index on labels alone.
-- Every statement on words goes by an index on words, whatever the planner prefers: it does not know what unpacking the words of a row
-- costs. So the tenant is compared in a form that fits no other index, and the words of a phrase in one that does not fit the index on words.
create function matching_versions(tenant bigint, a search_scope, among bigint[], matching tsquery, pairs integer[], are_frequent boolean, most integer) returns bigint[]
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_more boolean;
  times integer;
  found bigint[];
begin
  if among is not null then
    return array(select i.version_id from document_index i where i.tenant_id = tenant and i.version_id = any(among)
      and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      and (array[case when is_content_known(i, a.drafts, a.user_id, a.trained) then i.words else i.label end])[1] @@ matching limit most);
  end if;
  if cardinality(pairs) > 0 then
    found := array(select i.version_id from document_index i where array[i.tenant_id] @> array[tenant] and word_pairs(i.words) @> pairs
      and is_content_known(i, a.drafts, a.user_id, a.trained) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) and (array[i.words])[1] @@ matching limit most);
  else
    for keys, is_more, times in select k.keys, k.is_more, k.times from key_lists(tenant, a, are_frequent, 1) k loop
      continue when cardinality(found) * times < most and times > 0;
      found := case when is_more then found end || array(select i.version_id from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.words @@ matching
        and i.tenant_id + 0 = tenant and is_content_known(i, a.drafts, a.user_id, a.trained) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) limit most - case when is_more then cardinality(found) else 0 end);
      exit when cardinality(found) = most;
    end loop;
  end if;
  if not a.drafts and cardinality(found) < most then
    found := found || array(select i.version_id from document_index i where search_keys(-i.tenant_id, i.version_id, i.document_type_id, i.category) && array[-tenant] and i.label @@ matching
      and i.tenant_id + 0 = tenant and not is_content_known(i, a.drafts, a.user_id, a.trained) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) limit most - cardinality(found));
  end if;
  return found;
end $$;

create or replace function labelled_versions(tenant bigint, a search_scope, matching tsquery, never tsquery, most integer) returns bigint[]
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_more boolean;
  times integer;
  found bigint[];
begin
  for keys, is_more, times in select k.keys, k.is_more, k.times from key_lists(tenant, a, true, -1) k loop
    continue when cardinality(found) * times < most and times > 0;
    found := case when is_more then found end || array(select i.version_id from document_index i where search_keys(-i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.label @@ matching and i.tenant_id + 0 = tenant
        and (never is null or not case when is_content_known(i, a.drafts, a.user_id, a.trained) then i.words else i.label end @@ never) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      order by i.version_id desc limit most - case when is_more then cardinality(found) else 0 end);
    exit when cardinality(found) = most;
  end loop;
  return found;
end $$;

create or replace function count_having(tenant bigint, word tsquery, most integer) returns integer
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_more boolean;
  times integer;
  found integer := 0;
begin
  for keys, is_more, times in select k.keys, k.is_more, k.times from key_lists(tenant, null, true, 1) k loop
    continue when found * times < most and times > 0;
    found := case when is_more then found else 0 end + (select count(*) from (select from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.words @@ word and i.tenant_id + 0 = tenant
      and i.status_kind = 'effective' and not i.is_restricted limit most - case when is_more then found else 0 end) n);
    exit when found = most;
  end loop;
  return found;
end $$;

-- The word of the titles that may be found which is most similar to a word without accents. Looked for among nearer titles first, which
-- are found several times as fast: a word as near as these titles is in one of them.
create or replace function similar_word(typed text, a search_scope) returns text language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set pg_trgm.word_similarity_threshold = 0.45 as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  least real;
  meant text;
begin
  foreach least in array array[0.6, 0.45] loop
    perform set_config('pg_trgm.word_similarity_threshold', least::text, true);
    -- A regular expression takes longer than all else here, so it divides each different part of the titles once, and few of them.
    meant := (select s.w from (select t.w, similarity(t.w, typed) as likeness from (select distinct t.w from (
        select distinct p.part from (select i.title from document_index i where i.tenant_id = tenant and typed <% i.title
          and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
        order by i.version_id desc limit 200) near, string_to_table(near.title, ' ') p (part)) parts,
        unnest(case when parts.part ~ '[^[:alnum:]]' then regexp_split_to_array(parts.part, '[^[:alnum:]]+') else array[parts.part] end) t (w) where length(t.w) > 2) t offset 0) s
      where s.likeness >= case when least = 0.6::real then 0.6 else 0.4 end order by s.likeness desc, s.w limit 1);
    exit when meant is not null;
  end loop;
  return meant;
end $$;

-- Words as they stand and by their stems.
create function word_queries(words text[], configurations regconfig[]) returns tsquery[] language plpgsql stable as $$
begin
  return array(select distinct q from unnest(words) w cross join unnest('simple_unaccented'::regconfig || configurations) c
    cross join lateral phraseto_tsquery(c, search_text(w)) q where numnode(q) > 0);
end $$;

-- A row that may be found has this word in what the person may know of it, whatever the filters.
create function is_word_found(tenant bigint, a search_scope, word tsquery) returns boolean language plpgsql stable as $$
#variable_conflict use_variable
begin
  return exists (select from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && array[tenant] and i.words @@ word and i.tenant_id + 0 = tenant
    and (is_content_known(i, a.drafts, a.user_id, a.trained) or i.label @@ word)
    and is_findable(i, a.kinds, a.user_id, a.documents, a.status, null, null, null, null));
end $$;

-- A word that matches nothing, replaced by the words that it may have been before it was mistyped, and by a similar one of the titles that
-- may be found. The replacement depends on nothing that the person may not know: each of its forms is in a row that they may find. Of the
-- many words that it may have been there is mostly none, which one statement tells.
create or replace function spelt_right(word jsonb, a search_scope, configurations regconfig[]) returns jsonb language plpgsql stable set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  typed constant text := plain_words(word ->> 'text');
  most_letters constant integer := 30;
  meant text;
  candidates tsquery[];
  errors tsquery[];
  forms tsquery[];
begin
  if length(typed) < 4 then return word; end if;
  meant := similar_word(typed, a);
  if meant is not null then candidates := word_queries(array[meant], configurations); end if;
  -- Codes and numbers are typed with care, and one letter less is another code.
  if typed ~ '^[[:alpha:]]+$' and length(typed) between 5 and most_letters then
    errors := word_queries(typing_errors(typed), configurations);
    if is_word_found(tenant, a, (select string_agg(format('(%s)', q), ' | ')::tsquery from unnest(errors) q)) then
      candidates := array(select unnest(candidates) union select unnest(errors));
    end if;
  end if;
  forms := array(select q from unnest(candidates) q where is_word_found(tenant, a, q));
  if forms = '{}' then return word; end if;
  return (select word || jsonb_build_object('text', coalesce(meant, word ->> 'text'), 'typed', jsonb_agg(q), 'any', string_agg(format('(%s)', q), ' | '))
    from unnest(forms) q);
end $$;

-- The forms of words, in their order and of each word first as it was typed, then other names, then those that are the prefix of a document
-- type (`are_prefixes`).
create function word_forms(words jsonb, out forms tsquery[], out are_prefixes boolean[])
  language plpgsql immutable set search_path = pg_catalog, public, pg_temp as $$
begin
  select coalesce(array_agg(f.form::tsquery order by f.place, f.kind), '{}'), array_agg(f.kind = 3 order by f.place, f.kind) into forms, are_prefixes
  from (select place, kind, jsonb_array_elements_text(names) as form
    from jsonb_array_elements(words) with ordinality w (word, place) cross join lateral (values (1, word -> 'typed'), (2, word -> 'other'), (3, word -> 'prefix')) n (kind, names)) f;
end $$;

-- {words, exact, total, counted, everything, are_frequent} and what was found in arrays of the same length: version_ids, lengths, ranks, are_exact,
-- are_numbers, may_know. `ranks` has for each row the rank of each form of word_forms(), and `lengths` the factor of its length.
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
  prefix_places constant real[] := ranking ->> 'prefix_places';
  normalization constant integer := ranking ->> 'normalization';
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
  -- As many as are counted: more are found faster by their words.
  among constant bigint[] := case when are_frequent and is_narrowed then few_findable(tenant, a, most_counted) end;
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
  forms tsquery[];
  are_prefixes boolean[];
  lengths real[];
  ranks real[];
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
    matching := coalesce(exact && !!never, exact);
    exactly := matching_versions(tenant, a, among, matching, pairs, are_frequent, most_counted + 1);
    total := cardinality(exactly);
    exit when attempt = 2 or total > 0;
    -- A word that nothing has, whatever the filters, may be mistyped. One that many have is looked for no more.
    for word in select jsonb_array_elements(words) loop
      if (word ->> 'can_be_mistyped')::boolean and coalesce((word ->> 'found')::integer < most_weighed, true) then
        one := word ->> 'any';
        matching := coalesce(one && !!never, one);
        if matching_versions(tenant, unfiltered, null, matching, '{}', not word ? 'found', 1) = '{}' then
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

  select f.forms, f.are_prefixes into forms, are_prefixes from word_forms(words) f;
  any_word := array_to_string(forms, ' | ');
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
          some_found := array(select v from unnest(matching_versions(tenant, a, case when (word ->> 'found')::integer >= most_weighed then among end, matching, '{}', false, most_counted)) v order by v desc limit most_of_word);
        end if;
        partly := partly || some_found;
      end loop;
    end if;
  end if;

  -- Arrays of arrays have no empty ones in them.
  if forms = '{}' then forms := array['']; end if;
  -- An element of an array is unpacked, so each row is unpacked once. What ts_rank makes of a length is the same for each query, so the first
  -- form that a row has tells it; a query of all forms takes ten times as long.
  select array_agg(s.version_id), array_agg(s.length), array_agg(s.ranks), array_agg(s.is_exact), array_agg(s.version_id = any(numbered)), array_agg(s.may_know)
    into version_ids, lengths, ranks, are_exact, are_numbers, may_know
  from (select f.version_id, f.may_know, coalesce(f.vector @@ exact, false) as is_exact,
      coalesce(ts_rank(places, f.vector, forms[1], normalization) / nullif(ts_rank(places, f.vector, forms[1]), 0),
        ts_rank(places, f.vector, forms[2], normalization) / nullif(ts_rank(places, f.vector, forms[2]), 0),
        ts_rank(places, f.vector, any_word, normalization) / nullif(ts_rank(places, f.vector, any_word), 0), 0) as length,
      array(select ts_rank(case when u.is_prefix then prefix_places else places end, f.vector, u.form) from unnest(forms, are_prefixes) u (form, is_prefix)) as ranks
    from (select known.version_id, known.may_know, case when known.may_know then (array[known.words])[1] else known.label end as vector
      from (select i.version_id, i.words, i.label, is_content_known(i, a.drafts, a.user_id, a.trained) as may_know
        from document_index i where i.tenant_id = tenant and i.version_id = any(exactly[1:most] || partly || numbered || near)
          and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)) known offset 0) f
    where f.version_id = any(numbered) or (must is null or f.vector @@ must) and (never is null or not f.vector @@ never)) s;
  return json_build_object('words', words, 'exact', exact::text, 'total', total, 'everything', everything, 'are_frequent', are_frequent, 'counted', counted,
    'version_ids', coalesce(version_ids, '{}'), 'lengths', coalesce(lengths, '{}'), 'ranks', coalesce(ranks, '{}'), 'are_exact', coalesce(are_exact, '{}'),
    'are_numbers', coalesce(are_numbers, '{}'), 'may_know', coalesce(may_know, '{}'));
end $$;

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
  found := array(select v from unnest(matching_versions(tenant, a, case when are_frequent then few_findable(tenant, a, most - 1) end, coalesce(exact::tsquery && !!never::tsquery, exact::tsquery), pairs, are_frequent, most)) v
    except select unnest(leave_out) order by 1 desc limit take offset skip);
  return query select i.version_id, is_content_known(i, a.drafts, a.user_id, a.trained) from document_index i where i.tenant_id = tenant and i.version_id = any(found)
    order by i.version_id desc;
end $$;

-- The best passages of these versions, a few of each, where the person may know the content. `telling` matches one of the words; `forms` are
-- as of word_forms().
create function search_pieces(asked jsonb, telling tsquery, forms tsquery[], word integer[], share double precision[], is_prefix boolean[], ranking jsonb,
    versions bigint[], most_of_version integer)
  returns table (version_id bigint, "position" integer, score real)
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  tenant constant bigint := current_tenant();
  a constant search_scope := jsonb_populate_record(null::search_scope, asked);
  places constant real[] := ranking ->> 'places';
  prefix_places constant real[] := ranking ->> 'prefix_places';
  normalization constant integer := ranking ->> 'normalization';
  exponent constant double precision := ranking ->> 'power';
begin
  if tenant is null or telling is null then return; end if;
  return query
    select i.version_id, c.position, c.score
    from document_index i cross join lateral (
      select p.position, (power(coalesce(ts_rank(places, p.vector, forms[1], normalization) / nullif(ts_rank(places, p.vector, forms[1]), 0),
          ts_rank(places, p.vector, telling, normalization) / nullif(ts_rank(places, p.vector, telling), 0), 0), exponent)
        * (select sum(g.best) from (select max(u.share * power(ts_rank(case when u.is_prefix then prefix_places else places end, p.vector, u.form), exponent)) as best
          from unnest(forms, word, share, is_prefix) u (form, word, share, is_prefix) group by u.word) g))::real as score
      from (select u.position, u.vector from (select k.position, (array[k.words])[1] as vector from document_chunks k
          where k.tenant_id = i.tenant_id and k.version_id = i.version_id offset 0) u
        where u.vector @@ telling order by u.position limit 2000) p
      order by 2 desc, 1 limit most_of_version) c
    where i.tenant_id = tenant and i.version_id = any(versions) and is_content_known(i, a.drafts, a.user_id, a.trained)
      and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
    order by c.score desc, i.version_id desc, c.position;
end $$;

revoke execute on function listed_day(timestamptz, date, timestamptz), few_findable(bigint, search_scope, integer), word_forms(jsonb), word_queries(text[], regconfig[]), version_bounds(bigint), is_word_found(bigint, search_scope, tsquery), key_lists(bigint, search_scope, boolean, integer),
  matching_versions(bigint, search_scope, bigint[], tsquery, integer[], boolean, integer), search_texts(jsonb, jsonb, bigint[], jsonb),
  search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer), search_pieces(jsonb, tsquery, tsquery[], integer[], double precision[], boolean[], jsonb, bigint[], integer) from public;
grant execute on function listed_day(timestamptz, date, timestamptz), search_texts(jsonb, jsonb, bigint[], jsonb), search_pieces(jsonb, tsquery, tsquery[], integer[], double precision[], boolean[], jsonb, bigint[], integer),
  search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer) to attest_app;
