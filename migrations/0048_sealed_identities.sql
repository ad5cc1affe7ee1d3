-- Whoever can write to the database could link an account to a subject of their own, and log in as its person. So a link carries a seal that
-- is made with a key of the service's. A link from before has none, and lets nobody in until it is made again.
alter table user_identities add column seal bytea check (octet_length(seal) = 32);
grant update (seal) on user_identities to attest_app;
-- The seal names the id, which nobody chooses: a link that was removed does not come back with its seal.
revoke insert on user_identities from attest_app;
grant insert (user_id, provider_id, subject, linked_at) on user_identities to attest_app;
drop trigger audited_update on user_identities;
drop trigger audited on user_identities;
call audited_table('user_identities', 'user', id_column => 'user_id', except_columns => '{seal}');
-- A link is never turned to another person or subject, by nobody.
create trigger kept before update on user_identities for each row
  when ((to_jsonb(old) - '{tenant_id,seal}'::text[]) is distinct from (to_jsonb(new) - '{tenant_id,seal}'::text[])) execute function refuse_update();
