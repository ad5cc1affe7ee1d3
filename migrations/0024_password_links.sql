-- One-time links by which people choose a password themselves, so that nobody else ever knows one of theirs.

create table password_links (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  purpose text not null check (purpose in ('reset', 'invitation')),
  -- Null for a person who has forgotten the password.
  requested_by bigint default current_actor(),
  requested_at timestamptz not null,
  -- Made when the message is sent, so that no queue and no backup ever holds a link. Sealed with a key of the service's: whoever can only
  -- write to the database cannot make a link.
  token_hash bytea check (octet_length(token_hash) = 32),
  expires_at timestamptz,
  ended_at timestamptz,
  is_used boolean not null default false,
  unique (tenant_id, id),
  check ((token_hash is null) = (expires_at is null)),
  check (not is_used or (ended_at is not null and token_hash is not null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id),
  foreign key (tenant_id, requested_by) references users (tenant_id, id)
);
comment on table password_links is 'One-time links to choose a password, sent by e-mail.';
create index password_links_user on password_links (tenant_id, user_id, requested_at);
create unique index password_links_open on password_links (tenant_id, user_id) where ended_at is null;
call tenant_table('password_links');
call audited_table('password_links', 'user', id_column => 'user_id');
create trigger ended before update on password_links for each row when (old.ended_at is not null) execute function refuse_change();

alter table mails
  add column password_link_id bigint,
  drop constraint mails_kind_check,
  drop constraint mails_notification_ids_check,
  add constraint mails_kind_check check (kind in ('notification', 'digest', 'password_link')),
  add check ((kind = 'password_link') = (password_link_id is not null)),
  add check ((kind = 'password_link') = (cardinality(notification_ids) = 0)),
  add foreign key (tenant_id, password_link_id) references password_links (tenant_id, id);
comment on table mails is 'E-mails: about one notification, a digest of several, or a link to choose a password.';

-- Whoever changes the address of another person could read the link that is sent there next.
alter table users add column email_changed_at timestamptz;
