-- Break-glass accounts and the sweep of the store are looked at once a day, in the tenants with something due and not in each of them.

create table storage_sweeps (
  tenant_id bigint primary key default current_tenant() references tenants,
  swept_at timestamptz not null
);
comment on table storage_sweeps is 'When the sweep of the store last found no file of a tenant that no record names.';
call tenant_table('storage_sweeps');

-- `at` is the moment of the task; where records wait for a time before they are due, the moment before which they must have been made.
-- A tenant may be answered whose task then finds nothing; one that is not answered has nothing due. An unknown task is an error.
create or replace function tenants_with_work(task text, at timestamptz) returns setof bigint
  language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_tenant() <> 1 then
    return;
  end if;
  case task
  -- Of all tenants, also suspended ones and the platform, whose accounts are counted as well. The days are those of accounts/rules.ts.
  when 'accounts.login_failures' then
    return query select t.id from tenants t where exists (select from login_addresses a
      where a.tenant_id = t.id and (a.repeated > 0 and a.repeated_since <= at or a.repeated = 0
        and (a.logged_in_at is null or a.logged_in_at < at - interval '89 days') and a.last_attempt_at < at - interval '23 hours'));
  when 'accounts.sessions' then
    return query select t.id from tenants t where exists (select from sessions s
      where s.tenant_id = t.id and s.expires_at <= at - interval '90 days');
  when 'documents.make_effective' then
    return query select t.id from tenants_at(at) t where exists (select from document_versions v
      where v.tenant_id = t.id and v.is_waiting and (v.effective_date is null or v.effective_date <= t.today));
  when 'documents.approval_reminders' then
    return query select t.id from tenants_at(at) t where exists (select from document_versions v
      where v.tenant_id = t.id and v.approval_notice_on <= t.today);
  when 'documents.review_reminders' then
    return query select t.id from tenants_at(at) t where exists (select from document_versions v
      where v.tenant_id = t.id and v.review_notice_on <= t.today);
  when 'documents.orphaned_approvals' then
    return query select t.id from tenants_at(at) t where exists (select from document_versions v
        where v.tenant_id = t.id and v.status_kind = 'review')
      or exists (select from document_versions v where v.tenant_id = t.id and v.approval_orphaned_at is not null);
  when 'controlled_copies.remind' then
    return query select t.id from tenants_at(at) t where exists (select from controlled_copies k
      where k.tenant_id = t.id and k.status = 'recalled' and k.due_date < t.today and not k.overdue_noticed);
  when 'deviations.tell_of_due_dates' then
    return query select t.id from tenants_at(at) t where exists (select from deviations d
      where d.tenant_id = t.id and d.due_notice_on <= t.today and is_open_deviation(d.status));
  when 'capas.tell_of_due_dates' then
    return query select t.id from tenants_at(at) t where exists (select from capas c where c.tenant_id = t.id and c.notice_on <= t.today);
  when 'capas.tell_of_actions' then
    return query select t.id from tenants_at(at) t where exists (select from capa_actions a
      where a.tenant_id = t.id and a.notice_on <= t.today);
  when 'capas.tell_of_reviews' then
    return query select t.id from tenants_at(at) t where exists (select from effectiveness_reviews r
      where r.tenant_id = t.id and r.notice_on <= t.today);
  when 'training.reminders' then
    return query select t.id from tenants_at(at) t where exists (select from training_assignments a
      where a.tenant_id = t.id and a.notice_on <= t.today and is_open_training_assignment(a.status));
  when 'training.requalification' then
    return query select t.id from tenants_at(at) t where exists (select from training_assignments a
      where a.tenant_id = t.id and a.notice_on <= t.today and a.status = 'completed');
  when 'training.audience' then
    return query select t.id from tenants_at(at) t where exists (select from training_group_assignments g
        where g.tenant_id = t.id and g.ended_at is null)
      or exists (select from curricula c where c.tenant_id = t.id and c.status = 'active');
  when 'training.deactivated' then
    return query select t.id from tenants_at(at) t where exists (select from users u
      where u.tenant_id = t.id and not u.is_active and exists (select from training_assignments a
        where a.tenant_id = t.id and a.user_id = u.id and is_open_training_assignment(a.status)));
  when 'training.compliance' then
    return query select t.id from tenants_at(at) t where exists (select from compliance_changes c where c.tenant_id = t.id)
      or exists (select from compliance_people p where p.tenant_id = t.id and p.changes_on <= t.today)
      or exists (select from compliance_people p where p.tenant_id = t.id and p.counted_on > t.today);
  when 'statistics.count_by_new_zone' then
    return query select t.id from tenants_at(at) t where exists (select from stat_zones z
      where z.tenant_id = t.id and (z.replaced_at is not null or not z.is_whole));
  when 'notifications.send_digests' then
    return query select t.id from tenants_at(at) t where exists (select from notifications n
      where n.tenant_id = t.id and n.digest_on <= t.today);
  when 'notifications.escalate' then
    return query select t.id from tenants_at(at) t where exists (select from notifications n
      where n.tenant_id = t.id and n.requires_action and not n.is_read and n.escalated_at is null and n.resource_id is not null
        and n.created_at <= at);
  -- Accounts that nobody has used, and of which nobody was reminded, since `at`.
  when 'accounts.break_glass' then
    return query select t.id from tenants_at(at) t where exists (select from credentials c join users u on u.id = c.user_id
      where c.tenant_id = t.id and c.is_break_glass and u.is_active
        and greatest(c.last_login_at, c.password_changed_at, c.break_glass_reminded_at) < at);
  -- Whoever began what left a file without a record is in the audit trail, if not for that then for the log-in before it: three days,
  -- because a sweep spares files of a day. A machine with a key may not be, so each tenant has its turn after thirty days as well. A moment
  -- that has not come yet says that the clock was set back.
  when 'storage.sweep' then
    return query select t.id from tenants_at(at) t left join storage_sweeps s on s.tenant_id = t.id
      where s.tenant_id is null or s.swept_at not between at - interval '30 days' and at or exists (select from audit_entries e
        where e.tenant_id = t.id and e.occurred_at > s.swept_at - interval '3 days');
  when 'api_keys.reminders' then
    return query select t.id from tenants_at(at) t where exists (select from api_keys k
      where k.tenant_id = t.id and k.revoked_at is null and k.expires_at > at and k.expires_at <= at + interval '30 days'
        and coalesce(k.warned_days, 31) > case when k.expires_at <= at + interval '1 day' then 1
          when k.expires_at <= at + interval '7 days' then 7 else 30 end);
  when 'ai_calls.end_abandoned' then
    return query select t.id from tenants_at(at) t where exists (select from ai_calls c
      where c.tenant_id = t.id and c.status = 'started' and c.created_at < at);
  when 'uploads.erase_expired' then
    return query select t.id from tenants_at(at) t where exists (select from uploads u where u.tenant_id = t.id and u.created_at <= at);
  when 'jobs.idempotency_keys' then
    return query select t.id from tenants_at(at) t where exists (select from idempotency_keys k
      where k.tenant_id = t.id and k.created_at < at);
  when 'identity-providers.attempts' then
    return query select t.id from tenants_at(at) t where exists (select from login_attempts a
        where a.tenant_id = t.id and a.begun_at < at)
      or exists (select from logout_tokens l where l.tenant_id = t.id);
  when 'tenant_exports.expire' then
    return query select t.id from tenants_at(at) t where exists (select from tenant_exports e
      where e.tenant_id = t.id and (e.status = 'ready' and e.expires_at <= at or e.status in ('expired', 'deleted', 'failed')));
  when 'file_removals.delete_restored' then
    return query select t.id from tenants_at(at) t where exists (select from file_removals f
      where f.tenant_id = t.id and f.status = 'removed');
  -- What the queue may have lost.
  when 'background_jobs' then
    return query select t.id from tenants_at(at) t where exists (select from background_jobs j
      where j.tenant_id = t.id and j.finished_at is null);
  when 'mails' then
    return query select t.id from tenants_at(at) t where exists (select from mails m where m.tenant_id = t.id and m.status = 'queued');
  when 'texts' then
    return query select t.id from tenants_at(at) t where exists (select from document_texts x
      where x.tenant_id = t.id and x.status = 'waiting');
  when 'file_removals' then
    return query select t.id from tenants_at(at) t where exists (select from file_removals f
      where f.tenant_id = t.id and f.status = 'approved');
  when 'disposals' then
    return query select t.id from tenants_at(at) t where exists (select from disposals d
      where d.tenant_id = t.id and d.status = 'approved');
  when 'tenant_exports' then
    return query select t.id from tenants_at(at) t where exists (select from tenant_exports e
      where e.tenant_id = t.id and e.status = 'in_progress');
  end case;
end;
$$;

create index credentials_break_glass on credentials (tenant_id) where is_break_glass;
