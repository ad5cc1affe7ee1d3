-- Log-ins are limited by address, and counted by all processes together: each of them would otherwise let a guesser begin anew.

-- Unlogged: after a crash of the server everybody begins anew, which costs less than a write to the log for each attempt.
create unlogged table rate_limits (
  -- Of the limit and of the address, so that the table holds no addresses.
  name_hash bytea primary key check (octet_length(name_hash) = 32),
  -- When the room is full again: the theoretical arrival time of the generic cell rate algorithm.
  full_at timestamptz not null
);
comment on table rate_limits is 'Requests without a token that are counted by address, by all processes together.';
create index rate_limits_age on rate_limits (full_at);
grant select, insert, update, delete on rate_limits to attest_app;
