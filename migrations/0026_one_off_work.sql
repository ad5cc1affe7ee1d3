-- Work that is asked for once, beside what comes round. An item names what to do by ids, and there is one of a key at a time that is
-- not over: asking for it again asks for nothing. A process that was killed with an item is silent for so long before another takes it over.
select pgboss.create_queue('mail', '{"policy": "exclusive", "heartbeatSeconds": 20}');
select pgboss.create_queue('background_jobs', '{"policy": "exclusive", "heartbeatSeconds": 20}');

alter table background_jobs
  -- As who its steps are carried out: what its requester was and might do when they asked for it.
  add column requester jsonb not null default '{}',
  -- The item of the queue names the turn that it is for, and ends it together with asking for the next: of two processes that hold an
  -- item of this job, one only has its turn.
  add column turn integer not null default 1 check (turn > 0);
create index background_jobs_newest on background_jobs (tenant_id, created_at, id);
