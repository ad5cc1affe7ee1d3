-- Which installation this database belongs to. The store of files and the folder of keys carry the same id, so that a process never works
-- with the records of one installation and the files or keys of another. The first start writes the row, once store and keys carry it.

create table installation (
  id uuid not null,
  created_at timestamptz not null default now(),
  -- One row, for ever.
  is_only boolean primary key default true check (is_only)
);
grant select, insert on installation to attest_app;
call append_only('installation');
