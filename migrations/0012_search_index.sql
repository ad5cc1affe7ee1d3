-- The search index: words and vectors of documents and deviations. All of it is made from records and files, and can be made again. Row
-- security switches off the index conditions of a text search, because `@@`, `%` and `&&` are not leakproof: so the index is in tables
-- of its own, which functions with the rights of the owner search for the tenant of the transaction.

-- Text search without accents: English, each word as it stands (for codes, names and unknown languages), and the languages for which
-- PostgreSQL 15 has stems.
create text search configuration simple_unaccented (copy = pg_catalog.simple);
alter text search configuration simple_unaccented alter mapping for hword, hword_part, word with unaccent, simple;
do $$
declare
  language text;
begin
  foreach language in array '{arabic, armenian, basque, catalan, danish, dutch, english, finnish, french, german, greek, hindi, hungarian, indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish, swedish, tamil, turkish, yiddish}'::text[] loop
    execute format('create text search configuration %1$s_unaccented (copy = pg_catalog.%1$s)', language);
    execute format('alter text search configuration %1$s_unaccented alter mapping for hword, hword_part, word with unaccent, %1$s_stem', language);
  end loop;
end $$;

create function plain_words(text) returns text language sql stable set search_path = pg_catalog, public, pg_temp as
  $$ select lower(unaccent($1)) $$;
create function plain_items(affected jsonb) returns text[] language sql stable set search_path = pg_catalog, public, pg_temp as
  $$ select coalesce(array_agg(distinct plain_words(btrim(item ->> 'identifier'))), '{}') from jsonb_array_elements(affected) item $$;

create table deviation_index (
  tenant_id bigint not null default current_tenant() references tenants,
  deviation_id bigint not null,
  -- Without accents, in lower case, as items are.
  title text not null,
  words tsvector not null,
  items text[] not null,
  severity text not null,
  category text,
  root_cause_category text,
  -- That of the deviation which the row was made from.
  content_revision integer not null,
  primary key (tenant_id, deviation_id),
  foreign key (tenant_id, deviation_id) references deviations (tenant_id, id)
);
comment on table deviation_index is 'The words of deviations for search, made from the deviations by a projection.';
-- Without the list of pending entries, which every search would have to read.
create index deviation_index_words on deviation_index using gin (tenant_id, words) with (fastupdate = off);
create index deviation_index_title on deviation_index using gin (tenant_id, title gin_trgm_ops) with (fastupdate = off);
create index deviation_index_items on deviation_index using gin (tenant_id, items) with (fastupdate = off);
call tenant_table('deviation_index');

