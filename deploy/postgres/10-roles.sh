#!/bin/bash
# For the image of PostgreSQL, which runs it once, in the empty database: roles, rights and passwords, as in src/platform/db/roles.sql.
# A function, because the image may read this into its own shell.
attest_roles() {
  psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --file "${ROLES_SQL:-/attest/roles.sql}" || return
  # The server logs no statement of this session: the passwords are in it.
  psql --no-psqlrc --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --set database="$POSTGRES_DB" <<'SQL'
set log_statement = 'none';
set log_min_error_statement = 'panic';
set log_min_duration_statement = -1;
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
alter database :"database" owner to attest_owner;
alter role attest_owner password :'owner_password';
alter role attest_app password :'app_password';
SQL
}
attest_roles || exit 1
