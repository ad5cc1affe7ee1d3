-- What a mistyped word may have been is looked for among the newest versions first, as frequent words are. Among 100,000 documents a search
-- for two mistyped words compared 5,000 titles letter by letter, and collected all versions that have the right ones.

-- The block of versions by which a title is found among the newest ones.
drop index document_index_title;
create index document_index_title on document_index using gin (tenant_id, (version_id >> 10), title gin_trgm_ops) with (fastupdate = off);

-- The word of the titles that may be found which is most similar to a word without accents: among the newest versions, then among all, and of
-- each first among nearer titles, which are found several times as fast. A word as near as these titles is in one of them.
create or replace function similar_word(typed text, a search_scope) returns text language plpgsql stable
  set search_path = pg_catalog, public, pg_temp set pg_trgm.word_similarity_threshold = 0.45 as $$
#variable_conflict use_variable
declare
  tenant constant bigint := current_tenant();
  newest constant bigint := (select b.newest >> 10 from version_bounds(tenant) b);
  among_newest boolean;
  least real;
  titles text[];
  meant text;
begin
  foreach least in array array[0.6, 0.45] loop
    perform set_config('pg_trgm.word_similarity_threshold', least::text, true);
    foreach among_newest in array array[true, false] loop
      -- Two statements: of one whose condition may be absent, the plan that is kept reads no index for it.
      if among_newest then
        titles := array(select i.title from document_index i where i.tenant_id = tenant and i.version_id >> 10 = any(array[newest - 1, newest]) and typed <% i.title
          and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) order by i.version_id desc limit 200);
      else
        titles := array(select i.title from document_index i where i.tenant_id = tenant and typed <% i.title
          and is_findable(i, a.kinds, a.user_id, a.documents, a.status, a.document_type, a.category, a.date_from, a.date_to) order by i.version_id desc limit 200);
      end if;
      -- A regular expression takes longer than all else here, so it divides each different part of the titles once, and few of them.
      meant := (select s.w from (select t.w, similarity(t.w, typed) as likeness from (select distinct t.w from (
          select distinct p.part from unnest(titles) near (title), string_to_table(near.title, ' ') p (part)) parts,
          unnest(case when parts.part ~ '[^[:alnum:]]' then regexp_split_to_array(parts.part, '[^[:alnum:]]+') else array[parts.part] end) t (w) where length(t.w) > 2) t offset 0) s
        where s.likeness >= case when least = 0.6::real then 0.6 else 0.4 end order by s.likeness desc, s.w limit 1);
      if meant is not null then return meant; end if;
    end loop;
  end loop;
  return null;
end $$;

-- A row that may be found has this word in what the person may know of it, whatever the filters.
create or replace function is_word_found(tenant bigint, a search_scope, word tsquery) returns boolean language plpgsql stable as $$
#variable_conflict use_variable
declare
  keys bigint[];
begin
  for keys in select k.keys from key_lists(tenant, null, true, 1) k loop
    if exists (select from document_index i where search_keys(i.tenant_id, i.version_id, i.document_type_id, i.category) && keys and i.words @@ word and i.tenant_id + 0 = tenant
      and (is_content_known(i, a.drafts, a.user_id, a.trained) or i.label @@ word)
      and is_findable(i, a.kinds, a.user_id, a.documents, a.status, null, null, null, null)) then return true; end if;
  end loop;
  return false;
end $$;
