-- Rows of sessions that ended 90 days ago are removed: each log-in of a program is one, and nobody would ever look at most of them. The
-- audit trail keeps who logged in, from where, and how the session ended.

create index sessions_age on sessions (tenant_id, expires_at);
grant delete on sessions to attest_app;
drop trigger audited on sessions;
create constraint trigger audited after insert on sessions deferrable initially deferred
  for each row execute function require_audit_entry('auth', 'user_id');

create function keep_recent_session() returns trigger language plpgsql as $$
begin
  if old.expires_at > now() - interval '90 days' then
    raise exception 'session % is kept until 90 days after its end', old.id using errcode = 'QA002';
  end if;
  return old;
end $$;
create trigger kept_90_days before delete on sessions for each row execute function keep_recent_session();
