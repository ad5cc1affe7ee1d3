-- A client that got no answer cannot know whether its command happened. Under an Idempotency-Key it sends the command again and gets the
-- answer of the first time. The row is claimed in the transaction of the command, so a second request waits for the first.

create table idempotency_keys (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  -- Of method, address, body and If-Match: another request under the same key is refused.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  -- Null only within the transaction of the command.
  status integer check (status between 200 and 299),
  headers jsonb,
  body text,
  created_at timestamptz not null,
  primary key (tenant_id, user_id, key_hash),
  check (num_nulls(status, headers, body) in (0, 3)),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table idempotency_keys is 'Answers of commands that were sent with an Idempotency-Key, kept for 48 hours.';
create index idempotency_keys_age on idempotency_keys (tenant_id, created_at);
call tenant_table('idempotency_keys', 'select, insert, update, delete');
-- An answer is given once. Row security refuses another tenant.
create trigger answered before update on idempotency_keys for each row
  when (old.status is not null and old.tenant_id = new.tenant_id) execute function refuse_update();
