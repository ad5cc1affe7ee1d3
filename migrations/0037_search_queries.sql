-- Searching: functions with the rights of the owner, because row security switches off the index conditions of a text search. Each reads
-- for the tenant of the transaction alone, by `search_condition` and `content_condition`.

-- The passages that say most about a question, of those whose content may be known.
create function search_passages(asked jsonb, question text, most integer, out version_id bigint, out "position" integer, out score real)
  returns setof record language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  words constant tsquery := replace(plainto_tsquery('english_unaccented', question)::text, '&', '|')::tsquery;
begin
  return query execute format('
    select c.version_id, c.position, ts_rank(c.words, $1, 1) from document_chunks c
    where c.tenant_id = current_tenant() and c.words @@ $1 and c.version_id in (
      select i.version_id from document_index i where %s and %s and i.words @@ $1)
    order by 3 desc, 1 desc, 2 limit $2', search_condition(asked), content_condition(asked)) using words, most;
end $$;
revoke execute on function search_passages(jsonb, text, integer) from public;
grant execute on function search_passages(jsonb, text, integer) to attest_app;
