-- Notifications in the service, and e-mail. Both are written in the transaction of the change that they are about.

-- A notification follows from an audit entry, so it has no entry of its own. That it was read has one.
create table notifications (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  type text not null,
  priority text not null check (priority in ('low', 'normal', 'high', 'urgent')),
  -- A column, because a list of a million notifications is sorted by an index on it.
  priority_rank smallint not null
    generated always as (case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end) stored,
  title text not null check (title <> ''),
  message text not null check (message <> ''),
  resource_type text not null,
  resource_id bigint,
  -- If the reader does not read it, it is escalated.
  requires_action boolean not null default false,
  escalated_at timestamptz,
  -- Waits for the digest of this day.
  digest_on date,
  created_at timestamptz not null default clock_timestamp(),
  read_at timestamptz,
  -- Names the occasion, so that nobody is notified of the same one twice.
  dedupe_key text not null,
  unique (tenant_id, id),
  unique (tenant_id, user_id, dedupe_key),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table notifications is 'Messages to people in the service.';
-- With read_at, so that unread notifications are counted without reading the rows.
create index notifications_user on notifications (tenant_id, user_id, id) include (read_at);
create index notifications_unread on notifications (tenant_id, user_id, id) where read_at is null;
create index notifications_priority on notifications (tenant_id, user_id, priority_rank, id);
create index notifications_unread_priority on notifications (tenant_id, user_id, priority_rank, id) where read_at is null;
create index notifications_type on notifications (tenant_id, user_id, type, id);
create index notifications_created on notifications (tenant_id, user_id, created_at);
create index notifications_ignored on notifications (tenant_id, created_at) where requires_action and read_at is null and escalated_at is null;
create index notifications_digest on notifications (tenant_id, digest_on, user_id, id) where digest_on is not null;
call tenant_table('notifications', 'select, insert');
-- The text never changes. `requires_action` ends when the request was decided in another way.
grant update (read_at, requires_action, escalated_at, digest_on) on notifications to attest_app;

create table notification_preferences (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  type text not null check (type <> ''),
  in_app boolean not null,
  email text not null check (email in ('immediate', 'digest', 'none')),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, user_id, type),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table notification_preferences is 'How a person wants to be notified; a type without a row is delivered by its default.';
call tenant_table('notification_preferences', 'select, insert, update, delete');
call audited_table('notification_preferences', 'user', id_column => 'user_id');

-- A job that names only the id sends it. However often it is sent, it is the same message with the same Message-ID.
create table mails (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('notification', 'digest')),
  notification_ids bigint[] not null check (cardinality(notification_ids) > 0),
  message_id text not null,
  -- `suppressed`: no longer wanted when it was to be sent.
  status text not null default 'queued' check (status in ('queued', 'sent', 'failed', 'suppressed')),
  attempts integer not null default 0,
  -- The answer of the mail server, without the address.
  error text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  failed_at timestamptz,
  unique (tenant_id, id),
  unique (tenant_id, message_id),
  check ((status = 'sent') = (sent_at is not null)),
  check ((status = 'failed') = (failed_at is not null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table mails is 'E-mails about notifications, one for a single notification or a digest of several.';
create index mails_user on mails (tenant_id, user_id, id);
create index mails_unsent on mails (tenant_id, status, id) where status in ('queued', 'failed');
-- The ids of a digest are sorted: the first one finds it.
create index mails_first_notification on mails (tenant_id, user_id, kind, (notification_ids[1]));
-- The health report counts over all tenants.
create index mails_waiting on mails (created_at) where status = 'queued';
create index mails_failed on mails (failed_at) where failed_at is not null;
call tenant_table('mails');

-- Two counts and a time over all tenants, for operators, who see no company's records.
create function mail_trouble(since timestamptz, out failed bigint, out waiting bigint, out waiting_since timestamptz)
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select (select count(*) from mails where failed_at >= since), count(*), min(created_at) from mails where status = 'queued'
$$;
revoke execute on function mail_trouble(timestamptz) from public;
grant execute on function mail_trouble(timestamptz) to attest_app;
