-- When a message was given up, for the report on the installation's health, which looks at all tenants together.

alter table mails
  add column failed_at timestamptz,
  add check ((status = 'failed') = (failed_at is not null));
create index mails_waiting on mails (created_at) where status = 'queued';
create index mails_failed on mails (failed_at) where failed_at is not null;

-- Two counts and a moment, of no tenant in particular: for those who operate the installation and see nothing that is a tenant's.
create function mail_trouble(since timestamptz, out failed bigint, out waiting bigint, out waiting_since timestamptz)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select (select count(*) from mails where failed_at >= since), count(*), min(created_at) from mails where status = 'queued'
$$;
revoke execute on function mail_trouble(timestamptz) from public;
grant execute on function mail_trouble(timestamptz) to attest_app;
