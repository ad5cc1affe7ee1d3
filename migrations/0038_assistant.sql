-- What the assistant reads of a document is what a search would show of it, by the same conditions.

-- Of the documents in `asked`, the version that is shown, and whether the person may know what it says.
create function known_documents(asked jsonb, out document_id bigint, out number text, out version_id bigint, out may_know boolean)
  returns setof record language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_tenant() is null or not asked ? 'documents' then return; end if;
  return query execute format('select i.document_id, i.number, i.version_id, %s from document_index i where %s order by i.document_id',
    content_condition(asked), search_condition(asked));
end $$;
revoke execute on function known_documents(jsonb) from public;
grant execute on function known_documents(jsonb) to attest_app;