create table document_texts (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  document_id bigint not null,
  -- `no_text`: nothing to extract, as in a scan where text recognition is not installed.
  status text not null default 'waiting' check (status in ('waiting', 'extracted', 'no_text', 'failed')),
  -- A sentence that says why there is no text, or not all of it.
  reason text,
  -- The version of the rules that extracted the text; texts of older rules can be extracted again.
  extractor integer,
  -- ISO 639-3, where the language was recognized.
  language text,
  pages integer check (pages >= 0),
  characters integer check (characters >= 0),
  -- Recognized in pictures: letters may be wrong.
  by_ocr boolean not null default false,
  extracted_at timestamptz,
  primary key (tenant_id, version_id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  check ((status = 'waiting') = (extracted_at is null))
);
comment on table document_texts is 'The state of text extraction from the file of each version.';
create index document_texts_document on document_texts (tenant_id, document_id, version_id);
create index document_texts_waiting on document_texts (tenant_id, version_id) where status = 'waiting';
-- The languages of a tenant are read from it without the rows.
create index document_texts_language on document_texts (tenant_id, language);
call tenant_table('document_texts');

create table document_chunks (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  position integer not null check (position >= 0),
  page integer check (page > 0),
  -- The nearest heading above the text.
  heading text,
  body text not null check (body <> ''),
  -- C: heading, D: body.
  words tsvector not null,
  primary key (tenant_id, version_id, position),
  foreign key (tenant_id, version_id) references document_texts (tenant_id, version_id)
);
comment on table document_chunks is 'Extracted texts in passages, which answers quote and vectors are made of.';
call tenant_table('document_chunks', 'select, insert, update, delete');

-- A number however it is typed: SOP-0012, sop 12 and SOP0012 are sop-12.
create function plain_number(text) returns text language sql immutable parallel safe set search_path = pg_catalog, public, pg_temp as $$
  select btrim(regexp_replace(regexp_replace(regexp_replace(lower($1), '[^[:alnum:]]+', '-', 'g'),
    '([[:alpha:]])(?=[0-9])|([0-9])(?=[[:alpha:]])', '\1\2-', 'g'), '(^|-)0+(?=[0-9])', '\1', 'g'), '-') $$;

create table document_index (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  document_id bigint not null,
  number text not null,
  -- Without accents, in lower case.
  title text not null,
  document_type_id bigint not null,
  category text,
  status text not null,
  status_kind text not null,
  owner_id bigint not null,
  created_by bigint not null,
  -- The effective date, in the tenant's time zone of that moment; of a version that was never effective, the day (UTC) of its upload.
  listed_on date not null,
  -- Readers of the document see this version.
  is_shown boolean not null,
  -- The text is only for people who are trained on it or are being trained (gate `before_access`).
  is_restricted boolean not null,
  -- A: title and number, B: keywords and description, C: headings, D: text.
  words tsvector not null default '',
  -- Title, number, keywords and description apart from the text, because unpacking the words of a text takes a hundred times as long.
  label tsvector generated always as (ts_filter(words, '{a,b}')) stored,
  -- That of the version which title and label were made from: an unchanged label keeps its words, and so the indexes on them.
  content_revision integer not null,
  primary key (tenant_id, version_id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id)
) with (fillfactor = 70); -- a change of state finds room beside the old row, and touches no index
comment on table document_index is 'The words and filters of versions for search, made from documents, versions and their texts by a projection.';
create index document_index_document on document_index (tenant_id, document_id, version_id);
create index document_index_words on document_index using gin (tenant_id, words) with (fastupdate = off);
create index document_index_label on document_index using gin (tenant_id, label) with (fastupdate = off);
create index document_index_title on document_index using gin (tenant_id, title gin_trgm_ops) with (fastupdate = off);
create index document_index_number on document_index (tenant_id, plain_number(number));
create index document_index_number_parts on document_index using gin (tenant_id, number gin_trgm_ops) with (fastupdate = off);
call tenant_table('document_index');

-- The text search configuration for an ISO 639-3 language. An unknown language is read as English, the language of most documents; a language
-- without stems word by word. These functions name their schema instead of setting a path, because they run for some hundred thousand
-- passages.
create function words_configuration(language text) returns regconfig language sql immutable parallel safe as $$
  select ('public.' || case coalesce(language, 'eng') when 'eng' then 'english' when 'deu' then 'german' when 'fra' then 'french'
    when 'spa' then 'spanish' when 'ita' then 'italian' when 'por' then 'portuguese' when 'nld' then 'dutch' when 'dan' then 'danish'
    when 'swe' then 'swedish' when 'nob' then 'norwegian' when 'nno' then 'norwegian' when 'fin' then 'finnish' when 'hun' then 'hungarian'
    when 'ron' then 'romanian' when 'rus' then 'russian' when 'tur' then 'turkish' when 'ell' then 'greek' when 'cat' then 'catalan'
    when 'eus' then 'basque' when 'lit' then 'lithuanian' when 'gle' then 'irish' when 'srp' then 'serbian' when 'hye' then 'armenian'
    when 'ind' then 'indonesian' when 'arb' then 'arabic' when 'hin' then 'hindi' when 'nep' then 'nepali' when 'tam' then 'tamil'
    when 'ydd' then 'yiddish' else 'simple' end || '_unaccented')::regconfig $$;

-- Prepares texts and queries for the parser. The parser would take `cleaning/disinfection` for the path of a file, `line_2` for one word
-- and, in a database with the locale C, each sign beyond ASCII for a letter, as in “word” and word–word.
create function search_text(text) returns text language sql stable parallel safe as $$
  select translate(case when octet_length($1) = length($1) then lower($1) else regexp_replace(lower(normalize($1, nfkc)),
    '[\u0080-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2010-\u2070\u207a-\u207e\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3008-\u3020\uff00-\uff0f\ufffc\ufffd]',
    ' ', 'g') end, '/\_|' || U&'\00AD\200B\200C\200D\2060\FEFF', '    ') $$;

-- Each word by its stem and as it stands, at the same position, so that a phrase may mix them. The parser reads the number of `FRM-017` as
-- -017: it is found by 017 as well.
create function text_words(language text, body text) returns tsvector language plpgsql stable parallel safe as $$
declare
  plain constant text := public.search_text(body);
  words constant text := to_tsvector(public.words_configuration(language), plain)::text || ' '
    || to_tsvector('public.simple_unaccented', plain)::text;
begin
  return case when words like '%''-%' then regexp_replace(words, '''-(\d[\d.]*)''(:\S+)', '''-\1''\2 ''\1''\2', 'g') else words end::tsvector;
end $$;

-- The words of a passage. C: the heading, D: the text.
create function chunk_words(language text, heading text, body text) returns tsvector language sql stable parallel safe as $$
  select case when $2 is null then '' else setweight(public.text_words($1, $2), 'C') end || public.text_words($1, $3) $$;

-- A: the number, whole and in its parts (SOP-0012: sop-0012, sop, 0012, 12), and the title; B: keywords and description.
create function label_words(number text, title text, keywords text[], description text) returns tsvector language sql stable parallel safe as $$
  select setweight(
      (select string_agg(format('''%s'':%s', replace(word, '''', ''''''), place), ' ')::tsvector
        from (select lower(translate($1, '\', '')) as whole) n,
          lateral (select whole as word, 1::bigint as place
            union select part, place from regexp_split_to_table(whole, '[^[:alnum:]]+') with ordinality p (part, place)
            union select ltrim(part, '0'), place from regexp_split_to_table(whole, '[^[:alnum:]]+') with ordinality p (part, place)) parts
        where word <> '')
      || public.text_words('eng', $1) || public.text_words('eng', $2), 'A')
    || setweight(public.text_words('eng', concat_ws(' ', array_to_string($3, ' '), $4)), 'B') $$;

-- The words of a text, from all its passages; an index row has them before those of its label. A tsvector has at most 1 MB, 255 positions of a word, and
-- positions up to 16,383: the words of a longer text lose positions, then the rarest words are left out. `left_out` counts them.
create function content_words(of_version bigint, out content tsvector, out left_out integer) returns record language plpgsql stable
  set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  -- Leaves room for the label behind it.
  last_place constant integer := 14000;
  most_bytes constant bigint := 900000;
begin
  with pieces as (
      select c.position, c.words, c.heading is distinct from lag(c.heading) over (order by c.position) as is_heading
      from document_chunks c where c.tenant_id = current_tenant() and c.version_id = of_version),
    found as materialized (
      select p.position, p.is_heading, w.lexeme, w.positions, w.weights from pieces p cross join lateral unnest(p.words) w),
    spans as (
      select f.position, sum(max(f.positions[cardinality(f.positions)])) over (order by f.position) - max(f.positions[cardinality(f.positions)]) as before
      from found f group by f.position),
    places as (
      select f.lexeme, least(s.before + p.place, last_place) as place, p.weight, count(*) as times
      from found f join spans s using (position) cross join lateral unnest(f.positions, f.weights) p (place, weight)
      where s.before < last_place and (p.weight = 'D' or f.is_heading) group by 1, 2, 3
      union all
      select f.lexeme, last_place, f.weights[cardinality(f.weights)], sum(cardinality(f.positions))
      from found f join spans s using (position) where s.before >= last_place group by 1, 2, 3),
    words as (
      -- The positions of headings first, so that they are the last to be left out.
      select p.lexeme, array_agg(p.place || case p.weight when 'C' then 'C' else '' end order by p.weight, p.place) as places,
        octet_length(p.lexeme) + 4 as bytes, sum(p.times) as times
      from places p group by p.lexeme),
    room as (
      select coalesce(max(m.places), 1) as places from (values (255), (16), (1)) m (places)
      where (select sum(w.bytes + 2 * least(cardinality(w.places), m.places)) from words w) <= most_bytes),
    kept as (
      select w.lexeme, w.places[1:r.places] as places,
        sum(w.bytes + 2 * least(cardinality(w.places), r.places)) over (order by w.times desc, w.lexeme) <= most_bytes as has_room
      from words w cross join room r)
  select coalesce(string_agg(format('''%s'':%s', replace(replace(k.lexeme, '\', '\\'), '''', ''''''), array_to_string(k.places, ',')), ' ')
      filter (where k.has_room), '')::tsvector, count(*) filter (where not k.has_room) into content, left_out
  from kept k;
end $$;

-- How many texts were extracted by older rules, failed and are waiting, over all tenants, for the health report.
create function text_trouble(rules integer, out outdated bigint, out failed bigint, out waiting bigint)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*) filter (where extractor < $1), count(*) filter (where status = 'failed'), count(*) filter (where status = 'waiting')
  from document_texts $$;

create table embedding_models (
  id bigint generated always as identity primary key,
  -- Provider, model and dimensions: vectors of different ones cannot be compared.
  name text not null unique,
  dimensions integer not null check (dimensions between 16 and 4096),
  -- The model whose vectors queries are compared with. Vectors of the others are in preparation, or no longer used.
  is_searched boolean not null default false,
  created_at timestamptz not null default now()
);
comment on table embedding_models is 'The models that have made vectors of passages.';
create unique index embedding_models_searched on embedding_models (is_searched) where is_searched;
grant select on embedding_models to attest_app;

create table version_vectors (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  model_id bigint not null references embedding_models,
  -- A byte for each dimension of each passage, -127 to 127, beginning with position 0.
  vectors bytea not null,
  primary key (tenant_id, version_id, model_id),
  foreign key (tenant_id, version_id) references document_texts (tenant_id, version_id)
);
comment on table version_vectors is 'The vectors of all passages of a version.';
-- A part of an uncompressed value can be read alone.
alter table version_vectors alter vectors set storage external;
create index version_vectors_model on version_vectors (model_id, tenant_id, version_id);
call tenant_table('version_vectors', 'select, insert, delete');

create table chunk_bits (
  tenant_id bigint not null default current_tenant() references tenants,
  model_id bigint not null,
  version_id bigint not null,
  position integer not null check (position >= 0),
  bits bit varying not null,
  primary key (tenant_id, version_id, model_id, position),
  foreign key (tenant_id, version_id, model_id) references version_vectors (tenant_id, version_id, model_id) on delete cascade
);
comment on table chunk_bits is 'The signs of each vector, one bit per dimension: rows are narrow, because a query reads all those of a tenant.';
call tenant_table('chunk_bits', 'select, insert, delete');

-- Passages of a former text must not be found: their vectors are deleted, and made again.
create function forget_vectors() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- A process that is making vectors waits for this transaction, and then finds the new text.
  perform from document_texts t where (t.tenant_id, t.version_id) in (select tenant_id, version_id from changed) for no key update;
  delete from version_vectors v using (select distinct tenant_id, version_id from changed) c
  where v.tenant_id = c.tenant_id and v.version_id = c.version_id;
  return null;
end $$;
create trigger vectors_of_new after insert on document_chunks referencing new table as changed
  for each statement execute function forget_vectors();
create trigger vectors_of_old after delete on document_chunks referencing old table as changed
  for each statement execute function forget_vectors();
create trigger vectors_of_other after update on document_chunks referencing new table as changed
  for each statement execute function forget_vectors();

-- The embedding model reads a passage below the title of its version.
create function forget_vectors_of_title() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from document_texts t where t.tenant_id = new.tenant_id and t.version_id = new.id for no key update;
  delete from version_vectors v where v.tenant_id = new.tenant_id and v.version_id = new.id;
  return null;
end $$;
create trigger vectors_of_title after update of title on document_versions for each row when (old.title is distinct from new.title)
  execute function forget_vectors_of_title();

-- The id of a model, which is stored at its first use. The first model of all is searched.
create function embedding_model(of_name text, of_dimensions integer) returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  known bigint := (select id from embedding_models where name = of_name);
begin
  if known is null then
    lock table embedding_models in share row exclusive mode;
    insert into embedding_models (name, dimensions, is_searched)
    values (of_name, of_dimensions, not exists (select from embedding_models where is_searched))
    on conflict (name) do nothing;
    select id into known from embedding_models where name = of_name;
  end if;
  return known;
end $$;

-- How many versions of the installation have a text, and for how many of them the model has made vectors.
create function vector_progress(of_model bigint, out versions bigint, out made bigint) returns record
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*), count(v.version_id) from document_texts t
    left join version_vectors v on v.tenant_id = t.tenant_id and v.version_id = t.version_id and v.model_id = of_model
  where t.status = 'extracted'
$$;

-- Compares queries with the vectors of this model from now on, unless it has not seen every text of the installation.
create function search_by_model(of_model bigint) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from embedding_models where id = of_model and is_searched) then return true; end if;
  if exists (select from vector_progress(of_model) where made < versions) then return false; end if;
  lock table embedding_models in share row exclusive mode;
  update embedding_models set is_searched = false where is_searched;
  update embedding_models set is_searched = true where id = of_model;
  return true;
end $$;

revoke execute on function plain_words(text), plain_items(jsonb), plain_number(text),
  words_configuration(text), search_text(text), text_words(text, text), chunk_words(text, text, text),
  label_words(text, text, text[], text), content_words(bigint), text_trouble(integer), forget_vectors(), forget_vectors_of_title(),
  embedding_model(text, integer), vector_progress(bigint), search_by_model(bigint) from public;
grant execute on function plain_words(text), plain_items(jsonb), plain_number(text), words_configuration(text), search_text(text),
  text_words(text, text), chunk_words(text, text, text), label_words(text, text, text[], text), content_words(bigint), text_trouble(integer),
  embedding_model(text, integer), vector_progress(bigint), search_by_model(bigint) to attest_app;
