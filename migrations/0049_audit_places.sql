-- Lists of the audit trail are counted and paged by which places hold what, and not by reading the entries: of each block of 2048 places
-- (`seq`) and each value of a dimension one bit string, in which the bit of a place is set where its entry has the value.

create table audit_places (
  tenant_id bigint not null default current_tenant() references tenants,
  -- 'sealed' has one value: all that has a place. A user is the number, and '' where nobody did it.
  dimension text not null check (dimension in ('sealed', 'user_id', 'username', 'action', 'resource_type', 'outcome')),
  value text not null,
  -- Of the places from block * 2048 + 1 on.
  block integer not null check (block >= 0),
  places bit(2048) not null,
  -- Of the whole block.
  lowest_id bigint,
  highest_id bigint,
  earliest timestamptz,
  latest timestamptz,
  primary key (tenant_id, dimension, value, block),
  check (num_nonnulls(lowest_id, highest_id, earliest, latest) = case dimension when 'sealed' then 4 else 0 end)
) with (fillfactor = 80);
call tenant_table('audit_places', 'select');

-- What the entries at these places have, from the entries themselves.
create function audit_places_of(tenant bigint, first_seq bigint, last_seq bigint) returns table (dimension text, value text, block integer,
  places bit(2048), lowest_id bigint, highest_id bigint, earliest timestamptz, latest timestamptz) language sql stable as $$
  select d.dimension, d.value, c.block, bit_or(c.places), min(d.lowest_id), max(d.highest_id), min(d.earliest), max(d.latest)
  from (
    -- Many are alike: each bit is set once, and not for each dimension.
    select e.user_id, e.username, e.action, e.resource_type, e.outcome, ((l.seq - 1) / 2048)::integer as block,
      bit_or(set_bit(0::bit(2048), ((l.seq - 1) % 2048)::integer, 1)) as places,
      min(e.id) as lowest_id, max(e.id) as highest_id, min(e.occurred_at) as earliest, max(e.occurred_at) as latest
    from audit_leaves l join audit_entries e on e.tenant_id = l.tenant_id and e.id = l.entry_id
    where l.tenant_id = tenant and l.seq between first_seq and last_seq
    group by 1, 2, 3, 4, 5, 6) c
    cross join lateral (values ('sealed', '', c.lowest_id, c.highest_id, c.earliest, c.latest),
      ('user_id', coalesce(c.user_id::text, ''), null, null, null, null), ('username', c.username, null, null, null, null),
      ('action', c.action, null, null, null, null), ('resource_type', c.resource_type, null, null, null, null),
      ('outcome', c.outcome, null, null, null, null)) d (dimension, value, lowest_id, highest_id, earliest, latest)
  where d.value is not null
  group by 1, 2, 3 $$;

create function add_audit_places(tenant bigint, first_seq bigint, last_seq bigint) returns void language plpgsql as $$
begin
  insert into audit_places as p (tenant_id, dimension, value, block, places, lowest_id, highest_id, earliest, latest)
  select tenant, f.* from audit_places_of(tenant, first_seq, last_seq) f
  on conflict on constraint audit_places_pkey do update set places = p.places | excluded.places,
    lowest_id = least(p.lowest_id, excluded.lowest_id), highest_id = greatest(p.highest_id, excluded.highest_id),
    earliest = least(p.earliest, excluded.earliest), latest = greatest(p.latest, excluded.latest);
end $$;

-- In the transaction that gives entries their places, which are next to each other.
create function place_audit_leaves() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform add_audit_places(w.tenant_id, w.first_seq, w.last_seq)
  from (select tenant_id, min(seq) as first_seq, max(seq) as last_seq from written group by tenant_id) w;
  return null;
end $$;
create trigger placed after insert on audit_leaves referencing new table as written for each statement execute function place_audit_leaves();

-- A name that was redacted finds nothing any more, and is kept nowhere.
create function forget_audit_name() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update audit_places p set places = set_bit(p.places, ((l.seq - 1) % 2048)::integer, 0) from audit_leaves l
  where l.tenant_id = old.tenant_id and l.entry_id = old.id and p.tenant_id = l.tenant_id and p.dimension = 'username'
    and p.value = old.username and p.block = (l.seq - 1) / 2048;
  delete from audit_places where tenant_id = old.tenant_id and dimension = 'username' and value = old.username and places = 0::bit(2048);
  return null;
end $$;
create trigger name_forgotten after update on audit_entries for each row
  when (old.username is distinct from new.username) execute function forget_audit_name();

-- Which of it is not what the entries say, of the tenant of the transaction; none where all is well.
create function audit_places_drift() returns table (dimension text, value text, block integer) language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select dimension, value, block
  from (select p.* from audit_places p where p.tenant_id = current_tenant()) p
    full join audit_places_of(current_tenant(), 1, 9223372036854775807) f using (dimension, value, block)
  where row(p.places, p.lowest_id, p.highest_id, p.earliest, p.latest) is distinct from row(f.places, f.lowest_id, f.highest_id, f.earliest, f.latest) $$;

-- Numbers and reasons are found by any part of them.
create index audit_entries_reason on audit_entries using gin (tenant_id, reason gin_trgm_ops) where reason is not null;
create index audit_entries_number on audit_entries using gin (tenant_id, resource_number gin_trgm_ops) where resource_number is not null;

-- Which of the places from one to another, of the tenant of the transaction, have a text of this pattern in their name, number or reason.
-- Row security would switch off the indexes. Planned for each pattern: what is rare is looked up, what is frequent is read.
create function find_audit_places(pattern text, first_seq bigint, last_seq bigint) returns table (block integer, places bit(2048))
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
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
      select ((l.seq - 1) / 2048)::integer, bit_or(set_bit(0::bit(2048), ((l.seq - 1) % 2048)::integer, 1))
      from audit_entries e join audit_leaves l on l.tenant_id = e.tenant_id and l.entry_id = e.id
      where e.tenant_id = $4 and (e.reason ilike $1 or e.resource_number ilike $1) and l.seq between $2 and $3
      group by 1) f
    group by 1 $find$ using pattern, first_seq, last_seq, current_tenant();
end $$;

revoke execute on function audit_places_of(bigint, bigint, bigint), add_audit_places(bigint, bigint, bigint), place_audit_leaves(), forget_audit_name(), find_audit_places(text, bigint, bigint) from public;
grant execute on function audit_places_of(bigint, bigint, bigint), find_audit_places(text, bigint, bigint) to attest_app;

-- What has its place already, a block at a time.
select add_audit_places(l.tenant_id, b * 2048 + 1, (b + 1) * 2048) from audit_logs l cross join lateral generate_series(0, (l.seq - 1) / 2048) b
where l.seq > 0;
