-- A request that was decided, withdrawn or handed over is settled, and counts as read: otherwise people are asked again and again for what
-- somebody did long ago. `is_request`: it asks its reader for something, or is the copy of such a one for a deputy. Earlier copies and reminders
-- stay as they are. Whether it is escalated, `requires_action` says as before.
alter table notifications add column is_request boolean not null default false, add column settled_at timestamptz;
do $$
declare
  tenant bigint;
begin
  perform set_config('app.tenant_id', '1', true);
  for tenant in select id from tenants loop
    perform set_config('app.tenant_id', tenant::text, true);
    update notifications set is_request = true where requires_action;
  end loop;
  perform set_config('app.tenant_id', '', true);
end $$;
alter table notifications
  add column is_read boolean not null generated always as (read_at is not null or settled_at is not null) stored,
  add check (settled_at is null or is_request);

-- What was unread by read_at is unread by both.
drop index notifications_user, notifications_unread, notifications_unread_priority, notifications_ignored;
create index notifications_user on notifications (tenant_id, user_id, id) include (is_read);
create index notifications_unread on notifications (tenant_id, user_id, id) where not is_read;
create index notifications_unread_priority on notifications (tenant_id, user_id, priority_rank, id) where not is_read;
create index notifications_ignored on notifications (tenant_id, created_at) where requires_action and not is_read and escalated_at is null;
create index notifications_requests on notifications (tenant_id, resource_type, resource_id) where is_request and settled_at is null;
grant update (settled_at) on notifications to attest_app;
