-- Records by their name: the nearest ones are chosen in the function. It answered all that match, with their place, and the statement around it
-- joined each of them to its record to keep ten, which for a frequent word took ten times as long as finding them.
drop function named_records(text, jsonb);

-- At most so many, the nearest first. `kinds` and `reader` say which documents may be read: those whose shown version is in a
-- state of these kinds, and the reader's own; null finds all of them. The statement around it asks again what may be read.
create function named_records(of_kind text, sought jsonb, most integer, kinds text[], reader bigint, out record_id bigint, out place integer)
  returns setof record language plpgsql stable security definer rows 10 set search_path = pg_catalog, public, pg_temp set jit = off as $$
declare
  -- Of more, those with a near number or title are looked for by themselves, and then the newest of the others.
  few constant integer := 1000;
  is_read constant text := case when kinds is null then '' else format(' and (status_kind = any(%L::text[]) or owner_id = %L or created_by = %2$L)', kinds, reader) end;
  named constant text := format(case of_kind
    when 'document' then 'select document_id as id, number, title from document_index where is_shown and tenant_id = %s%s'
    when 'deviation' then 'select id, number, plain_title(title) as title from deviations where tenant_id = %s'
    when 'capa' then 'select id, number, plain_title(title) as title from capas where tenant_id = %s'
    when 'training_program' then 'select id, number, plain_title(title) as title from training_programs where tenant_id = %s'
    when 'user' then 'select id, username as number, plain_title(coalesce(full_name, '''')) as title from users where kind = ''person'' and tenant_id = %s'
    end, current_tenant(), is_read);
  -- A record with two numbers is found by either.
  renumbered constant text := format(case of_kind
    when 'document' then 'select document_id as id, legacy_number as number, title from document_index where is_shown and tenant_id = %s and legacy_number is not null%s'
    when 'deviation' then 'select id, legacy_number as number, plain_title(title) as title from deviations where tenant_id = %s and legacy_number is not null'
    when 'capa' then 'select id, legacy_number as number, plain_title(title) as title from capas where tenant_id = %s and legacy_number is not null'
    end, current_tenant(), is_read);
  both_numbers constant text := concat_ws(' union all ', named, renumbered);
  number constant text := sought -> 'whole' ->> 'number';
  title constant text := plain_title(sought -> 'whole' ->> 'title');
  beginning constant text := regexp_replace(title, '([\\%_])', '\\\1', 'g') || '%';
  -- Materialized, because each mention of a title would be another call of plain_title().
  nearest constant text := 'with matched as materialized (select r.* from (%s) r where %s)
    select m.id, min(case when m.number ~* $1 then case when m.number ~* (''^'' || $1 || ''$'') then 0 when m.number ~* ($1 || ''$'') then 1 else 2 end
      when starts_with(m.title, $2) then 3 when strpos(m.title, $2) > 0 then 4 else 5 end) as place from matched m group by m.id order by 2, 1 desc limit $3';
  matched text;
  near text;
  newest text;
  found bigint[];
  places integer[];
  more bigint[];
  has_more boolean;
begin
  if current_tenant() is null or named is null then return; end if;
  -- Titles first, because a regular expression takes longer.
  select string_agg(format('(%2$s or r.number ~* %1$L)', word ->> 'number', case when word ? 'beginning'
      then format('r.title like %1$L or r.title like ''%% '' || %1$L', plain_title(word ->> 'beginning')) else format('r.title like %L', plain_title(word ->> 'title')) end), ' and ')
    into matched from jsonb_array_elements(sought -> 'words') word;
  if matched is null then return; end if;
  execute format('select count(*) > $1 from (select from (%s) r where %s limit $1 + 1) n', both_numbers, matched) into has_more using few;
  if not has_more then
    return query execute format(nearest, both_numbers, matched) using number, title, most;
    return;
  end if;
  -- Apart, so that each is read from its index.
  near := format('select r.* from (%1$s) r where r.number ~* %3$L and %2$s union all select r.* from (%1$s) r where r.title like %4$L and %2$s',
    both_numbers, matched, number, beginning);
  execute format('select coalesce(array_agg(n.id order by n.place, n.id desc), ''{}''), array_agg(n.place order by n.place, n.id desc) from (%s) n',
    format(nearest, near, 'true')) into found, places using number, title, most;
  return query select * from unnest(found, places);
  -- The newest that have the whole in their title, then the newest of all: enough are soon found, because many match.
  for step in 4..5 loop
    exit when cardinality(found) >= most;
    newest := (select string_agg(format('(select r.id from (%s) r where %s and not r.id = any($1) and (%s or strpos(r.title, $2) > 0) order by r.id desc limit $3)',
      each, matched, case step when 5 then 'true' else 'false' end), ' union ') from unnest(array[named, renumbered]) each where each is not null);
    execute format('select array(select id from (%s) n order by id desc limit $3)', newest) into more using found, title, most - cardinality(found);
    return query select unnest(more), step;
    found := found || more;
  end loop;
end $$;
revoke execute on function named_records(text, jsonb, integer, text[], bigint) from public;
grant execute on function named_records(text, jsonb, integer, text[], bigint) to attest_app;
