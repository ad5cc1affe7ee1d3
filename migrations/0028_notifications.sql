-- What somebody was told is found by its priority, its type and its day, also among a million; and what was sent of it by e-mail.

alter table notifications
  add column priority_rank smallint not null
    generated always as (case priority when 'low' then 1 when 'normal' then 2 when 'high' then 3 else 4 end) stored;
-- Those that are read are counted from it alone.
drop index notifications_user;
create index notifications_user on notifications (tenant_id, user_id, id) include (read_at);
create index notifications_priority on notifications (tenant_id, user_id, priority_rank, id);
create index notifications_unread_priority on notifications (tenant_id, user_id, priority_rank, id) where read_at is null;
create index notifications_type on notifications (tenant_id, user_id, type, id);
create index notifications_created on notifications (tenant_id, user_id, created_at);
-- Of a request that was decided by another way nobody waits for its reader any more.
grant update (asks) on notifications to attest_app;

-- Of a message that tells of one thing that one; of a digest its first, as the ids in it ascend.
create index mails_first_notification on mails (tenant_id, user_id, kind, (notification_ids[1]));
