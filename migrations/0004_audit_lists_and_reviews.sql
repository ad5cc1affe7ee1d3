-- Lists of the audit trail, and its reviews. A trail has millions of entries, so a list is counted and paged by bit strings and does not
-- read the entries: for each block of 2048 places (`seq`) and each value of a dimension, a bit is set where the entry has the value.

create table audit_places (
  tenant_id bigint not null default current_tenant() references tenants,
  -- 'sealed' has one value, for all entries with a place. 'user_id' is the number of the user, and '' for the system.
  dimension text not null check (dimension in ('sealed', 'user_id', 'username', 'action', 'resource_type', 'outcome')),
  value text not null,
  -- Covers the places from block * 2048 + 1 on.
  block integer not null check (block >= 0),
  places bit(2048) not null,
  -- Bounds of the whole block, in its row 'sealed'.
  lowest_id bigint,
  highest_id bigint,
  earliest timestamptz,
  latest timestamptz,
  primary key (tenant_id, dimension, value, block),
  check (num_nonnulls(lowest_id, highest_id, earliest, latest) = case dimension when 'sealed' then 4 else 0 end)
) with (fillfactor = 80);
comment on table audit_places is 'Which entries of the audit trail have which user, action, type of record and outcome, as bit strings.';
call tenant_table('audit_places', 'select, insert, update, delete');

-- The rows for a range of places, from the entries themselves.
create function audit_places_of(tenant bigint, first_seq bigint, last_seq bigint) returns table (dimension text, value text, block integer,
  places bit(2048), lowest_id bigint, highest_id bigint, earliest timestamptz, latest timestamptz) language sql stable as $$
  select d.dimension, d.value, c.block, bit_or(c.places), min(d.lowest_id), max(d.highest_id), min(d.earliest), max(d.latest)
  from (
    -- Many entries are alike: each bit is set once for all of them, and not for each dimension.
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

-- The places in a range whose name, number or reason matches a pattern, for the transaction's tenant. It has the rights of the owner,
-- because row security would switch off the indexes. Planned for each pattern, because a rare one is looked up and a frequent one is read.
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

revoke execute on function audit_places_of(bigint, bigint, bigint), find_audit_places(text, bigint, bigint) from public;
grant execute on function audit_places_of(bigint, bigint, bigint), find_audit_places(text, bigint, bigint) to attest_app;

-- Bound to a signed root of the tree with the reviewed entries, and signed like every other record (EU GMP Annex 11, 9).
create table audit_reviews (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- As it was given, with the period; the two moments are the bounds of the period, the second exclusive.
  filter jsonb not null,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  outcome text not null check (outcome in ('no_findings', 'findings')),
  findings text check (findings <> ''),
  -- The reviewed entries: the sealed ones that matched the filter. The hash is over the hashes of their leaves, in order.
  entries bigint not null check (entries > 0),
  own_entries bigint not null check (own_entries >= 0),
  first_seq bigint not null,
  last_seq bigint not null check (last_seq - first_seq >= entries - 1),
  entries_sha256 text not null check (entries_sha256 ~ '^[0-9a-f]{64}$'),
  epoch integer not null,
  size bigint not null,
  reviewer_id bigint not null default current_actor(),
  created_at timestamptz not null default now(),
  unique (tenant_id, id),
  foreign key (tenant_id, epoch, size) references audit_checkpoints (tenant_id, epoch, size),
  foreign key (tenant_id, reviewer_id) references users (tenant_id, id),
  check ((outcome = 'findings') = (findings is not null))
);
comment on table audit_reviews is 'Signed reviews of the audit trail of a period, with what was found.';
create index audit_reviews_checkpoint on audit_reviews (tenant_id, epoch, size);
create index audit_reviews_reviewer on audit_reviews (tenant_id, reviewer_id, id);
call tenant_table('audit_reviews', 'select, insert');
call append_only('audit_reviews');
call audited_table('audit_reviews', 'audit_review');
