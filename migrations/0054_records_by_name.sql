-- Records of all kinds are found by number and title, from anywhere in the application. Row security switches off the conditions of a
-- trigram index, because `~` and `like` are not leakproof, so a function with the rights of the owner searches for the tenant of the
-- transaction. It answers ids, and the statement around it selects those that the person may read.

-- In lower case and without the accents of Latin letters: immutable, as an index needs it, which unaccent() is not. It names its schema
-- instead of setting a path, so that it becomes a part of each statement.
create function plain_title(text) returns text language sql immutable parallel safe as $$
  select pg_catalog.translate(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.lower($1), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
    'áàâäãåāăąçćčďđéèêëēėęěğíìîïīįıłļľñńňņóòôöõøōőŕřśšşșťţțúùûüūůűųýÿžźż',
    'aaaaaaaaacccddeeeeeeeegiiiiiiilllnnnnoooooooorrsssstttuuuuuuuuyyzzz') $$;
revoke execute on function plain_title(text) from public;
grant execute on function plain_title(text) to attest_app;

create index deviations_name on deviations using gin (tenant_id, number gin_trgm_ops, plain_title(title) gin_trgm_ops) with (fastupdate = off);
create index capas_name on capas using gin (tenant_id, number gin_trgm_ops, plain_title(title) gin_trgm_ops) with (fastupdate = off);
create index training_programs_name on training_programs using gin (tenant_id, number gin_trgm_ops, plain_title(title) gin_trgm_ops) with (fastupdate = off);
create index users_name on users using gin (tenant_id, username gin_trgm_ops, plain_title(coalesce(full_name, '')) gin_trgm_ops)
  with (fastupdate = off) where kind = 'person';

-- The records of one kind that have each word in their number or title; a document in the title of its shown version. `place` orders them: the
-- number itself, its end, its beginning, the beginning of the title, the title, other words. `sought` is
-- made of the query by the program: {words: [{number, title} or {number, beginning}], whole: {number, title}}, where numbers are regular
-- expressions, title and beginning of a word patterns of like, and the whole title a text.
create function named_records(of_kind text, sought jsonb, out record_id bigint, out place integer) returns setof record
  language plpgsql stable security definer rows 100 set search_path = pg_catalog, public, pg_temp set jit = off as $$
declare
  source constant text := case of_kind
    when 'document' then 'select document_id as id, number, title from document_index where is_shown and tenant_id = %s'
    when 'deviation' then 'select id, number, plain_title(title) as title from deviations where tenant_id = %s'
    when 'capa' then 'select id, number, plain_title(title) as title from capas where tenant_id = %s'
    when 'training_program' then 'select id, number, plain_title(title) as title from training_programs where tenant_id = %s'
    when 'user' then 'select id, username as number, plain_title(coalesce(full_name, '''')) as title from users where kind = ''person'' and tenant_id = %s'
    end;
  matched text;
begin
  if current_tenant() is null or source is null then return; end if;
  select string_agg(format('(r.number ~* %L or %s)', word ->> 'number', case when word ? 'beginning'
      then format('r.title like %1$L or r.title like ''%% '' || %1$L', plain_title(word ->> 'beginning')) else format('r.title like %L', plain_title(word ->> 'title')) end), ' and ')
    into matched from jsonb_array_elements(sought -> 'words') word;
  if matched is null then return; end if;
  -- Materialized, because each mention of a title would be another call of plain_title().
  return query execute format('with matched as materialized (select r.* from (%s) r where %s)
    select m.id, case when m.number ~* $1 then case when m.number ~* (''^'' || $1 || ''$'') then 0 when m.number ~* ($1 || ''$'') then 1 else 2 end
      when starts_with(m.title, $2) then 3 when strpos(m.title, $2) > 0 then 4 else 5 end from matched m', format(source, current_tenant()), matched)
    using sought -> 'whole' ->> 'number', plain_title(sought -> 'whole' ->> 'title');
end $$;
revoke execute on function named_records(text, jsonb) from public;
grant execute on function named_records(text, jsonb) to attest_app;
