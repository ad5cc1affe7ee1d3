-- The beginning of a word is found among a company's own words. An index on the words of all companies has those that begin so collected for
-- all of them, before it looks at the company.

-- The places of a beginning among the 2,048 bits of word_beginnings(). By at most four letters, as most words differ by these.
create function beginning_bit(letters text) returns integer language sql immutable parallel safe as
  $$ select hashtext(left(letters, 4)) & 2047 $$;

-- A bit for the first three letters of each word, and one for the first four. Without a bit no word begins so; with it, one may.
create function word_beginnings(words tsvector) returns bit(2048) language plpgsql immutable parallel safe set search_path = pg_catalog, public, pg_temp as $$
declare
  word text;
  bits bit(2048) := 0::bit(2048);
begin
  foreach word in array tsvector_to_array(words) loop
    if length(word) > 2 then bits := set_bit(bits, beginning_bit(left(word, 3)), 1); end if;
    if length(word) > 3 then bits := set_bit(bits, beginning_bit(word), 1); end if;
  end loop;
  return bits;
end $$;

alter table document_index add column beginnings bit(2048) generated always as (word_beginnings(words)) stored;

-- The versions of a tenant of few that may have the beginning of a word which a query asks for; null if the query asks for none that
-- everything it matches has, or the tenant has more versions: among many, the index on words takes less time than comparing them one by one.
create function few_beginning(tenant bigint, matching tsquery) returns bigint[] language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set enable_indexscan = on set enable_bitmapscan = off as $$
#variable_conflict use_variable
declare
  most constant integer := 2000;
  query constant text := matching::text;
  -- Words that are all asked for, or excluded, and none with a letter of the query language in it.
  beginning constant text := case when query ~ '^!?''[^'' ]+''(:\*)?( & !?''[^'' ]+''(:\*)?)*$' then substring(query from '(?:^| )''([^'' ]+)'':\*') end;
  bits constant bit(2048) := case when length(beginning) > 2 then set_bit(0::bit(2048), beginning_bit(beginning), 1) else 0::bit(2048) end;
begin
  if beginning is null or exists (select from document_index i where i.tenant_id = tenant offset most) then return null; end if;
  return array(select i.version_id from document_index i where i.tenant_id = tenant and i.beginnings & bits = bits);
end $$;

-- As before, but for the beginnings of words.
create or replace function matching_versions(tenant bigint, a search_scope, among bigint[], matching tsquery, pairs integer[], are_frequent boolean, most integer) returns bigint[]
  language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
  is_more boolean;
  times integer;
  found bigint[];
  few constant bigint[] := coalesce(among, case when matching::text like '%:*%' then few_beginning(tenant, matching) end);
begin
  if few is not null then
    return array(select i.version_id from document_index i where i.tenant_id = tenant and i.version_id = any(few)
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
  few constant bigint[] := case when matching::text like '%:*%' then few_beginning(tenant, matching) end;
begin
  if few is not null then
    return array(select i.version_id from document_index i where i.tenant_id = tenant and i.version_id = any(few) and (array[i.label])[1] @@ matching
        and (never is null or not case when is_content_known(i, a.drafts, a.user_id, a.trained) then i.words else i.label end @@ never) and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to)
      order by i.version_id desc limit most);
  end if;
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
  few constant bigint[] := case when word::text like '%:*%' then few_beginning(tenant, word) end;
begin
  if few is not null then
    return (select count(*) from (select from document_index i where i.tenant_id = tenant and i.version_id = any(few) and (array[i.words])[1] @@ word
      and i.status_kind = 'effective' and not i.is_restricted limit most) n);
  end if;
  for keys, is_more, times in select k.keys, k.is_more, k.times from key_lists(tenant, null, true, 1) k loop
    continue when found * times < most and times > 0;
    found := case when is_more then found else 0 end + (select count(*) from (select from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.words @@ word and i.tenant_id + 0 = tenant
      and i.status_kind = 'effective' and not i.is_restricted limit most - case when is_more then found else 0 end) n);
    exit when found = most;
  end loop;
  return found;
end $$;

revoke execute on function few_beginning(bigint, tsquery) from public;

-- A deviation has few words, so each word with its tenant before it is in an index of its own, as the words of own_words() are.
create function tenant_words(tenant bigint, words tsvector) returns tsvector language sql immutable parallel safe set search_path = pg_catalog, pg_temp as
  $$ select array_to_tsvector(array(select tenant || '/' || lexeme from unnest(tsvector_to_array(words)) lexeme)) $$;
create index deviation_index_own_words on deviation_index using gin (tenant_words(tenant_id, words)) with (fastupdate = off);

-- Deviations with all these words, each of which may be the beginning of a word; "quoted", or, -not. Used as `id =
-- any(array(select find_deviations(...)))`, it runs once, and the ids are looked up in the order of an index.
create or replace function find_deviations(query text) returns setof bigint
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan
  set cpu_operator_cost = 0.1 set jit = off as $$
declare
  tenant constant bigint := current_tenant();
  asked constant tsquery := regexp_replace(websearch_to_tsquery('english_unaccented', query)::text, '''(?=[ )]|$)', ''':*', 'g')::tsquery;
  -- What is not excluded. `T`: nothing.
  wanted constant text := querytree(asked);
  -- The same words with the tenant before each. They have no places: whether they follow each other is looked at in the rows, and not in
  -- the index on words, which `|| ''` keeps out.
  own constant tsquery := case when wanted not in ('', 'T') then
    regexp_replace(regexp_replace(wanted, '(^|[ (])''', '\1''' || tenant || '/', 'g'), ' <[-\d]+> ', ' & ', 'g')::tsquery end;
begin
  if own is null then
    return query select deviation_id from deviation_index where tenant_id = tenant and words @@ asked;
  else
    return query select deviation_id from deviation_index where tenant_id = tenant and tenant_words(tenant_id, words) @@ own and (words || '') @@ asked;
  end if;
end $$;
