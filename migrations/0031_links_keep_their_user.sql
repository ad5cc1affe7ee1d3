-- A link to choose a password is for one user and goes to that user's mailbox: with the login of the application, and an entry, the link of
-- one user could be turned to another before its message was sent, or queued for the mailbox of another.
alter table password_links add unique (tenant_id, id, user_id);
alter table mails drop constraint mails_tenant_id_password_link_id_fkey,
  add foreign key (tenant_id, password_link_id, user_id) references password_links (tenant_id, id, user_id);
create trigger fixed before update on password_links for each row when (
    (old.user_id, old.purpose, old.requested_by, old.requested_at) is distinct from (new.user_id, new.purpose, new.requested_by, new.requested_at))
  execute function refuse_update();
