-- The one-time codes by which the first company of an empty installation is made in a browser. They belong to the platform, because there
-- is no company yet.

create table setup_codes (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  -- Sealed with a key of the service's: whoever can only write to the database cannot make a code.
  code_hash bytea not null check (octet_length(code_hash) = 32),
  -- The id of the company, the same for every code: of two people who use codes at the same moment one makes it.
  company_id bigint not null,
  issued_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > issued_at),
  ended_at timestamptz,
  unique (tenant_id, id)
);
comment on table setup_codes is 'One-time codes that a start of an empty installation prints, and that open the set-up of its first company.';
create index setup_codes_open on setup_codes (tenant_id, id) where ended_at is null;
call tenant_table('setup_codes');
call audited_table('setup_codes', 'setup_code');
create trigger ended before update on setup_codes for each row when (old.ended_at is not null) execute function refuse_update();
