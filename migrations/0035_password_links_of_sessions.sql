-- A link after a reset belongs to the sessions that its account had when it was asked for: whatever ends all of them, such as another role,
-- ends the link too. Null for an invitation, whose user has no session yet, and for links from before.
alter table password_links add column session_version integer check (purpose = 'reset' or session_version is null);
drop trigger fixed on password_links;
create trigger fixed before update on password_links for each row when (
    (old.user_id, old.purpose, old.requested_by, old.requested_at, old.session_version)
    is distinct from (new.user_id, new.purpose, new.requested_by, new.requested_at, new.session_version))
  execute function refuse_update();

-- Anybody can say that they have forgotten the password of a user who was invited. That must not end the invitation.
drop index password_links_open;
create unique index password_links_open on password_links (tenant_id, user_id, purpose) where ended_at is null;
