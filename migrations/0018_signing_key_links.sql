-- A key in signing_keys proves nothing by itself, because the service may insert any. A key counts if the service holds it, or if a chain of
-- links leads to it in which each key signed the next one or the one before.
create table signing_key_links (
  previous_key_id text not null references signing_keys,
  next_key_id text not null references signing_keys,
  -- The seal of the previous key over both keys; null if that key was lost before it could sign.
  by_previous text,
  by_next text not null,
  -- A false seal must not keep the genuine one out.
  primary key (previous_key_id, next_key_id, by_next)
);
comment on table signing_key_links is 'Which signing key followed which, sealed by these keys themselves.';
create index signing_key_links_next on signing_key_links (next_key_id);
grant select, insert on signing_key_links to attest_app;
call append_only('signing_key_links');

-- The moment at which a key became known is the database's to say: its order decides which key is the first.
revoke insert on signing_keys from attest_app;
grant insert (key_id, public_key) on signing_keys to attest_app;
