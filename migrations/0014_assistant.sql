-- The assistant: its settings and a record of its calls. Questions and answers are never stored.

-- A row is committed before anything is sent, so that no call is without one.
create table ai_calls (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  user_id bigint not null,
  kind text not null check (kind in ('chat', 'generate', 'analyze', 'suggest_severity')),
  -- `declined`: answered that the documents do not contain it.
  status text not null default 'started' check (status in ('started', 'answered', 'declined', 'failed')),
  provider text not null,
  model text not null,
  prompt_version text not null,
  -- The versions whose text was sent.
  version_ids bigint[] not null default '{}',
  -- SHA-256 of the request and of the answer.
  prompt_sha256 text not null check (prompt_sha256 ~ '^[0-9a-f]{64}$'),
  answer_sha256 text check (answer_sha256 ~ '^[0-9a-f]{64}$'),
  -- During the call the most that it can use, so that simultaneous calls count for each other's limit.
  tokens bigint not null check (tokens >= 0),
  input_tokens integer,
  output_tokens integer,
  -- Millionths of the currency of the tenant's prices.
  cost_micros bigint not null default 0 check (cost_micros >= 0),
  duration_ms integer,
  -- The reason of a failure, in words of the service.
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  unique (tenant_id, id),
  check ((status = 'started') = (finished_at is null)),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table ai_calls is 'Calls of a language model: by whom, with which documents, and what they used.';
create index ai_calls_month on ai_calls (tenant_id, created_at) include (tokens, cost_micros);
create index ai_calls_user on ai_calls (tenant_id, user_id, id);
call tenant_table('ai_calls');
call audited_table('ai_calls', 'ai_call');

create table assistant_settings (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  is_enabled boolean not null default true,
  -- Limits of a calendar month in the tenant's time zone; null: as the installation allows.
  monthly_tokens bigint check (monthly_tokens >= 0),
  monthly_cost_micros bigint check (monthly_cost_micros >= 0),
  -- Prices of 1,000,000 tokens.
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
comment on table assistant_settings is 'Limits and prices of a tenant''s assistant; without a row those of the installation hold.';
call tenant_table('assistant_settings');
call audited_table('assistant_settings', 'assistant_settings');
