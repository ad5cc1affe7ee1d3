-- Statistics. They are read from counts that triggers keep in the transaction that changes a record: by measure, day in the tenant's time
-- zone, and key. A function of the row alone says what a record counts as; a change subtracts what it was and adds what it is.
-- Another time zone has other days. Then records are counted in batches beside the counts by the days of the previous zone, from which
-- statistics are read until all records are counted. A change of a record meanwhile changes the counts of the previous zone, and those of
-- the new zone if the record was already counted for it.

create table stat_zones (
  tenant_id bigint not null default current_tenant() references tenants,
  time_zone text not null,
  -- Records are counted up to this one: source by source (stat_sources), and by id within a source.
  up_to_source integer not null,
  up_to_id bigint not null,
  is_whole boolean not null generated always as (up_to_source = 1000) stored,
  primary key (tenant_id, time_zone)
);
comment on table stat_zones is 'By the days of which time zone the records of a tenant are counted, and how far.';
create unique index stat_zones_whole on stat_zones (tenant_id, is_whole);
call tenant_table('stat_zones', 'select');

create table stat_counts (
  tenant_id bigint not null default current_tenant() references tenants,
  time_zone text not null,
  measure text not null,
  -- '-infinity' where a measure has no day.
  day date not null,
  key text not null,
  -- Simultaneous transactions count in different slots, so that none waits for another's commit. A count is the sum of its slots.
  slot integer not null check (slot >= 0),
  n bigint not null,
  primary key (tenant_id, time_zone, measure, day, key, slot)
) with (fillfactor = 70);
comment on table stat_counts is 'How many records count for each measure, day and key.';
call tenant_table('stat_counts', 'select');

create function day_in(moment timestamptz, zone text) returns date language sql immutable parallel safe as
  $$ select (moment at time zone zone)::date $$;

create function document_facts(d documents, zone text) returns table (measure text, day date, key text) language sql stable as $$
  values ('documents.created', day_in(d.created_at, zone), '') $$;

