-- The two roles of the application, and what nobody but the owner may do in its database. On a server of yours, run this as a
-- superuser inside that database, before the first migration, after an upgrade to a new major version and after a restore:
--
--   create database attest template template0 encoding 'UTF8' locale 'C.UTF-8';
--   \c attest
--   \i src/platform/db/roles.sql
--   alter database attest owner to attest_owner;
--   alter role attest_owner password '...';
--   alter role attest_app password '...';
--
-- DATABASE_URL logs in as attest_app, MIGRATION_DATABASE_URL as attest_owner. To run it again changes nothing.
-- Dumps (pg_dump) are made and restored as attest_owner or a superuser: attest_app sees no rows without a tenant.

do $$ begin
  if not exists (select from pg_roles where rolname = 'attest_owner') then create role attest_owner login; end if;
  if not exists (select from pg_roles where rolname = 'attest_app') then create role attest_app login; end if;
end $$;

-- Migrates, and owns every table. Row security is forced on owners too: without this, a migration that corrects
-- existing rows would see none of them and succeed.
alter role attest_owner nosuperuser nocreatedb nocreaterole noreplication bypassrls;

-- Does everything else. It owns nothing, so it cannot lift what binds it.
alter role attest_app nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
-- An import of a tenant runs its checks as the application would, within the transaction of the owner.
grant attest_app to attest_owner;
alter role attest_app set timezone = 'UTC';
alter role attest_app set statement_timeout = '60s';
alter role attest_app set lock_timeout = '10s';
alter role attest_app set idle_in_transaction_session_timeout = '60s';

-- The tenant of a transaction is set by statements of its own (SET LOCAL). These two could set another from inside an expression,
-- which is as far as an injected text can get.
revoke execute on function pg_catalog.set_config(text, text, boolean) from public;
grant execute on function pg_catalog.set_config(text, text, boolean) to attest_owner;
revoke update on pg_catalog.pg_settings from public;

-- A table or function of its own, also a temporary one, could stand in the place of ours.
revoke create on schema public from public;
grant create on schema public to attest_owner;
do $$ begin execute format('revoke temporary on database %I from public', current_database()); end $$;
