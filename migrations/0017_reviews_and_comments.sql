-- Whether what is in force still holds is decided again and again; and what its readers say of a version is kept with it.

alter table document_versions
  -- Its periodic review found that it must be revised; until a newer version replaces it, no further review is due.
  add column needs_revision boolean not null default false,
  -- The next day on which somebody is told of its review: that it is due soon, then that it is overdue.
  add column review_notice_on date;

-- Row security holds the owner too, and what is already there was audited when it was made.
alter table document_versions no force row level security;
alter table document_versions disable trigger user;
update document_versions set review_notice_on = review_due_date - 30 where status_kind = 'effective';
update document_versions set review_due_date = null where status_kind <> 'effective';
alter table document_versions enable trigger user;
alter table document_versions force row level security;

-- The first is for the look of the clock: it reads those of whom somebody is to be told, and none that were told of already.
create index document_versions_review_notice on document_versions (tenant_id, review_notice_on) where review_notice_on is not null;
create index document_versions_review on document_versions (tenant_id, review_due_date) where review_due_date is not null;
create index document_versions_revision on document_versions (tenant_id, document_id) where needs_revision;

create table document_reviews (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  -- When it was due; null where it was carried out although none was.
  due_date date,
  outcome text not null check (outcome in ('keep_effective', 'needs_revision', 'make_obsolete')),
  comment text not null check (comment <> ''),
  reviewer_id bigint not null default current_actor(),
  signature_id bigint not null,
  next_due_date date,
  decided_at timestamptz not null,
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, reviewer_id) references users (tenant_id, id),
  foreign key (tenant_id, signature_id) references signatures (tenant_id, id)
);
create index document_reviews_version on document_reviews (tenant_id, document_id, version_id);
create index document_reviews_reviewer on document_reviews (tenant_id, reviewer_id);
create index document_reviews_signature on document_reviews (tenant_id, signature_id);

create table document_comments (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  round integer not null,
  text text not null check (text <> ''),
  page integer check (page > 0),
  quote text,
  created_by bigint not null default current_actor(),
  created_at timestamptz not null default now(),
  resolved_at timestamptz,
  resolved_by bigint,
  reply text,
  unique (tenant_id, id),
  check ((resolved_at is null) = (resolved_by is null)),
  check (reply is null or resolved_at is not null),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, resolved_by) references users (tenant_id, id)
);
create index document_comments_version on document_comments (tenant_id, document_id, version_id);
create index document_comments_author on document_comments (tenant_id, created_by);
create index document_comments_resolver on document_comments (tenant_id, resolved_by);

-- What was said stays as it was said; that it is settled is said once.
create function keep_comment() returns trigger language plpgsql as $$
begin
  if old.resolved_at is not null or new.resolved_at is null
     or to_jsonb(old) - '{resolved_at,resolved_by,reply}'::text[] is distinct from to_jsonb(new) - '{resolved_at,resolved_by,reply}'::text[] then
    raise exception 'a comment is resolved once, and never changed' using errcode = 'QA002';
  end if;
  return null;
end $$;
create trigger keep_comment after update on document_comments for each row execute function keep_comment();

call tenant_table('document_reviews', 'select, insert');
call append_only('document_reviews');
call tenant_table('document_comments');
call audited_table('document_reviews', 'document', id_column => 'document_id');
call audited_table('document_comments', 'document', id_column => 'document_id');
