-- A search in the audit trail reads each reason and each number once for a block of places, and not once for each entry: numbers and the
-- reasons of the program are in many entries of a block, and counting a frequent one took as long as reading all of them.

drop function audit_words_of(bigint, bigint, bigint);
drop table audit_words;
create table audit_words (
  id bigint generated always as identity,
  tenant_id bigint not null default current_tenant() references tenants,
  block integer not null,
  -- A reason or a number in small letters. Compared by bytes, which takes half the time.
  words text collate "C" not null,
  -- The place within the block, or bits of several: most reasons that people type are of one entry.
  place integer check (place between 0 and 2047),
  places bit(2048),
  primary key (tenant_id, block, id),
  check (num_nonnulls(place, places) = 1)
)
-- As for audit_entries: rows are mostly added.
with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
comment on table audit_words is 'The reasons and numbers that a search in the audit trail looks for, and which places of a block have them.';
create index audit_words_parts on audit_words using gin (tenant_id, words gin_trgm_ops);
call tenant_table('audit_words', 'select, insert, delete');

-- The rows for a range of places, from the entries themselves.
create function audit_words_of(tenant bigint, first_seq bigint, last_seq bigint) returns table (block integer, words text, place integer, places bit(2048))
  language sql stable as $$
  select t.block, t.words, case when min(t.place) = max(t.place) then min(t.place) end,
    case when min(t.place) < max(t.place) then bit_or(set_bit(0::bit(2048), t.place, 1)) end
  from (
    select ((l.seq - 1) / 2048)::integer as block, ((l.seq - 1) % 2048)::integer as place, lower(w.words) collate "C" as words
    from audit_leaves l join audit_entries e on e.tenant_id = l.tenant_id and e.id = l.entry_id
      cross join lateral (values (e.reason), (e.resource_number)) w (words)
    where l.tenant_id = tenant and l.seq between first_seq and last_seq and w.words is not null) t
  group by 1, 2 $$;
revoke execute on function audit_words_of(bigint, bigint, bigint) from public;
grant execute on function audit_words_of(bigint, bigint, bigint) to attest_app;

insert into audit_words (tenant_id, block, words, place, places)
  select t.id, w.block, w.words, w.place, w.places from tenants t cross join lateral audit_words_of(t.id, 1, 9223372036854775807) w;

-- As before, by the words of blocks. 64 places at a time are bits of a number, because bits of a whole block for each row take half of the
-- time. Groups are hashed in memory: the planner expects too many of them, and would sort every row or write it to the disk. A pattern
-- without three letters or digits in a row is kept from the index, which would answer all rows.
create or replace function find_audit_places(pattern text, first_seq bigint, last_seq bigint) returns table (block integer, places bit(2048))
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set jit = off
  set enable_sort = off set enable_incremental_sort = off set work_mem = '64MB' as $$
begin
  return query execute format($find$
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
      select case when g.piece < 0 then -1 - g.piece else g.piece / 32 end,
        case when g.piece < 0 then g.places else g.bits::bit(64)::bit(2048) >> (64 * (g.piece %% 32)) end
      from (select coalesce(w.block * 32 + w.place / 64, -1 - w.block) as piece, bit_or(1::bigint << (63 - w.place %% 64)) as bits, bit_or(w.places) as places
        from audit_words w where w.tenant_id = $4 and %s like $5 and w.block between ($2 - 1) / 2048 and ($3 - 1) / 2048 group by 1) g) f
    group by 1 $find$, case when pattern ~ '[[:alnum:]]{3}' then 'w.words' else '(w.words || '''')' end)
    using pattern, first_seq, last_seq, current_tenant(), lower(pattern);
end $$;
