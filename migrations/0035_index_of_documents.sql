-- What a document is found by stands beside it, and is kept in the transaction that changes the document, its version or its type.

-- Each word as it stands, without accents: codes, names, and what is in a language that nobody told.
create text search configuration simple_unaccented (copy = pg_catalog.simple);
alter text search configuration simple_unaccented alter mapping for hword, hword_part, word with unaccent, simple;
-- And by its stem in the languages that PostgreSQL 15 has stems for; English is there.
do $$
declare
  language text;
begin
  foreach language in array '{arabic, armenian, basque, catalan, danish, dutch, finnish, french, german, greek, hindi, hungarian, indonesian, irish, italian, lithuanian, nepali, norwegian, portuguese, romanian, russian, serbian, spanish, swedish, tamil, turkish, yiddish}'::text[] loop
    execute format('create text search configuration %1$s_unaccented (copy = pg_catalog.%1$s)', language);
    execute format('alter text search configuration %1$s_unaccented alter mapping for hword, hword_part, word with unaccent, %1$s_stem', language);
  end loop;
end $$;

-- By ISO 639-3. What nobody told is read as English, as most of the trade is; what has no stems, as it stands. These functions name their
-- schema instead of setting a path: they are called for each of some hundred thousand pieces.
create function words_configuration(language text) returns regconfig language sql immutable parallel safe as $$
  select ('public.' || case coalesce(language, 'eng') when 'eng' then 'english' when 'deu' then 'german' when 'fra' then 'french'
    when 'spa' then 'spanish' when 'ita' then 'italian' when 'por' then 'portuguese' when 'nld' then 'dutch' when 'dan' then 'danish'
    when 'swe' then 'swedish' when 'nob' then 'norwegian' when 'nno' then 'norwegian' when 'fin' then 'finnish' when 'hun' then 'hungarian'
    when 'ron' then 'romanian' when 'rus' then 'russian' when 'tur' then 'turkish' when 'ell' then 'greek' when 'cat' then 'catalan'
    when 'eus' then 'basque' when 'lit' then 'lithuanian' when 'gle' then 'irish' when 'srp' then 'serbian' when 'hye' then 'armenian'
    when 'ind' then 'indonesian' when 'arb' then 'arabic' when 'hin' then 'hindi' when 'nep' then 'nepali' when 'tam' then 'tamil'
    when 'ydd' then 'yiddish' else 'simple' end || '_unaccented')::regconfig $$;

-- As words are read from it; what is asked for goes through this too. The parser takes `cleaning/disinfection` for the path of a file and
-- `line_2` for one word; where the database's letters are those of C, each sign beyond ASCII for a letter, as in “word” and word–word.
create function search_text(text) returns text language sql stable parallel safe as $$
  select translate(case when octet_length($1) = length($1) then lower($1) else regexp_replace(lower(normalize($1, nfkc)),
    '[\u0080-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2010-\u2070\u207a-\u207e\u20a0-\u20cf\u2190-\u2bff\u3000-\u3004\u3008-\u3020\uff00-\uff0f\ufffc\ufffd]',
    ' ', 'g') end, '/\_|' || U&'\00AD\200B\200C\200D\2060\FEFF', '    ') $$;

-- Each word by its stem and as it stands, at the same place: a phrase may mix them. The parser reads the number of `FRM-017` as -017: it
-- is found by 017 as well.
create function text_words(language text, body text) returns tsvector language plpgsql stable parallel safe as $$
declare
  plain constant text := public.search_text(body);
  words constant text := to_tsvector(public.words_configuration(language), plain)::text || ' '
    || to_tsvector('public.simple_unaccented', plain)::text;
