-- Records name each other by ids, and a signature seals them: where records are to move into another installation, both must draw their
-- ids from ranges that do not meet. Without a number ids stay small.

create table installation_number (
  number integer not null check (number between 1 and 4095),
  created_at timestamptz not null default now(),
  -- Keeps the table at one row.
  is_only boolean primary key default true check (is_only)
);
comment on table installation_number is 'The range that ids are drawn from: those of the number n begin with n times 2^40. Empty where ids are small.';
grant select on installation_number to attest_app;
call append_only('installation_number');
