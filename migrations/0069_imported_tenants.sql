-- A tenant that came from another installation keeps its ids, its signatures and its trail. The keys that sealed them are known here too, and
-- count for this tenant alone: whoever holds the key of the other installation seals nothing that counts for any other tenant.

-- Null for a key of this installation. Which of its keys is the first and which the newest is asked of these alone.
alter table signing_keys add column imported_at timestamptz;
alter table audit_keys add column imported_at timestamptz;
revoke insert on audit_keys from attest_app;
grant insert (key_id, public_key) on audit_keys to attest_app;

create table imported_signing_keys (
  tenant_id bigint not null default current_tenant() references tenants,
  key_id text not null references signing_keys,
  -- The key of the importing installation, and its seal over the tenant, the key and the export. A row without it proves nothing.
  vouched_by text not null references signing_keys,
  export_sha256 text not null check (export_sha256 ~ '^[0-9a-f]{64}$'),
  seal text not null,
  imported_at timestamptz not null default clock_timestamp(),
  primary key (tenant_id, key_id, vouched_by, export_sha256)
);
comment on table imported_signing_keys is 'The keys of earlier installations of a tenant, each sealed by the installation that took the tenant in.';
create index imported_signing_keys_key on imported_signing_keys (key_id);
create index imported_signing_keys_vouched_by on imported_signing_keys (vouched_by);
call tenant_table('imported_signing_keys', 'select');
call append_only('imported_signing_keys');
