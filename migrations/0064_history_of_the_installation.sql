-- How the dependencies of the installation were in each hour of the last day: the worst that a look found, and how many looks there were. The
-- schedule that writes it removes what is older than a day, so there are never more than some hundred rows.
create table health_hours (
  hour timestamptz not null,
  dependency text not null check (dependency <> ''),
  worst text not null check (worst <> ''),
  looks integer not null check (looks > 0),
  -- Of the looks that found it so.
  detail text,
  primary key (hour, dependency)
);
comment on table health_hours is 'The worst state of each dependency in each hour of the last day.';
grant select, insert, update, delete on health_hours to attest_app;

-- The service cannot see where a backup is. The command notes here that one is complete, as the owner of the tables: the service only reads it.
create table backups (
  snapshot_at timestamptz not null,
  completed_at timestamptz not null default clock_timestamp(),
  digest text primary key check (digest ~ '^[0-9a-f]{64}$'),
  version text not null,
  rows bigint not null check (rows >= 0),
  files bigint not null check (files >= 0),
  bytes bigint not null check (bytes >= 0),
  has_keys boolean not null
);
comment on table backups is 'Backups that the command has completed.';
grant select on backups to attest_app;
