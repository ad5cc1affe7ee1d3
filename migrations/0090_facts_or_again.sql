-- The facts of a record were stored by another transaction since they were read. The transaction is run again, and reads them anew: its
-- commit does not wait for an answer that would tell.
create function refuse_outdated_facts() returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'another transaction has counted the same record' using errcode = 'serialization_failure';
end $$;
revoke execute on function refuse_outdated_facts() from public;
grant execute on function refuse_outdated_facts() to attest_app;
