-- Statistics of a tenant are read from counts that are kept with the records, in the transaction that changes them: by measure, day (the
-- tenant's) and key. A record says by a function of its row alone what it counts as; its change takes away what it was and adds what it is.

create table stat_counts (
  tenant_id bigint not null default current_tenant() references tenants,
  measure text not null,
  -- '-infinity' where a measure has no day.
  day date not null,
  key text not null,
  -- Transactions of the same moment each count in a slot of their own: nobody waits for another's commit. A count is the sum of its slots.
  slot integer not null check (slot >= 0),
  n bigint not null,
  primary key (tenant_id, measure, day, key, slot)
) with (fillfactor = 70);
call tenant_table('stat_counts', 'select');

create function day_in(moment timestamptz, zone text) returns date language sql immutable parallel safe as
  $$ select (moment at time zone zone)::date $$;

-- What each record counts as.
create function document_facts(d documents, zone text) returns table (measure text, day date, key text) language sql stable as $$
  values ('documents.created', day_in(d.created_at, zone), '') $$;

-- One of the versions of a document is what a reader is shown.
create function document_index_facts(i document_index, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values ('documents.shown', '-infinity'::date, i.document_type_id || ' ' || i.status)) f where i.is_shown $$;

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
    (d.reported_at - d.detected_at > interval '24 hours', 'deviations.late', day_in(d.reported_at, zone), ''),
    (d.extension_count > 0, 'deviations.extended', day_in(d.reported_at, zone), ''),
    (true, 'deviations.status', '-infinity', d.status),
    (d.status not in ('closed', 'cancelled'), 'deviations.open', d.due_date, d.severity),
    (d.status not in ('closed', 'cancelled'), 'deviations.ageing', day_in(d.reported_at, zone), ''),
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
    (c.status in ('open', 'in_progress', 'pending_effectiveness'), 'capas.open.priority', c.due_date, c.priority),
    (c.status in ('open', 'in_progress', 'pending_effectiveness'), 'capas.open.type', '-infinity', c.type),
    (c.status in ('open', 'in_progress', 'pending_effectiveness'), 'capas.open.source', '-infinity', c.source),
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
    (a.status in ('assigned', 'in_progress'), 'assignments.open', a.due_date, ''),
    (a.completed_at is not null, 'assignments.completed', day_in(a.completed_at, zone),
      case when day_in(a.completed_at, zone) <= a.due_date then 'on_time' else 'late' end)) f (is_so, measure, day, key)
  where f.is_so $$;

create function training_attempt_facts(t training_attempts, zone text) returns table (measure text, day date, key text) language sql stable as $$
  select * from (values ('attempts.first', day_in(t.submitted_at, zone), case when t.passed then 'passed' else 'failed' end)) f
  where t.attempt_number = 1 $$;

-- Who counts holds the tenant's day boundaries as they are until it commits: a change of the time zone waits for that, and counts anew.
create function zone_for_counting(tenant bigint) returns text language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('stat_counts ' || tenant, 0));
  return (select coalesce(settings ->> 'time_zone', 'UTC') from tenants where id = tenant);
end $$;
-- The first slot that no other transaction counts in; nobody ever waits for one.
create function slot_for_counting(tenant bigint) returns integer language plpgsql as $$
declare
  free integer := 0;
begin
  while not pg_try_advisory_xact_lock(hashtextextended(format('stat_counts %s %s', tenant, free), 0)) loop free := free + 1; end loop;
  return free;
end $$;

