-- Deputies: from day to day a person's approvals and tasks can be done by another, who decides by their own right and signs "for" the person.

create table deputies (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  person_id bigint not null,
  deputy_id bigint not null check (deputy_id <> person_id),
  -- The first and the last day, in the time zone of the tenant.
  starts_on date not null,
  ends_on date not null check (ends_on >= starts_on),
  for_approvals boolean not null,
  for_tasks boolean not null,
  reason text check (reason <> ''),
  created_at timestamptz not null default clock_timestamp(),
  -- Nobody takes over the work of another by themselves.
  created_by bigint not null default current_actor() check (created_by <> deputy_id),
  ended_at timestamptz,
  ended_by bigint,
  end_reason text check (end_reason <> ''),
  unique (tenant_id, id),
  foreign key (tenant_id, person_id) references users (tenant_id, id),
  foreign key (tenant_id, deputy_id) references users (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, ended_by) references users (tenant_id, id),
  check (for_approvals or for_tasks),
  check (created_by = person_id or reason is not null),
  check ((ended_at is null) = (end_reason is null))
);
comment on table deputies is 'The people who decide and work for others from day to day.';
create index deputies_person on deputies (tenant_id, person_id, ends_on);
create index deputies_deputy on deputies (tenant_id, deputy_id, ends_on);
create index deputies_created_by on deputies (tenant_id, created_by);
create index deputies_ended_by on deputies (tenant_id, ended_by);
call tenant_table('deputies', 'select');
-- The application has no right to say that another person named the deputy.
grant insert (person_id, deputy_id, starts_on, ends_on, for_approvals, for_tasks, reason) on deputies to attest_app;
grant update (ended_at, ended_by, end_reason) on deputies to attest_app;
call audited_table('deputies', 'deputy');

-- One period of a person never overlaps another that was not ended.
create function refuse_overlapping_deputies() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from deputies where tenant_id = new.tenant_id and person_id = new.person_id and id <> new.id and ended_at is null
      and starts_on <= new.ends_on and ends_on >= new.starts_on) then
    raise exception 'user % has another deputy in this time', new.person_id using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger one_at_a_time after insert on deputies for each row execute function refuse_overlapping_deputies();

-- A deputyship that was ended stays ended, and nothing else of it changes.
create function refuse_change_of_ended_deputy() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  raise exception 'deputy % was ended', old.id using errcode = 'QA002';
end $$;
create trigger ended_stays before update on deputies for each row when (old.ended_at is not null)
  execute function refuse_change_of_ended_deputy();

-- The person for whom a deputy decided or signed.
alter table document_decisions add column on_behalf_of_id bigint check (on_behalf_of_id <> user_id),
  add foreign key (tenant_id, on_behalf_of_id) references users (tenant_id, id);
create index document_decisions_on_behalf_of on document_decisions (tenant_id, on_behalf_of_id);
-- The part of a person in a step is used once, whoever stands in for them.
create unique index document_decisions_once_for on document_decisions (tenant_id, version_id, round, transition, on_behalf_of_id)
  where on_behalf_of_id is not null and not is_void;

alter table signatures add column on_behalf_of_id bigint check (on_behalf_of_id <> signer_id),
  -- As it was at the moment of signing.
  add column on_behalf_of_name text,
  add foreign key (tenant_id, on_behalf_of_id) references users (tenant_id, id),
  add check ((on_behalf_of_id is null) = (on_behalf_of_name is null));
create index signatures_on_behalf_of on signatures (tenant_id, on_behalf_of_id);
grant insert (on_behalf_of_id, on_behalf_of_name) on signatures to attest_app;

-- Only the deputy of a day signs for a person on it.
create function require_deputy() returns trigger language plpgsql
  set search_path = pg_catalog, public, pg_temp as $$
begin
  if not exists (select from deputies where tenant_id = new.tenant_id and person_id = new.on_behalf_of_id and deputy_id = new.signer_id
      and ended_at is null and (new.signed_at at time zone new.time_zone)::date between starts_on and ends_on) then
    raise exception 'user % is not the deputy of user %', new.signer_id, new.on_behalf_of_id using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger signed_by_deputy after insert on signatures for each row when (new.on_behalf_of_id is not null)
  execute function require_deputy();