begin
  return case when words like '%''-%' then regexp_replace(words, '''-(\d[\d.]*)''(:\S+)', '''-\1''\2 ''\1''\2', 'g') else words end::tsvector;
end $$;

-- C: the heading, D: the text. For a piece of a text; a whole text is put together from its pieces.
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

-- The day that a version is listed by; the tenant's day where it became effective, as it was written down then.
create function version_dated(effective_at timestamptz, effective_date date, created_at timestamptz) returns date language sql immutable as
  $$ select case when $1 is not null then $2 else ($3 at time zone 'UTC')::date end $$;

-- A version as it stands, in the index and among those whose text is to be read. The type is held until the end of the transaction:
-- who changes its gate meanwhile waits, and finds the row.
create function index_version() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    update document_index i set title = plain_words(new.title), category = new.category, status = new.status, status_kind = new.status_kind,
      dated = version_dated(new.effective_at, new.effective_date, new.created_at),
      -- Where the label is the same its words are not touched, and neither is the index on them.
      words = case when (old.title, old.keywords, old.description) is distinct from (new.title, new.keywords, new.description)
        then ts_filter(i.words, '{c,d}') || label_words(i.number, new.title, new.keywords, new.description) else i.words end
    where i.tenant_id = new.tenant_id and i.version_id = new.id;
  else
    insert into document_texts (tenant_id, version_id, document_id) values (new.tenant_id, new.id, new.document_id);
    insert into document_index (tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id,
      created_by, dated, is_shown, is_restricted, words)
    select new.tenant_id, new.id, d.id, d.number, plain_words(new.title), t.id, new.category, new.status, new.status_kind, d.owner_id,
      new.created_by, version_dated(new.effective_at, new.effective_date, new.created_at), d.shown_version_id is not distinct from new.id,
      coalesce(d.training_gate, t.training_gate) = 'before_access', label_words(d.number, new.title, new.keywords, new.description)
    from documents d join document_types t on t.tenant_id = d.tenant_id and t.id = d.document_type_id
    where d.tenant_id = new.tenant_id and d.id = new.document_id
    for share of t;
  end if;
  return null;
end $$;
create trigger indexed after insert on document_versions for each row execute function index_version();
create trigger indexed_again after update on document_versions for each row
  when ((old.title, old.keywords, old.description, old.category, old.status, old.status_kind, old.effective_at, old.effective_date) is distinct from
    (new.title, new.keywords, new.description, new.category, new.status, new.status_kind, new.effective_at, new.effective_date))
  execute function index_version();

create function index_document() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gate text := (select coalesce(new.training_gate, t.training_gate) from document_types t
    where t.tenant_id = new.tenant_id and t.id = new.document_type_id for share);
begin
  update document_index i set owner_id = new.owner_id, document_type_id = new.document_type_id, is_restricted = gate = 'before_access',
    is_shown = new.shown_version_id is not distinct from i.version_id
  where i.tenant_id = new.tenant_id and i.document_id = new.id
    and (i.owner_id, i.document_type_id, i.is_restricted, i.is_shown) is distinct from
      (new.owner_id, new.document_type_id, gate = 'before_access', new.shown_version_id is not distinct from i.version_id);
  return null;
end $$;
create trigger indexed after update on documents for each row
  when ((old.owner_id, old.document_type_id, old.training_gate, old.shown_version_id) is distinct from
    (new.owner_id, new.document_type_id, new.training_gate, new.shown_version_id))
  execute function index_document();

create function index_document_type() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update document_index i set is_restricted = new.training_gate = 'before_access'
  from documents d
  where d.tenant_id = new.tenant_id and d.document_type_id = new.id and d.training_gate is null
    and i.tenant_id = d.tenant_id and i.document_id = d.id and i.is_restricted is distinct from (new.training_gate = 'before_access');
  return null;
end $$;
create trigger indexed after update on document_types for each row when (old.training_gate is distinct from new.training_gate)
  execute function index_document_type();

-- Puts the words of a text, of all its pieces together, before those of its label. A text search vector has at most 1 MB, 255 places of a
-- word, and places up to 16,383: of a longer text the words lose places, then those are left out that it has most rarely. Answers how
-- many were left out.
create function index_content(of_version bigint) returns integer language plpgsql security definer
  set search_path = pg_catalog, public, pg_temp as $$
#variable_conflict use_column
declare
  tenant constant bigint := current_tenant();
  -- The label comes behind it.
  last_place constant integer := 14000;
  most_bytes constant bigint := 900000;
  content tsvector;
  left_out integer;
begin
  with pieces as (
      select c.position, c.words, c.heading is distinct from lag(c.heading) over (order by c.position) as is_heading
      from document_chunks c where c.tenant_id = tenant and c.version_id = of_version),
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
      -- The places of a heading first: they are the last to be left out.
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

  -- Who changes the document locks it first: in the same order nobody waits for the other.
  perform from documents d join document_index i on i.tenant_id = d.tenant_id and i.document_id = d.id
    where i.tenant_id = tenant and i.version_id = of_version for share of d;
  update document_index i set words = content || label_words(i.number, v.title, v.keywords, v.description)
  from document_versions v
  where i.tenant_id = tenant and i.version_id = of_version and v.tenant_id = i.tenant_id and v.id = i.version_id;
  return left_out;
end $$;

-- For the report on health: how many texts were read by older rules, cannot be read and are still to be read; of all tenants together.
create function text_trouble(rules integer, out outdated bigint, out failed bigint, out waiting bigint)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*) filter (where extractor < $1), count(*) filter (where status = 'failed'), count(*) filter (where status = 'waiting')
  from document_texts $$;

-- What is there already.
insert into document_texts (tenant_id, version_id, document_id) select tenant_id, id, document_id from document_versions;
insert into document_index (tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id,
  created_by, dated, is_shown, is_restricted, words)
select v.tenant_id, v.id, d.id, d.number, plain_words(v.title), t.id, v.category, v.status, v.status_kind, d.owner_id, v.created_by,
  version_dated(v.effective_at, v.effective_date, v.created_at), d.shown_version_id is not distinct from v.id,
  coalesce(d.training_gate, t.training_gate) = 'before_access', label_words(d.number, v.title, v.keywords, v.description)
from document_versions v join documents d on d.tenant_id = v.tenant_id and d.id = v.document_id
  join document_types t on t.tenant_id = d.tenant_id and t.id = d.document_type_id;

revoke execute on function words_configuration(text), search_text(text), text_words(text, text), chunk_words(text, text, text),
  label_words(text, text, text[], text), version_dated(timestamptz, date, timestamptz), index_version(), index_document(),
  index_document_type(), index_content(bigint), text_trouble(integer) from public;
grant execute on function words_configuration(text), search_text(text), text_words(text, text), chunk_words(text, text, text),
  index_content(bigint), text_trouble(integer) to attest_app;
