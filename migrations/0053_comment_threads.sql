-- Comments on documents become talks: replies, people who are mentioned, a change of what was just written, and a resolution that can be
-- taken back. The audit trail keeps what a comment said before, and how it was resolved before.

alter table document_comments
  -- The comment that begins the thread.
  add column parent_id bigint,
  add column edited_at timestamptz,
  add unique (tenant_id, document_id, id),
  add unique (tenant_id, version_id, id),
  add foreign key (tenant_id, version_id, parent_id) references document_comments (tenant_id, version_id, id),
  add check (parent_id is null or resolved_at is null);
create index document_comments_parent on document_comments (tenant_id, version_id, parent_id);

create function keep_thread() returns trigger language plpgsql as $$
begin
  if exists (select from document_comments c where c.tenant_id = new.tenant_id and c.id = new.parent_id and c.parent_id is not null) then
    raise exception 'a reply belongs to the comment that begins its thread' using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger keep_thread after insert on document_comments for each row when (new.parent_id is not null) execute function keep_thread();

-- A comment is resolved, reopened, or changed by its writer while nobody has answered it; a little longer than the program allows.
create or replace function keep_comment() returns trigger language plpgsql as $$
declare
  is_resolution constant boolean := (old.resolved_at is null) <> (new.resolved_at is null)
    and to_jsonb(old) - '{resolved_at,resolved_by,reply}'::text[] = to_jsonb(new) - '{resolved_at,resolved_by,reply}'::text[];
  is_edit constant boolean := old.resolved_at is null and new.edited_at is not null and old.created_by = current_actor()
    and new.edited_at < old.created_at + interval '20 minutes'
    and not exists (select from document_comments c where c.tenant_id = old.tenant_id and c.parent_id = old.id)
    and to_jsonb(old) - '{text,edited_at}'::text[] = to_jsonb(new) - '{text,edited_at}'::text[];
begin
  if not coalesce(is_resolution or is_edit, false) then
    raise exception 'a comment is resolved or reopened, or changed by its writer before anybody answers it' using errcode = 'QA002';
  end if;
  return null;
end $$;

create table document_comment_mentions (
  tenant_id bigint not null default current_tenant() references tenants,
  document_id bigint not null,
  comment_id bigint not null,
  user_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, comment_id, user_id),
  foreign key (tenant_id, document_id, comment_id) references document_comments (tenant_id, document_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table document_comment_mentions is 'People whom a comment on a document mentions, and who were notified of it.';
create index document_comment_mentions_comment on document_comment_mentions (tenant_id, document_id, comment_id);
create index document_comment_mentions_user on document_comment_mentions (tenant_id, user_id);
call tenant_table('document_comment_mentions', 'select, insert');
call append_only('document_comment_mentions');
call people_only('document_comment_mentions', 'user_id');
call audited_table('document_comment_mentions', 'document', id_column => 'document_id');
