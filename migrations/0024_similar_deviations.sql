-- Finding deviations by their words. Row security switches off the index conditions of a text search, because `@@`, `%` and `&&` are
-- not leakproof: so what is searched is a table of its own, which two functions read for the tenant of the transaction with the rights
-- of the owner. It is kept in the transaction that changes the deviation, and holds nothing that the deviation does not say.

create extension if not exists btree_gin;

create text search configuration english_unaccented (copy = pg_catalog.english);
alter text search configuration english_unaccented alter mapping for hword, hword_part, word with unaccent, english_stem;

create table deviation_index (
  tenant_id bigint not null default current_tenant() references tenants,
  deviation_id bigint not null,
  -- Without accents, in small letters; the same holds for items.
  title text not null,
  words tsvector not null,
  items text[] not null,
  severity text not null,
  category text,
  root_cause_category text,
  primary key (tenant_id, deviation_id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id)
);
-- Without the list of pending entries, which every search would have to read through.
create index deviation_index_words on deviation_index using gin (tenant_id, words) with (fastupdate = off);
create index deviation_index_title on deviation_index using gin (tenant_id, title gin_trgm_ops) with (fastupdate = off);
create index deviation_index_items on deviation_index using gin (tenant_id, items) with (fastupdate = off);
call tenant_table('deviation_index', 'select');

create function plain_words(text) returns text language sql stable set search_path = pg_catalog, public, pg_temp as
  $$ select lower(unaccent($1)) $$;
create function plain_items(affected jsonb) returns text[] language sql stable set search_path = pg_catalog, public, pg_temp as
  $$ select coalesce(array_agg(distinct plain_words(btrim(item ->> 'identifier'))), '{}') from jsonb_array_elements(affected) item $$;

create function index_deviation() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into deviation_index as i (tenant_id, deviation_id, title, words, items, severity, category, root_cause_category)
  values (new.tenant_id, new.id, plain_words(new.title),
    setweight(to_tsvector('english_unaccented', concat_ws(' ', new.number, replace(new.number, '-', ' '), new.title)), 'A')
      || setweight(to_tsvector('english_unaccented', new.description), 'B')
      || setweight(to_tsvector('english_unaccented', coalesce(new.investigation, '')), 'C'),
    plain_items(new.affected_items), new.severity, new.category, new.root_cause_category)
  on conflict (tenant_id, deviation_id) do update set title = excluded.title, words = excluded.words, items = excluded.items,
    severity = excluded.severity, category = excluded.category, root_cause_category = excluded.root_cause_category;
  return null;
end $$;
create trigger indexed after insert or update of number, title, description, investigation, affected_items, severity, category, root_cause
  on deviations for each row execute function index_deviation();

-- What a list is filtered by: the deviations with all these words, each of which may be the beginning of one; "quoted", or, -not.
-- Asked as `id = any(array(select find_deviations(...)))` it is read once, and the ids are looked up in the order of an index.
create function find_deviations(query text) returns setof bigint
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
  asked tsquery := regexp_replace(websearch_to_tsquery('english_unaccented', query)::text, '''(?=[ )]|$)', ''':*', 'g')::tsquery;
begin
  return query select deviation_id from deviation_index where tenant_id = current_tenant() and words @@ asked;
end $$;

-- The words of a text that tell something, as they stand in it and as they are indexed, each with the share of all deviations that
-- have it: the last analysis counted the frequent ones, what it did not count is rarer than they are.
create function telling_words(query text, out word text, out lexeme text, out share real) returns setof record
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  with counted as (
      select c.lexeme, c.share from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) c (lexeme, share)
      where schemaname = 'public' and tablename = 'deviation_index' and attname = 'words' and c.lexeme is not null),
    least as (select coalesce(min(c.share), 0.001) / 2 as share from counted c)
  select distinct on (l.lexeme) lower(t.token), l.lexeme, coalesce(c.share, least.share)
  from (select distinct p.token from ts_parse('default', query) p where p.tokid not in (12, 13, 14)) t
    cross join lateral unnest(to_tsvector('english_unaccented', t.token)) l
    cross join least left join counted c using (lexeme)
  order by l.lexeme, length(t.token)
$$;

-- Deviations with the rarer words of a text, with one of the items, or with a title like the given one: what is scored, never all
-- there are. Of words that many have the newest are taken. It reads for the tenant of the transaction alone.
create function similar_deviations(query text, query_title text, query_items text[], leave_out bigint, of_severity text, of_category text,
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
  known jsonb;
  whole real;
  rare text;
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
  -- Words that all have: any of them will do.
  if rare is null then select string_agg(quote_literal(lexeme), ' | ') into rare from jsonb_object_keys(known) lexeme; end if;
  if rare is not null then
    execute format('select array_agg(deviation_id) from (select deviation_id from (
        select i.deviation_id, i.words from deviation_index i where %s and words @@ %L::tsquery order by deviation_id desc limit %s) newest
      order by ts_rank(words, %L::tsquery) desc, deviation_id desc limit %s) best', condition, rare, most_expected,
      (select string_agg(quote_literal(lexeme), ' | ') from jsonb_object_keys(known) lexeme), most_ranked) into found;
  end if;
  if cardinality(query_items) > 0 then
    execute format('select $1 || array(select deviation_id from deviation_index where %s and items && %L::text[]
      order by deviation_id desc limit %s)', condition, query_items, most_ranked) into found using coalesce(found, '{}');
  end if;
  -- Another spelling, or words that nobody else used.
  if coalesce(cardinality(found), 0) < few_found then
    execute format('select $1 || array(select t.deviation_id
      from (select distinct word from regexp_split_to_table(%L, ''[^[:alnum:]]+'') word where length(word) > 3 limit 8) asked,
        lateral (select deviation_id from deviation_index where %s and word <%% title limit %s) t)',
      left(query_title, 200), condition, few_found * 4) into found using coalesce(found, '{}');
  end if;
  return query
    select i.deviation_id, coalesce(w.shared, '{}'), coalesce(w.sum / nullif(whole, 0), 0)::real,
      greatest(similarity(i.title, query_title), word_similarity(query_title, i.title))::real,
      array(select unnest(i.items) intersect select unnest(query_items)), i.category, i.root_cause_category
    from deviation_index i left join lateral (
        select array_agg(known -> l.lexeme ->> 0 order by (known -> l.lexeme ->> 1)::real desc) as shared,
          sum((known -> l.lexeme ->> 1)::real) as sum
        from unnest(i.words) l where known ? l.lexeme) w on true
    where i.tenant_id = tenant and i.deviation_id = any(found);
end $$;

revoke execute on function index_deviation(), find_deviations(text), telling_words(text), plain_words(text), plain_items(jsonb),
  similar_deviations(text, text, text[], bigint, text, text) from public;
grant execute on function find_deviations(text), plain_words(text), plain_items(jsonb),
  similar_deviations(text, text, text[], bigint, text, text) to attest_app;

-- Lists are sorted by it, whatever is over.
create index deviations_due_date on deviations (tenant_id, due_date, id);
-- Counts what a list is filtered by together, without reading the rows.
create index deviations_filters on deviations (tenant_id, category, severity, status, id);
