-- Documents are found by what they say, and an assistant answers from it. All of it is made from the files and may be made again: nothing
-- here is a record, except that the assistant was asked.

-- Reading the text of a version; making vectors of it.
select pgboss.create_queue('texts', '{"policy": "exclusive", "heartbeatSeconds": 20}');
select pgboss.create_queue('vectors', '{"policy": "exclusive", "heartbeatSeconds": 20}');

-- How the reading of each version's file went.
create table document_texts (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  document_id bigint not null,
  -- `no_text`: there is none to be read, as in a scan where no program reads pictures.
  status text not null default 'waiting' check (status in ('waiting', 'extracted', 'no_text', 'failed')),
  -- Why there is no text, or not all of it: a sentence.
  reason text,
  -- Which rules read it; older ones may be read again.
  extractor integer,
  -- ISO 639-3, as far as it can be told.
  language text,
  pages integer check (pages >= 0),
  characters integer check (characters >= 0),
  -- Read off pictures: letters may be wrong.
  by_ocr boolean not null default false,
  extracted_at timestamptz,
  primary key (tenant_id, version_id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  check ((status = 'waiting') = (extracted_at is null))
);
call tenant_table('document_texts');
create index document_texts_document on document_texts (tenant_id, document_id, version_id);
create index document_texts_waiting on document_texts (tenant_id, version_id) where status = 'waiting';

-- A version as it is found: what a search is narrowed by, and its words. Row security switches off the index conditions of a text
-- search, so that functions with the rights of the owner read it for the tenant of the transaction. It is kept by triggers in the
-- transaction that changes the version, its document or its type.
create table document_index (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  document_id bigint not null,
  number text not null,
  -- Without accents, in small letters.
  title text not null,
  document_type_id bigint not null,
  category text,
  status text not null,
  status_kind text not null,
  owner_id bigint not null,
  created_by bigint not null,
  -- The day it became effective on; of one that never was, the day (UTC) of its upload.
  dated date not null,
  -- The one of its document that a reader is shown.
  is_shown boolean not null,
  -- What it says is only for who is trained on it, or is being trained (gate `before_access`).
  is_restricted boolean not null,
  -- A: title and number, B: keywords and description, C: headings, D: text.
  words tsvector not null default '',
  primary key (tenant_id, version_id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id)
) with (fillfactor = 70); -- a change of state finds room beside the old row, and touches no index
create index document_index_document on document_index (tenant_id, document_id, version_id);
create index document_index_words on document_index using gin (tenant_id, words) with (fastupdate = off);
create index document_index_title on document_index using gin (tenant_id, title gin_trgm_ops) with (fastupdate = off);
call tenant_table('document_index', 'select');

-- The text in pieces: what an answer quotes, and what vectors are made of.
create table document_chunks (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  position integer not null check (position >= 0),
  page integer check (page > 0),
  -- The one above it.
  heading text,
  body text not null check (body <> ''),
  -- C: heading, D: body.
  words tsvector not null,
  primary key (tenant_id, version_id, position),
  foreign key (tenant_id, version_id) references document_texts (tenant_id, version_id)
);
call tenant_table('document_chunks', 'select, insert, update, delete');

-- Which rows `i` of document_index somebody may find, as the text of a condition. `asked` holds what the person may read (`kinds` of
-- state, `user_id`: one's own whatever their state) and what they ask for; all values are quoted here.
-- `documents`: the shown version of each; `status`: any version in it; neither: what is effective.
create function search_condition(asked jsonb) returns text
  language sql stable set search_path = pg_catalog, public, pg_temp as $$
  select format('i.tenant_id = %s and (i.status_kind = any(%L::text[]) or i.owner_id = %s or i.created_by = %3$s)',
      coalesce(current_tenant(), 0), array(select jsonb_array_elements_text(asked -> 'kinds')), coalesce((asked ->> 'user_id')::bigint, 0))
    || case when asked ? 'documents' then format(' and i.is_shown and i.document_id = any(%L::bigint[])', array(select jsonb_array_elements_text(asked -> 'documents')))
      when not asked ? 'status' then ' and i.status_kind = ''effective''' else '' end
    || case when asked ? 'status' then format(' and i.status = any(%L::text[])', array(select jsonb_array_elements_text(asked -> 'status'))) else '' end
    || case when asked ? 'document_type' then format(' and i.document_type_id = any(%L::bigint[])', array(select jsonb_array_elements_text(asked -> 'document_type'))) else '' end
    || case when asked ? 'category' then format(' and i.category = any(%L::text[])', array(select jsonb_array_elements_text(asked -> 'category'))) else '' end
    || case when asked ? 'date_from' then format(' and i.dated >= %L::date', asked ->> 'date_from') else '' end
    || case when asked ? 'date_to' then format(' and i.dated <= %L::date', asked ->> 'date_to') else '' end
$$;
-- Whether somebody may know what a row `i` says, and not only what it is called: `drafts` is who holds documents.read_drafts, `trained`
-- are the restricted documents on which the person is trained or is being trained.
create function content_condition(asked jsonb) returns text
  language sql immutable set search_path = pg_catalog, public, pg_temp as $$
  select case when (asked ->> 'drafts')::boolean then 'true' else
    format('(not i.is_restricted or i.owner_id = %s or i.created_by = %1$s or i.document_id = any(%L::bigint[]))',
      coalesce((asked ->> 'user_id')::bigint, 0), array(select jsonb_array_elements_text(asked -> 'trained'))) end
$$;
revoke execute on function search_condition(jsonb), content_condition(jsonb) from public;

-- That the assistant was asked, by whom, with which documents, and what it took; never what was asked or answered. The row is there
-- before anything leaves, so that a call is never without it.
create table ai_calls (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('chat', 'generate', 'analyze', 'suggest_severity')),
  -- `declined`: answered that the documents do not say it.
  status text not null default 'started' check (status in ('started', 'answered', 'declined', 'failed')),
  provider text not null,
  model text not null,
  prompt_version text not null,
  -- The versions whose text was sent.
  version_ids bigint[] not null default '{}',
  -- SHA-256 of what was sent and of what came back.
  prompt_sha256 text not null check (prompt_sha256 ~ '^[0-9a-f]{64}$'),
  answer_sha256 text check (answer_sha256 ~ '^[0-9a-f]{64}$'),
  -- While it is under way, the most that it can take: of two calls at one moment each counts for the limit of the other.
  tokens bigint not null check (tokens >= 0),
  input_tokens integer,
  output_tokens integer,
  -- Millionths of the currency that the tenant's prices are in.
  cost_micros bigint not null default 0 check (cost_micros >= 0),
  duration_ms integer,
  -- Why it failed, in our words.
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (tenant_id, id),
  check ((status = 'started') = (finished_at is null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
create index ai_calls_month on ai_calls (tenant_id, created_at) include (tokens, cost_micros);
create index ai_calls_user on ai_calls (tenant_id, user_id, id);
call tenant_table('ai_calls');
call audited_table('ai_calls', 'ai_call');

-- What a tenant decides about its assistant; no row is as the installation has it.
create table assistant_settings (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  is_enabled boolean not null default true,
  -- In a calendar month of the tenant; null is as much as the installation allows.
  monthly_tokens bigint check (monthly_tokens >= 0),
  monthly_cost_micros bigint check (monthly_cost_micros >= 0),
  -- What 1,000,000 tokens cost.
  input_price_micros bigint not null default 0 check (input_price_micros >= 0),
  output_price_micros bigint not null default 0 check (output_price_micros >= 0),
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  created_by bigint default current_actor(),
  updated_at timestamptz not null default now(),
  updated_by bigint default current_actor(),
  unique (tenant_id),
  unique (tenant_id, id),
  foreign key (tenant_id, created_by) references users (tenant_id, id),
  foreign key (tenant_id, updated_by) references users (tenant_id, id)
);
call tenant_table('assistant_settings');
call audited_table('assistant_settings', 'assistant_settings');
