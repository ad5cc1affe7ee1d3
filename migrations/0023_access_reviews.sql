-- Periodic reviews of the accounts and their access (EU GMP Annex 11, 12.3; 21 CFR 11.10(d), (g), 11.300(b)). Rows of users change, so a review keeps
-- the list that was reviewed, account by account, and is signed like every other record.

create table access_reviews (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  outcome text not null check (outcome in ('no_findings', 'findings')),
  findings text check (findings <> ''),
  -- The hash is over the hashes of the accounts, in the order of their ids.
  accounts integer not null check (accounts > 0),
  own_accounts integer not null check (own_accounts between 0 and accounts),
  accounts_sha256 text not null check (accounts_sha256 ~ '^[0-9a-f]{64}$'),
  -- What the reviewer was told of the settings, as codes and sentences.
  remarks jsonb not null,
  reviewer_id bigint not null default current_actor(),
  created_at timestamptz not null default now(),
  unique (tenant_id, id),
  foreign key (tenant_id, reviewer_id) references users (tenant_id, id),
  check ((outcome = 'findings') = (findings is not null))
);
comment on table access_reviews is 'Signed reviews of the accounts of a tenant and of their access.';
create index access_reviews_reviewer on access_reviews (tenant_id, reviewer_id, id);
call tenant_table('access_reviews', 'select, insert');
call append_only('access_reviews');
call audited_table('access_reviews', 'access_review');

create table access_review_accounts (
  tenant_id bigint not null default current_tenant() references tenants,
  access_review_id bigint not null,
  user_id bigint not null,
  username text not null,
  full_name text,
  role text not null,
  is_active boolean not null,
  source text not null check (source in ('local')),
  last_login_at timestamptz,
  dormant_since timestamptz,
  locked_until timestamptz,
  second_factor boolean not null,
  identity_verified boolean not null,
  granted text[] not null,
  denied text[] not null,
  primary key (tenant_id, access_review_id, user_id),
  foreign key (tenant_id, access_review_id) references access_reviews (tenant_id, id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table access_review_accounts is 'The accounts of an access review, as they were when it was signed.';
create index access_review_accounts_user on access_review_accounts (tenant_id, user_id);
-- A signature covers its accounts, and is verified by the id of the review alone.
create index access_review_accounts_review on access_review_accounts (access_review_id, user_id);
call tenant_table('access_review_accounts', 'select, insert');
call append_only('access_review_accounts');
call audited_table('access_review_accounts', 'access_review', id_column => 'access_review_id');

-- A signature names one more kind of record. Its two generated columns are made anew, because PostgreSQL 15 cannot change their expressions;
-- these and the checks are extended as they are found, so that no kind of record gets lost that another migration has added.
alter table signatures add column access_review_id bigint,
  add foreign key (tenant_id, access_review_id) references access_reviews (tenant_id, id);
create index signatures_access_review on signatures (tenant_id, access_review_id);
grant insert (access_review_id) on signatures to attest_app;

do $$
declare
  expression_of_type text;
  expression_of_id text;
  one_record record;
  occasions text;
begin
  select pg_get_expr(adbin, adrelid) into strict expression_of_type from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'signatures'::regclass and attname = 'record_type';
  select pg_get_expr(adbin, adrelid) into strict expression_of_id from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = 'signatures'::regclass and attname = 'record_id';
  select conname, pg_get_expr(conbin, conrelid) as expression into strict one_record from pg_constraint
    where conrelid = 'signatures'::regclass and contype = 'c' and pg_get_expr(conbin, conrelid) ~ '^\(?num_nonnulls\(document_id, deviation_id,';
  select pg_get_expr(conbin, conrelid) into strict occasions from pg_constraint
    where conrelid = 'signatures'::regclass and conname = 'signatures_occasion_kind_check';

  alter table signatures drop column record_type, drop column record_id;
  execute format('alter table signatures
    add column record_type text not null generated always as (case when access_review_id is not null then ''access_review'' else %s end) stored,
    add column record_id bigint not null generated always as (coalesce(access_review_id, %s)) stored', expression_of_type, expression_of_id);
  execute format('alter table signatures drop constraint %I, add constraint signatures_of_one_record check (%s)',
    one_record.conname, replace(one_record.expression, ') = 1', ', access_review_id) = 1'));
  execute format('alter table signatures drop constraint signatures_occasion_kind_check, add constraint signatures_occasion_kind_check check (%s)',
    replace(occasions, ']', ', ''access_review''::text]'));
end $$;

-- These indexes went with the columns.
create index signatures_record on signatures (tenant_id, record_type, record_id, id);
create unique index signatures_once_for_record on signatures
  (tenant_id, record_type, record_id, content_revision, signer_id, signature_type, occasion_kind, occasion_ref) where document_id is null;
create unique index signatures_chain on signatures (tenant_id, record_type, record_id, coalesce(previous_digest, ''));
