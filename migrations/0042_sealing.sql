-- The sealer: who signs checkpoints, what is read for a proof, and whose entries wait.

-- The public halves of the keys that signed checkpoints. A key that is out of use stays: what it signed is still to be verified.
create table audit_keys (
  key_id text primary key,
  public_key text not null,
  created_at timestamptz not null default now()
);
grant select, insert on audit_keys to attest_app;
call append_only('audit_keys');

-- A full tile is one hash of the level above: proofs across many tiles read 32 bytes of each.
alter table audit_tiles add root bytea not null check (octet_length(root) = 32),
  -- Hashes cannot be made smaller, and where nobody tries, a piece of a tile is read alone.
  alter hashes set storage external;

-- Whose entries wait, with the first of them: an entry that stays the first is one that nobody seals.
drop function tenants_to_seal();
create function tenants_to_seal() returns table (tenant_id bigint, entry_id bigint) language sql stable security definer
  set search_path = pg_catalog, public, pg_temp as $$
  with recursive waiting as (
    (select p.tenant_id, p.entry_id from audit_pending p order by p.tenant_id, p.entry_id limit 1)
    union all
    select next.* from waiting w cross join lateral
      (select p.tenant_id, p.entry_id from audit_pending p where p.tenant_id > w.tenant_id order by p.tenant_id, p.entry_id limit 1) next)
  select * from waiting $$;
revoke execute on function tenants_to_seal() from public;
grant execute on function tenants_to_seal() to attest_app;
