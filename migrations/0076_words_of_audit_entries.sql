-- A search in the audit trail reads the words of entries from a narrow table. Entries are wide, and a frequent word is on most of their pages.

create table audit_words (
  tenant_id bigint not null default current_tenant() references tenants,
  seq bigint not null,
  -- Reason and number in small letters. Compared by bytes, which takes half the time.
  words text collate "C" not null,
  primary key (tenant_id, seq)
)
-- As for audit_entries: rows are only added.
with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
comment on table audit_words is 'What a search in the audit trail looks for: reason and number of each entry with a place.';
create index audit_words_parts on audit_words using gin (tenant_id, words gin_trgm_ops);
call tenant_table('audit_words', 'select, insert, delete');

-- The rows for a range of places, from the entries themselves. The separator keeps a pattern from matching across reason and number.
create function audit_words_of(tenant bigint, first_seq bigint, last_seq bigint) returns table (seq bigint, words text) language sql stable as $$
  select l.seq, lower(coalesce(e.reason, '') || e'\x1f' || coalesce(e.resource_number, ''))
  from audit_leaves l join audit_entries e on e.tenant_id = l.tenant_id and e.id = l.entry_id
  where l.tenant_id = tenant and l.seq between first_seq and last_seq and num_nonnulls(e.reason, e.resource_number) > 0 $$;
revoke execute on function audit_words_of(bigint, bigint, bigint) from public;
grant execute on function audit_words_of(bigint, bigint, bigint) to attest_app;

insert into audit_words (tenant_id, seq, words)
  select t.id, w.seq, w.words from tenants t cross join lateral audit_words_of(t.id, 1, 9223372036854775807) w;

drop index audit_entries_reason;
drop index audit_entries_number;

-- As before, but for the words. 64 places at a time are bits of a number, because bits of a whole block for each row take half of the time.
create or replace function find_audit_places(pattern text, first_seq bigint, last_seq bigint) returns table (block integer, places bit(2048))
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set jit = off as $$
begin
  return query execute $find$
    with recursive names as (
      (select value from audit_places where tenant_id = current_tenant() and dimension = 'username' order by value limit 1)
      union all
      select next.value from names cross join lateral (select p.value from audit_places p
        where p.tenant_id = current_tenant() and p.dimension = 'username' and p.value > names.value order by p.value limit 1) next)
    select f.block, bit_or(f.places) from (
      select p.block, p.places from audit_places p
      where p.tenant_id = $4 and p.dimension = 'username' and p.value in (select value from names where value ilike $1)
        and p.block between ($2 - 1) / 2048 and ($3 - 1) / 2048
      union all
      select (g.piece / 32)::integer, bit_or(g.bits::bit(64)::bit(2048) >> (64 * (g.piece % 32))::integer)
      from (select (w.seq - 1) / 64 as piece, bit_or(1::bigint << (63 - (w.seq - 1) % 64)::integer) as bits
        from audit_words w where w.tenant_id = $4 and w.words like $5 and w.seq between $2 and $3 group by 1) g
      group by 1) f
    group by 1 $find$ using pattern, first_seq, last_seq, current_tenant(), lower(pattern);
end $$;
