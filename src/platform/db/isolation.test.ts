import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { cloneDatabase, emptyDatabase, quiet } from '#test/world/postgres.ts'
import { isolationDefects, refuseIfNotIsolated } from './isolation.ts'
import { openPool } from './pool.ts'

// proves: SVC-01, AUD-04
describe('the isolation of tenants', () => {
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let superuser: pg.Client

  before(async () => {
    postgres = await cloneDatabase()
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
  })
  after(async () => {
    await superuser.end()
    await postgres.drop()
  })

  it('has no defect in the schema that the migrations make', async () => {
    assert.deepEqual(await isolationDefects(superuser), [])
  })

  it('can be checked by attest_app itself, at every start', async () => {
    const pool = openPool(postgres.app, quiet)
    await refuseIfNotIsolated(pool)
    await pool.end()
  })

  it('stops a start that finds defects, and names all of them', async () => {
    await superuser.query('create table bare (id int); create view all_users as select * from users')
    const pool = openPool(postgres.app, quiet)
    await assert.rejects(refuseIfNotIsolated(pool), ({ message }: Error) => {
      assert.match(
        message,
        /does not keep tenants apart:\n- T1: table bare .*\n(.*\n)*- T2: view all_users lacks security_invoker$/,
      )
      return true
    })
    await pool.end()
    await superuser.query('drop table bare; drop view all_users')
  })

  const parent = `create table parents (tenant_id bigint not null, id bigint generated always as identity primary key, unique (tenant_id, id));
    call tenant_table('parents');`
  const planted: [what: string, statements: string, finds: string[]][] = [
    [
      'T1: a table that was never bound',
      'create table notes (id bigint generated always as identity primary key, body text)',
      [
        'T1: table notes has no row security enabled',
        'T1: table notes has no tenant_id',
        'T1: table notes has row security that its owner escapes (force is missing)',
        'T1: table notes must have exactly one policy, for all commands and roles, using and with check (tenant_id = ( SELECT current_tenant() AS current_tenant))',
      ],
    ],
    [
      'T1: a row of no tenant',
      `${parent} alter table parents alter column tenant_id drop not null`,
      ['T1: table parents has a tenant_id that may be null'],
    ],
    [
      'T1: row security that is off',
      'alter table documents disable row level security',
      ['T1: table documents has no row security enabled'],
    ],
    [
      'T1: row security that an owner escapes',
      'alter table documents no force row level security',
      ['T1: table documents has row security that its owner escapes (force is missing)'],
    ],
    [
      'T1: a second policy that lets more in',
      'create policy more on documents for select using (true)',
      ['T1: table documents must have exactly one policy, *'],
    ],
    [
      'T1: a policy with another condition',
      'alter policy tenant on documents using (true)',
      ['T1: table documents must have exactly one policy, *'],
    ],
    [
      'T1: a table in a schema of its own',
      'create schema side; create table side.notes (tenant_id bigint not null)',
      [
        'T1: table side.notes has no row security enabled',
        'T1: table side.notes has row security that its owner *',
        'T1: table side.notes must have exactly one policy, *',
      ],
    ],
    [
      'T1: an excuse for what is gone',
      'alter table signing_keys rename to old_keys',
      [
        'T1: table old_keys has no row security enabled',
        'T1: table old_keys has no tenant_id',
        'T1: table old_keys has row security *',
        'T1: table old_keys must have exactly one policy, *',
        'T1: tablesWithoutTenant excuses signing_keys, which is not there',
        'T7: append-only table signing_keys lacks a trigger that refuses changes always',
        'T7: table old_keys is append-only and not on the list',
      ],
    ],
    [
      'T1: an excuse for a schema that is gone',
      'drop schema pgboss cascade',
      ['T1: schemasWithoutTenant excuses pgboss, which has no table'],
    ],
    ['T2: a view', 'create view all_users as select * from users', ['T2: view all_users lacks security_invoker']],
    [
      'T2: a materialized view',
      'create materialized view all_users as select * from users',
      ['T2: materialized view all_users keeps rows outside of row security'],
    ],
    [
      "T3: a function with its owner's rights",
      'create function peek(a int, b text) returns bigint language sql security definer set search_path = pg_catalog as $$ select 1::bigint $$',
      ['T3: function peek(integer, text) is SECURITY DEFINER and not on the list'],
    ],
    [
      'T3: a known one without a fixed path',
      'alter function find_login(text) reset search_path',
      ['T3: function find_login(text) is SECURITY DEFINER without a fixed search_path'],
    ],
    [
      "T4: a key to another tenant's row",
      `${parent} alter table documents add parent_id bigint references parents (id)`,
      ['T4: foreign key documents_parent_id_fkey of documents does not tie tenant_id to that of parents'],
    ],
    [
      'T4: a key with the tenant in the wrong place',
      `${parent} alter table documents add parent_id bigint;
      alter table documents add constraint crossed foreign key (parent_id, tenant_id) references parents (tenant_id, id)`,
      ['T4: foreign key crossed of documents does not tie tenant_id to that of parents'],
    ],
    [
      'T5: a unique key over all tenants',
      'create unique index documents_number on documents (number)',
      ['T5: unique index documents_number of documents lacks tenant_id'],
    ],
    [
      'T5: one that only carries the tenant along',
      'create unique index documents_number on documents (lower(number)) include (tenant_id)',
      ['T5: unique index documents_number of documents lacks tenant_id'],
    ],
    [
      'T6: a role that bypasses row security',
      'alter role attest_app bypassrls createrole',
      ['T6: attest_app bypasses row security', 'T6: attest_app may make roles'],
    ],
    [
      'T6: a member of the owner',
      // The other way round it is right, and PostgreSQL takes one of the two alone.
      'revoke attest_app from attest_owner; grant attest_owner to attest_app',
      ['T6: attest_app is a member of attest_owner'],
    ],
    [
      'T7: rights outside of row security',
      'grant truncate, references on documents to attest_app; grant trigger on users to public',
      [
        'T7: attest_app has the right REFERENCES on documents',
        'T7: attest_app has the right TRIGGER on users',
        'T7: attest_app has the right TRUNCATE on documents',
      ],
    ],
    [
      'T7: a way to change the audit trail',
      'grant update (reason) on audit_entries to attest_app; grant delete on signatures to public',
      [
        'T7: attest_app may delete signatures, which is append-only',
        'T7: attest_app may update audit_entries, which is append-only',
      ],
    ],
    [
      'T7: a guard that replication skips',
      'alter table audit_entries enable trigger append_only',
      ['T7: append-only table audit_entries lacks a trigger that refuses changes always'],
    ],
    [
      'T7: a guard that is gone',
      'drop trigger no_truncate on signatures',
      ['T7: append-only table signatures lacks a trigger that refuses changes always'],
    ],
    [
      'T8: something of its own',
      `create function own() returns int language sql as 'select 1'; alter function own() owner to attest_app`,
      ['T8: attest_app owns function own()'],
    ],
    [
      'T8: room for something of its own',
      'grant create on schema public to public; grant temporary on database DATABASE to attest_app',
      ['T8: attest_app may create in schema public', 'T8: attest_app may make temporary tables in this database'],
    ],
    [
      'T9: a tenant that an expression can change',
      'grant execute on function pg_catalog.set_config to public; grant update on pg_settings to attest_app',
      [
        'T9: attest_app may execute set_config(text, text, boolean): run roles.sql in this database',
        'T9: attest_app may update pg_settings: run roles.sql in this database',
      ],
    ],
  ]
  for (const [what, statements, finds] of planted) {
    it(`is checked for ${what}`, async () => {
      await superuser.query('begin')
      try {
        await superuser.query(statements.replace('DATABASE', String(postgres.superuser.database)))
        const found = await isolationDefects(superuser)
        assert.deepEqual(
          found.map((defect, index) =>
            finds[index]?.endsWith('*') && defect.startsWith(finds[index].slice(0, -1)) ? finds[index] : defect,
          ),
          finds,
        )
      } finally {
        await superuser.query('rollback')
      }
    })
  }

  it('comes with every database that is provisioned, and not only with the first', async () => {
    const other = await emptyDatabase()
    const client = new pg.Client(other.app)
    await client.connect()
    await assert.rejects(
      client.query(`select set_config('app.tenant_id', '2', false)`),
      /permission denied for function set_config/,
    )
    await client.end()
    await other.drop()
  })
})
