-- Statistics are read from counts of records by measure, day in the tenant's time zone, and key. The program counts records in the
-- transaction that changes them (src/modules/projections/statistics): it derives facts from a record, compares them with the facts that
-- are stored for it, and adds the difference to the counts. So the counts of a zone are the sums of the facts stored for it, at any time.
-- Another time zone has other days. Then records are counted in batches beside the counts of the previous zone, from which statistics are
-- read until all records are counted. A record that changes meanwhile is counted for both.

create table stat_zones (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  time_zone text not null,
  -- Whether all records are counted.
  is_whole boolean not null,
  -- Another zone took its place, or a further change made it useless. It is not counted any more, and its rows are deleted later.
  replaced_at timestamptz,
  unique (tenant_id, id)
);
comment on table stat_zones is 'By the days of which time zone the records of a tenant are counted.';
create unique index stat_zones_whole on stat_zones (tenant_id, is_whole) where replaced_at is null;
call tenant_table('stat_zones', 'select, insert, update, delete');

create table stat_records (
  tenant_id bigint not null default current_tenant() references tenants,
  -- No foreign key here and below: each of many rows would lock the one row of the zone.
  zone_id bigint not null,
  resource text not null check (resource in ('document', 'deviation', 'capa', 'effectiveness_review', 'training_assignment')),
  record_id bigint not null,
  -- [[measure, day, key]]; the day is null where a measure has none.
  facts jsonb not null,
  primary key (tenant_id, zone_id, resource, record_id)
) with (fillfactor = 90);
comment on table stat_records is 'The facts that each record is counted by.';
call tenant_table('stat_records', 'select, insert, update, delete');

create table stat_counts (
  tenant_id bigint not null default current_tenant() references tenants,
  zone_id bigint not null,
  measure text not null,
  -- '-infinity' where a measure has no day.
  day date not null,
  key text not null,
  -- Simultaneous transactions count in different slots, so that none waits for another's commit. A count is the sum of its slots.
  slot integer not null check (slot >= 0),
  n bigint not null,
  primary key (tenant_id, zone_id, measure, day, key, slot)
) with (fillfactor = 70);
comment on table stat_counts is 'How many records count for each measure, day and key.';
call tenant_table('stat_counts', 'select, insert, update, delete');
