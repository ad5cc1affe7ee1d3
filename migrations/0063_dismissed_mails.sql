-- A message that failed waits for a person, who has it tried again or decides that nobody needs it any more. What was dismissed is neither
-- counted as failed nor tried again with all others.
alter table mails drop constraint mails_status_check,
  add constraint mails_status_check check (status in ('queued', 'sent', 'failed', 'suppressed', 'dismissed'));
-- The list of a company has the newest failure first.
create index mails_newest_failed on mails (tenant_id, failed_at, id) where failed_at is not null;

-- What failed in the whole installation, for its operators: whose it is, what kind of work, how often and when. It holds nothing of a record:
-- why a job failed may name one, so the company alone reads it.
create index background_jobs_failed on background_jobs (finished_at) where status = 'failed';
create function failed_work_of_tenants(since timestamptz)
  returns table (tenant_id bigint, work text, kind text, reason text, count bigint, first_at timestamptz, last_at timestamptz)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select f.tenant_id, f.work, f.kind, f.reason, count(*), min(f.at), max(f.at) from (
    select m.tenant_id, 'mail' as work, m.kind, m.error as reason, m.failed_at as at from mails m where m.failed_at >= since
    union all
    select j.tenant_id, 'job', j.kind, null, j.finished_at from background_jobs j where j.status = 'failed' and j.finished_at >= since) f
  where current_tenant() = 1
  group by f.tenant_id, f.work, f.kind, f.reason order by max(f.at) desc limit 500
$$;
revoke execute on function failed_work_of_tenants(timestamptz) from public;
grant execute on function failed_work_of_tenants(timestamptz) to attest_app;