-- Only the version of a document that readers see counts.
create function document_index_facts(i document_index, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select f.* from (values
    ('documents.shown', '-infinity'::date, i.document_type_id || ' ' || i.status),
    ('documents.kind', '-infinity'::date, i.status_kind)) f where i.is_shown $$;

create function document_version_facts(v document_versions, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select f.measure, f.day, f.key from (values
    (true, 'versions.created', day_in(v.created_at, zone), v.change_type),
    (v.approved_at is not null and v.submitted_at is not null, 'versions.approved', day_in(v.approved_at, zone),
      (day_in(v.approved_at, zone) - day_in(v.submitted_at, zone))::text),
    (v.status_kind = 'review' and not v.is_waiting, 'versions.pending', day_in(coalesce(v.submitted_at, v.created_at), zone), ''),
    (v.review_due_date is not null, 'versions.review_due', v.review_due_date, '')) f (is_so, measure, day, key) where f.is_so $$;

create function document_history_facts(h document_history, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values ('rounds.rejected', day_in(h.occurred_at, zone), '')) f where h.transition = 'reject' $$;

create function document_review_facts(r document_reviews, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values ('reviews.done', r.due_date, case when day_in(r.decided_at, zone) <= r.due_date then 'on_time' else 'late' end)) f
  where r.due_date is not null $$;

create function deviation_facts(d deviations, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select f.measure, f.day, f.key from (values
    (true, 'deviations.opened.severity', day_in(d.reported_at, zone), d.severity),
    (true, 'deviations.opened.category', day_in(d.reported_at, zone), coalesce(d.category, '')),
    (true, 'deviations.opened.root_cause', day_in(d.reported_at, zone), coalesce(d.root_cause_category, '')),
    (true, 'deviations.opened.department', day_in(d.reported_at, zone), coalesce(d.department, '')),
    (is_reported_late(d.detected_at, d.reported_at), 'deviations.late', day_in(d.reported_at, zone), ''),
    (d.extension_count > 0, 'deviations.extended', day_in(d.reported_at, zone), ''),
    (true, 'deviations.status', '-infinity', d.status),
    (is_open_deviation(d.status), 'deviations.open', d.due_date, d.severity),
    (is_open_deviation(d.status), 'deviations.ageing', day_in(d.reported_at, zone), ''),
    (d.closed_at is not null, 'deviations.closed', day_in(d.closed_at, zone), (day_in(d.closed_at, zone) - day_in(d.detected_at, zone))::text),
    (day_in(d.closed_at, zone) <= d.original_due_date, 'deviations.on_time', day_in(d.closed_at, zone), 'original'),
    (day_in(d.closed_at, zone) <= d.due_date, 'deviations.on_time', day_in(d.closed_at, zone), 'extended')) f (is_so, measure, day, key)
  where f.is_so $$;

create function record_history_facts(h record_history, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values (case when h.capa_id is null then 'deviations.moves' else 'capas.moves' end, day_in(h.occurred_at, zone), h.move)) f
  where h.move in ('close', 'reopen', 'not_effective') $$;

create function capa_facts(c capas, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select f.measure, f.day, f.key from (values
    (true, 'capas.opened', day_in(c.created_at, zone), c.source),
    (c.extension_count > 0, 'capas.extended', day_in(c.created_at, zone), ''),
    (true, 'capas.status', '-infinity', c.status),
    (is_open_capa(c.status) and c.status <> 'draft', 'capas.open.priority', c.due_date, c.priority),
    (is_open_capa(c.status) and c.status <> 'draft', 'capas.open.type', '-infinity', c.type),
    (is_open_capa(c.status) and c.status <> 'draft', 'capas.open.source', '-infinity', c.source),
    (c.closed_at is not null, 'capas.closed', day_in(c.closed_at, zone),
      (day_in(c.closed_at, zone) - day_in(coalesce(c.approved_at, c.created_at), zone))::text),
    (day_in(c.closed_at, zone) <= c.original_due_date, 'capas.on_time', day_in(c.closed_at, zone), 'original'),
    (day_in(c.closed_at, zone) <= c.due_date, 'capas.on_time', day_in(c.closed_at, zone), 'extended')) f (is_so, measure, day, key)
  where f.is_so $$;

create function effectiveness_review_facts(r effectiveness_reviews, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values ('effectiveness.completed', day_in(r.completed_at, zone), r.result)) f where r.completed_at is not null $$;

create function training_assignment_facts(a training_assignments, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select f.measure, f.day, f.key from (values
    (true, 'assignments.assigned', day_in(a.assigned_at, zone), ''),
    (is_open_training_assignment(a.status), 'assignments.open', a.due_date, ''),
    (a.completed_at is not null, 'assignments.completed', day_in(a.completed_at, zone),
      case when day_in(a.completed_at, zone) <= a.due_date then 'on_time' else 'late' end)) f (is_so, measure, day, key)
  where f.is_so $$;

create function training_attempt_facts(t training_attempts, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values ('attempts.first', day_in(t.submitted_at, zone), case when t.passed then 'passed' else 'failed' end)) f
  where t.attempt_number = 1 $$;

-- The counted tables, each with the function that says what a row counts as.
create function stat_sources() returns table (source integer, name text, id text, facts text) language sql immutable as $$ values
  (1, 'documents', 'id', 'document_facts'),
  (2, 'document_index', 'version_id', 'document_index_facts'),
  (3, 'document_versions', 'id', 'document_version_facts'),
  (4, 'document_history', 'id', 'document_history_facts'),
  (5, 'document_reviews', 'id', 'document_review_facts'),
  (6, 'deviations', 'id', 'deviation_facts'),
  (7, 'record_history', 'id', 'record_history_facts'),
  (8, 'capas', 'id', 'capa_facts'),
  (9, 'effectiveness_reviews', 'id', 'effectiveness_review_facts'),
  (10, 'training_assignments', 'id', 'training_assignment_facts'),
  (11, 'training_attempts', 'id', 'training_attempt_facts') $$;

-- A transaction that counts holds the shared lock until it commits. A change of the time zone takes the lock alone, so each waits for the
-- other.
create function hold_counting(tenant bigint) returns void language sql as
  $$ select pg_advisory_xact_lock_shared(hashtextextended('stat_counts ' || tenant, 0)) $$;
create function stop_counting(tenant bigint) returns void language sql as
  $$ select pg_advisory_xact_lock(hashtextextended('stat_counts ' || tenant, 0)) $$;
-- The first slot in which no other transaction counts, so that none waits for a slot.
create function slot_for_counting(tenant bigint) returns integer language plpgsql as $$
declare
  free integer := 0;
begin
  while not pg_try_advisory_xact_lock(hashtextextended(format('stat_counts %s %s', tenant, free), 0)) loop free := free + 1; end loop;
  return free;
end $$;

-- Triggers on each counted table.
do $do$
declare
  s record;
begin
  for s in select * from stat_sources() loop
    execute format($f$
      create function count_%1$s() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        tenant bigint;
        free integer;
      begin
        for tenant in select distinct tenant_id from written loop
          perform hold_counting(tenant);
          free := slot_for_counting(tenant);
          if tg_op = 'INSERT' then
            insert into stat_counts as c (tenant_id, time_zone, measure, day, key, slot, n)
            select tenant, z.time_zone, f.measure, f.day, f.key, free, count(*)
            from stat_zones z join written w on w.tenant_id = z.tenant_id and (%2$s, w.%3$s) <= (z.up_to_source, z.up_to_id)
              cross join lateral %4$s(row(w.*)::%1$s, z.time_zone) f
            where z.tenant_id = tenant group by 2, 3, 4, 5
            on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n;
          else
            insert into stat_counts as c (tenant_id, time_zone, measure, day, key, slot, n)
            select tenant, s.time_zone, s.measure, s.day, s.key, free, sum(s.sign) from (
              select 1 as sign, z.time_zone, f.* from stat_zones z join written w on w.tenant_id = z.tenant_id and (%2$s, w.%3$s) <= (z.up_to_source, z.up_to_id)
                cross join lateral %4$s(row(w.*)::%1$s, z.time_zone) f where z.tenant_id = tenant
              union all
              select -1, z.time_zone, f.* from stat_zones z join gone g on g.tenant_id = z.tenant_id and (%2$s, g.%3$s) <= (z.up_to_source, z.up_to_id)
                cross join lateral %4$s(row(g.*)::%1$s, z.time_zone) f where z.tenant_id = tenant) s
            group by 2, 3, 4, 5 having sum(s.sign) <> 0
            on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n;
          end if;
        end loop;
        return null;
      end $$;
      revoke execute on function count_%1$s() from public;
      create trigger counted after insert on %1$s referencing new table as written for each statement execute function count_%1$s();
      create trigger counted_again after update on %1$s referencing old table as gone new table as written
        for each statement execute function count_%1$s();
    $f$, s.name, s.source, s.id, s.facts);
  end loop;
end $do$;

-- Counts the next records of a tenant by the days of its new time zone, `most` of them, and reads by that zone once all are counted. Answers
-- whether there are more.
create function count_further(tenant bigint, most integer) returns boolean language plpgsql as $$
declare
  next stat_zones;
  s record;
  part bigint;
  last_id bigint;
begin
  perform stop_counting(tenant);
  select * into next from stat_zones z where z.tenant_id = tenant and not z.is_whole;
  if not found then return false; end if;
  for s in select * from stat_sources() where source >= next.up_to_source order by source loop
    if s.source > next.up_to_source then next.up_to_id := 0; end if;
    execute format('select count(*), max(id) from (select %2$I as id from %1$I where tenant_id = $1 and %2$I > $2 order by 1 limit $3) r', s.name, s.id)
      into part, last_id using tenant, next.up_to_id, most;
    if part > 0 then
      execute format('insert into stat_counts as c (tenant_id, time_zone, measure, day, key, slot, n)
        select $1, $2, f.measure, f.day, f.key, 0, count(*) from %1$I r cross join lateral %3$I(r, $2) f
        where r.tenant_id = $1 and r.%2$I > $3 and r.%2$I <= $4 group by 3, 4, 5
        on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n', s.name, s.id, s.facts)
        using tenant, next.time_zone, next.up_to_id, last_id;
    end if;
    most := most - part;
    if most <= 0 then
      update stat_zones z set up_to_source = s.source, up_to_id = last_id where z.tenant_id = tenant and not z.is_whole;
      return true;
    end if;
  end loop;
  -- A simultaneous reader of the previous zone still finds its counts: they are deleted when the next change begins.
  delete from stat_zones z where z.tenant_id = tenant and z.is_whole;
  update stat_zones z set up_to_source = 1000, up_to_id = 0 where z.tenant_id = tenant;
  return false;
end $$;
create function count_further(most integer) returns boolean language sql security definer set search_path = pg_catalog, public, pg_temp as
  $$ select count_further(current_tenant(), most) $$;

-- A change of the time zone begins counting; most tenants are counted at once.
create function count_tenant_anew() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform stop_counting(new.id);
  delete from stat_zones z where z.tenant_id = new.id and not z.is_whole;
  delete from stat_counts c where c.tenant_id = new.id
    and c.time_zone <> (select z.time_zone from stat_zones z where z.tenant_id = new.id and z.is_whole);
  insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) values (new.id, coalesce(new.settings ->> 'time_zone', 'UTC'), 0, 0)
  on conflict do nothing;
  -- Enough for most tenants.
  perform count_further(new.id, 2000);
  return null;
end $$;
create trigger counted_anew after update on tenants for each row
  when ((old.settings ->> 'time_zone') is distinct from (new.settings ->> 'time_zone')) execute function count_tenant_anew();

create function open_stat_zone() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) values (new.id, coalesce(new.settings ->> 'time_zone', 'UTC'), 1000, 0);
  return null;
end $$;
create trigger stat_zone after insert on tenants for each row execute function open_stat_zone();
insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) select id, coalesce(settings ->> 'time_zone', 'UTC'), 1000, 0 from tenants;

-- The counts of a tenant, made from the records themselves.
create function stat_facts(of_tenant bigint, zone text) returns table (measure text, day date, key text, n bigint) language sql stable as $$
  select s.measure, s.day, s.key, count(*) from (
    select f.* from documents r cross join lateral document_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from document_index r cross join lateral document_index_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from document_versions r cross join lateral document_version_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from document_history r cross join lateral document_history_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from document_reviews r cross join lateral document_review_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from deviations r cross join lateral deviation_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from record_history r cross join lateral record_history_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from capas r cross join lateral capa_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from effectiveness_reviews r cross join lateral effectiveness_review_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from training_assignments r cross join lateral training_assignment_facts(r, zone) f where r.tenant_id = of_tenant
    union all select f.* from training_attempts r cross join lateral training_attempt_facts(r, zone) f where r.tenant_id = of_tenant) s
  group by 1, 2, 3 $$;

-- Counts that differ from the records, for the transaction's tenant; none where all is well.
create function stat_drift() returns table (measure text, day date, key text, counted bigint, is_so bigint) language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select measure, day, key, coalesce(c.n, 0)::bigint, coalesce(f.n, 0)
  from (select s.measure, s.day, s.key, sum(s.n) as n from stat_counts s
      where s.tenant_id = current_tenant() and s.time_zone = (select z.time_zone from stat_zones z where z.tenant_id = current_tenant() and z.is_whole)
      group by 1, 2, 3) c
    full join stat_facts(current_tenant(), (select z.time_zone from stat_zones z where z.tenant_id = current_tenant() and z.is_whole)) f
      using (measure, day, key)
  where coalesce(c.n, 0) <> coalesce(f.n, 0) $$;

-- Counts all records of the transaction's tenant again, after a repair by hand.
create function recount_stats() returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform stop_counting(current_tenant());
  delete from stat_counts where tenant_id = current_tenant();
  update stat_zones set up_to_source = 0, up_to_id = 0 where tenant_id = current_tenant() and not is_whole;
  insert into stat_counts (tenant_id, time_zone, measure, day, key, slot, n)
  select z.tenant_id, z.time_zone, f.measure, f.day, f.key, 0, f.n
  from stat_zones z cross join lateral stat_facts(z.tenant_id, z.time_zone) f where z.tenant_id = current_tenant() and z.is_whole;
end $$;

revoke execute on function slot_for_counting(bigint), count_tenant_anew(), recount_stats(), hold_counting(bigint), stop_counting(bigint),
  count_further(bigint, integer), count_further(integer), open_stat_zone() from public;
grant execute on function recount_stats(), count_further(integer) to attest_app;
