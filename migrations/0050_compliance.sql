-- How many of the trainings that are required of people they hold, for each program, group and curriculum: summed up from what each person
-- was last counted as. A person whose records have changed since is marked, by who changed them and in the same transaction, and nobody
-- waits; whoever reads counts those who are marked anew, and takes the sums for all others.

create table compliance_counts (
  tenant_id bigint not null default current_tenant() references tenants,
  kind text not null check (kind in ('program', 'group', 'curriculum')),
  id bigint not null,
  required bigint not null,
  trained bigint not null,
  overdue bigint not null,
  primary key (tenant_id, kind, id)
) with (fillfactor = 70);
call tenant_table('compliance_counts', 'select, insert, update, delete');

-- What a person is counted as: so from `counted_on` until the day before `changes_on`, on which something of theirs ends or is overdue.
create table compliance_people (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  counted_on date not null,
  changes_on date not null,
  -- [{kind, id, required, trained, overdue}]
  facts jsonb not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index compliance_people_changes on compliance_people (tenant_id, changes_on);
create index compliance_people_counted on compliance_people (tenant_id, counted_on);
call tenant_table('compliance_people', 'select, insert, update, delete');

-- Who is to be counted anew; everybody of the tenant, where no person is named.
create table compliance_changes (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint,
  unique (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index compliance_changes_user on compliance_changes (tenant_id, user_id);
call tenant_table('compliance_changes', 'select, insert, delete');

create function mark_person() returns trigger language plpgsql as $$
begin
  insert into compliance_changes (tenant_id, user_id) values (new.tenant_id, (to_jsonb(new) ->> tg_argv[0])::bigint);
  return null;
end $$;
create function mark_everyone() returns trigger language plpgsql as $$
begin
  insert into compliance_changes (tenant_id) values (coalesce(new.tenant_id, old.tenant_id));
  return null;
end $$;
-- Who reads a document is asked to read it anew from a version on.
create function mark_readers() returns trigger language plpgsql as $$
begin
  insert into compliance_changes (tenant_id, user_id)
  select distinct a.tenant_id, a.user_id from training_programs p
    join training_assignments a on a.tenant_id = p.tenant_id and a.program_id = p.id
  where p.tenant_id = new.tenant_id and p.document_id = new.document_id and p.type = 'read_and_understand';
  return null;
end $$;

create trigger marked after insert on training_assignments for each row execute function mark_person('user_id');
create trigger marked_again after update on training_assignments for each row
  when ((old.status, old.verified_at, old.valid_until, old.version_id, old.due_date)
    is distinct from (new.status, new.verified_at, new.valid_until, new.version_id, new.due_date))
  execute function mark_person('user_id');
create trigger marked after insert or update on group_members for each row execute function mark_person('user_id');
create trigger marked after insert on users for each row execute function mark_person('id');
create trigger marked_again after update on users for each row
  when ((old.is_active, old.role_id) is distinct from (new.is_active, new.role_id)) execute function mark_person('id');
create trigger marked_again after update on roles for each row
  when (old.inherits_role_id is distinct from new.inherits_role_id) execute function mark_everyone();
create trigger marked_again after update on training_programs for each row
  when ((old.status, old.type, old.document_id, old.requires_verification)
    is distinct from (new.status, new.type, new.document_id, new.requires_verification))
  execute function mark_everyone();
create trigger marked after insert on curricula for each row execute function mark_everyone();
create trigger marked_again after update on curricula for each row
  when ((old.status, old.role_names) is distinct from (new.status, new.role_names)) execute function mark_everyone();
create trigger marked after insert or update or delete on curriculum_groups for each row execute function mark_everyone();
create trigger marked after insert or update or delete on curriculum_programs for each row execute function mark_everyone();
create trigger marked after insert on document_versions for each row
  when (new.effective_at is not null and new.training_impact = 'reassign_all') execute function mark_readers();
create trigger marked_again after update on document_versions for each row
  when ((old.effective_at, old.training_impact) is distinct from (new.effective_at, new.training_impact)) execute function mark_readers();
revoke execute on function mark_person(), mark_everyone(), mark_readers() from public;

insert into compliance_changes (tenant_id) select id from tenants;

-- Counts all records of the tenant of the transaction anew, as another time zone does: after a repair by hand.
create function recount_stats() returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('stat_counts ' || current_tenant(), 0));
  delete from stat_counts where tenant_id = current_tenant();
  insert into stat_counts (tenant_id, measure, day, key, slot, n)
  select t.id, f.measure, f.day, f.key, 0, f.n
  from tenants t cross join lateral stat_facts(t.id, coalesce(t.settings ->> 'time_zone', 'UTC')) f where t.id = current_tenant();
end $$;
revoke execute on function recount_stats() from public;
grant execute on function recount_stats() to attest_app;