create procedure counted_table(name text, facts text) language plpgsql as $make$
begin
  execute format($f$
    create function count_%1$s() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
    declare
      tenant bigint;
      zone text;
      free integer;
    begin
      for tenant in select distinct tenant_id from written loop
        zone := zone_for_counting(tenant);
        free := slot_for_counting(tenant);
        if tg_op = 'INSERT' then
          insert into stat_counts as c (tenant_id, measure, day, key, slot, n)
          select tenant, f.measure, f.day, f.key, free, count(*) from written w cross join lateral %2$s(row(w.*)::%1$s, zone) f
          where w.tenant_id = tenant group by 2, 3, 4
          on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n;
        else
          insert into stat_counts as c (tenant_id, measure, day, key, slot, n)
          select tenant, s.measure, s.day, s.key, free, sum(s.sign) from (
            select 1 as sign, f.* from written w cross join lateral %2$s(row(w.*)::%1$s, zone) f where w.tenant_id = tenant
            union all
            select -1, f.* from gone g cross join lateral %2$s(row(g.*)::%1$s, zone) f where g.tenant_id = tenant) s
          group by 2, 3, 4 having sum(s.sign) <> 0
          on conflict on constraint stat_counts_pkey do update set n = c.n + excluded.n;
        end if;
      end loop;
      return null;
    end $$;
    revoke execute on function count_%1$s() from public;
    create trigger counted after insert on %1$s referencing new table as written for each statement execute function count_%1$s();
    create trigger counted_again after update on %1$s referencing old table as gone new table as written
      for each statement execute function count_%1$s();
  $f$, name, facts);
end $make$;

-- What all records of a tenant count as today, from the records themselves.
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

-- Which counts are not what the records say, of the tenant of the transaction; none where all is well.
create function stat_drift() returns table (measure text, day date, key text, counted bigint, is_so bigint) language sql stable
  set search_path = pg_catalog, public, pg_temp as $$
  select measure, day, key, coalesce(c.n, 0)::bigint, coalesce(f.n, 0)
  from (select s.measure, s.day, s.key, sum(s.n) as n from stat_counts s where s.tenant_id = current_tenant() group by 1, 2, 3) c
    full join stat_facts(current_tenant(), (select coalesce(t.settings ->> 'time_zone', 'UTC') from tenants t where t.id = current_tenant())) f
      using (measure, day, key)
  where coalesce(c.n, 0) <> coalesce(f.n, 0) $$;

-- Another time zone has other days: all is counted anew, once nobody counts by the old ones any more.
create function count_tenant_anew() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('stat_counts ' || new.id, 0));
  delete from stat_counts where tenant_id = new.id;
  insert into stat_counts (tenant_id, measure, day, key, slot, n)
  select new.id, f.measure, f.day, f.key, 0, f.n from stat_facts(new.id, coalesce(new.settings ->> 'time_zone', 'UTC')) f;
  return null;
end $$;
create trigger counted_anew after update on tenants for each row
  when ((old.settings ->> 'time_zone') is distinct from (new.settings ->> 'time_zone')) execute function count_tenant_anew();

call counted_table('documents', 'document_facts');
call counted_table('document_index', 'document_index_facts');
call counted_table('document_versions', 'document_version_facts');
call counted_table('document_history', 'document_history_facts');
call counted_table('document_reviews', 'document_review_facts');
call counted_table('deviations', 'deviation_facts');
call counted_table('record_history', 'record_history_facts');
call counted_table('capas', 'capa_facts');
call counted_table('effectiveness_reviews', 'effectiveness_review_facts');
call counted_table('training_assignments', 'training_assignment_facts');
call counted_table('training_attempts', 'training_attempt_facts');
drop procedure counted_table(text, text);

-- What is there already.
insert into stat_counts (tenant_id, measure, day, key, slot, n)
select t.id, f.measure, f.day, f.key, 0, f.n from tenants t cross join lateral stat_facts(t.id, coalesce(t.settings ->> 'time_zone', 'UTC')) f;

-- Which of those that were closed in a window happened again.
create index deviations_closed_at on deviations (tenant_id, closed_at) where closed_at is not null;
create index deviation_deviations_recurrence on deviation_deviations (tenant_id, deviation_id) where relation = 'recurrence';

revoke execute on function zone_for_counting(bigint), slot_for_counting(bigint), count_tenant_anew() from public;
