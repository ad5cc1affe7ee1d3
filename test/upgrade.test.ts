// The migrations of this release on a database. No release came before it: from the next change of the schema on, this suite also holds
// what an upgrade does to the records of an installation.
import assert from 'node:assert/strict'
import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { migrate, readMigrationState, readMigrations } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { cloneDatabase, emptyDatabase, quiet } from '#test/world/postgres.ts'

const names = readMigrations().map(({ name }) => name)

describe('the baseline', () => {
  it('applies to an empty database, and its files are numbered without gaps', async () => {
    const postgres = await emptyDatabase()
    // The pool ends before its connections do: they may still be cut off by the drop, which no pool of the service minds.
    const pool = openPool(postgres.app, quiet)
    try {
      await migrate(postgres.owner, quiet)
      assert.deepEqual(await readMigrationState(pool), { isEmpty: false, missing: [] })
      const { rows } = await pool.query<{ name: string }>('select name from migrations order by name')
      assert.deepEqual(
        rows.map(({ name }) => name),
        names,
      )
    } finally {
      await pool.end()
      await postgres.drop()
    }
    assert.deepEqual(
      names.map(name => Number(name.slice(0, 4))),
      names.map((_, index) => index + 1),
    )
  })
})

describe('an upgrade (proves: TYPE-01, DOC-05, NOTE-01)', () => {
  /** Three types, each with a workflow of its own, and a version in review. Rows are written as they are, without what checks them. */
  async function fill(client: pg.Client) {
    const insert = (statement: string, rows: readonly (readonly unknown[])[]) =>
      Promise.all(rows.map(values => client.query(`insert into ${statement}`, [...values])))
    const state = (name: string, kind: string) => ({ name, label: name, kind })
    const states = [state('draft', 'initial'), state('in_review', 'review'), state('effective', 'effective')]
    const approve = { name: 'approve', from: 'in_review', to: 'effective', approval: {} }
    const careful = [{ name: 'submit', from: ['draft'], to: 'in_review' }, approve]
    const quick = [...careful, { name: 'publish', from: 'draft', to: 'effective' }]
    const named = [
      [1, 'GMP two-step approval'],
      [2, 'Quick'],
      [3, 'Careful'],
    ]
    await client.query('alter table audit_entries disable trigger all')
    await client.query(`set session_replication_role = replica; set app.tenant_id = '2'; set app.user_id = '5'`)
    await insert(`tenants (id, slug, name) overriding system value values (2, 'acme', $1)`, [['Acme']])
    const people = [5, 6, 7, 8, 9, 10, 11].map(id => [id, `user-${id}`, `${id}@acme.example`])
    await insert('users (id, username, email, role_id) overriding system value values ($1, $2, $3, 1)', people)
    await insert(
      'workflow_templates (id, name, is_builtin) overriding system value values ($1::bigint, $2, $1 = 1)',
      named,
    )
    await insert(
      'workflow_template_versions (template_id, version, definition) values ($1, 1, $2)',
      [careful, quick, careful].map((transitions, i) => [i + 1, JSON.stringify({ states, transitions })]),
    )
    await insert(
      `document_types (id, name, prefix, workflow_template_id) overriding system value values ($1::bigint, $2, 'T', $1)`,
      named,
    )
    await insert('counters (name, last) values ($1, $2)', [
      ['document:T', 41],
      ['document:TRN', 3],
      ['training', 8],
      ['deviation:2026', 12],
      ['capa:2025', 2],
    ])
    await insert('documents (id, number, document_type_id, owner_id) overriding system value values (1, $1, 1, 5)', [
      ['T-1'],
    ])
    await insert(
      `document_versions (id, document_id, major, minor, change_type, title, file_key, file_name, file_size, content_type, sha256,
         workflow_template_id, workflow_template_version, status, status_kind, round, created_by)
       overriding system value values (1, 1, 1, 0, 'major', $1, 'k', 'k', 1, 'text/plain', repeat('0', 64), 3, 1, 'in_review', 'review', 2, 5)`,
      [['Cleaning']],
    )
    await insert(
      `document_history (document_id, version_id, round, transition, from_status, to_status, trigger, user_id)
         values (1, 1, $1, $2, 'draft', 'in_review', 'user', $3)`,
      [
        [0, 'created', 5],
        [1, 'submit', 6],
        [2, 'submit', 7],
        [2, 'send_back', 8],
      ],
    )
    await insert(
      `audit_entries (transaction_id, outcome, action, resource_type, resource_id, changes, request_id, username, user_role, client_addr, person_salt,
         detail_salt, leaf_hash, user_id, occurred_at)
       values (gen_random_uuid(), 'success', $1, 'document', 1, $2, '', '', '', '', substring(sha256('') for 16), substring(sha256('') for 16), sha256(''), $3,
         now() + interval '1 hour')`,
      [
        ['document.updated', '{"title":{"from":"S","to":"T"}}', 9],
        ['document.updated', '{"owner":{"from":"a","to":"b"}}', 10],
        ['document.approval_configured', '{}', 11],
      ],
    )
    await insert(
      `notifications (user_id, type, priority, title, message, resource_type, resource_id, requires_action, read_at, dedupe_key)
         values (6, $1, 'high', 'T', 'T', 'document', 1, $2, $3, $4)`,
      [
        ['document_approval_requested', true, null, 'first'],
        ['document_approval_requested', true, '2026-01-01T00:00:00Z', 'second'],
        ['document_commented', false, null, 'third'],
      ],
    )
  }

  it('gives each type the minimum of its workflow, and finds the contributors of versions under way and the requests', async () => {
    const postgres = await emptyDatabase()
    const client = new pg.Client(postgres.superuser)
    await client.connect()
    const rows = async (statement: string) =>
      (await client.query(statement)).rows.map(row => Object.values(row as object))
    try {
      await migrate(postgres.owner, quiet, undefined, '0018_signing_key_links.sql')
      await fill(client)
      await migrate(postgres.owner, quiet)
      assert.deepEqual(
        await rows(
          'select controlled, minimum_signature, minimum_people, minimum_author_excluded from document_types order by id',
        ),
        [
          [true, true, 2, true],
          [false, false, 0, false],
          [true, false, 1, false],
        ],
      )
      // All three have the prefix T, which the oldest keeps for itself.
      assert.deepEqual(await rows('select shares_prefix from document_types order by id'), [[false], [true], [true]])
      assert.deepEqual(
        await rows('select distinct number_pattern from document_types'),
        [['T-{0000}']],
        'documents keep the numbers that they would have had',
      )
      assert.deepEqual(await rows('select name, last::int from counters order by name'), [
        ['CAPA-2025-', 2],
        ['DEV-2026-', 12],
        ['T-', 41],
        ['TRN-', 8],
      ])
      assert.deepEqual(
        await rows('select submitted_by::int, edited_by::int[], approval_chosen_by::int[] from document_versions'),
        [[7, [9], [11]]],
      )
      assert.deepEqual(
        await rows('select type, is_request, is_read, settled_at from notifications order by type desc, is_read'),
        [
          ['document_commented', false, false, null],
          ['document_approval_requested', true, false, null],
          ['document_approval_requested', true, true, null],
        ],
        'what asked for a decision can be settled',
      )
    } finally {
      await client.end()
      await postgres.drop()
    }
  })
})

describe('a migrated database', () => {
  let folder: string
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  beforeEach(async () => {
    postgres = await cloneDatabase()
    folder = mkdtempSync(join(tmpdir(), 'attest-upgrade-'))
    cpSync(join(import.meta.dirname, '../migrations'), folder, { recursive: true })
  })
  afterEach(async () => {
    await postgres.drop()
    rmSync(folder, { recursive: true })
  })
  const migrateByFolder = () => migrate(postgres.owner, quiet, pathToFileURL(`${folder}/`))

  it('is left as it is by a second start', migrateByFolder)

  it('refuses a program with an edited file', async () => {
    appendFileSync(join(folder, names[2]!), '-- edited\n')
    await assert.rejects(migrateByFolder(), new RegExp(`migration ${names[2]} was edited after it was applied here`))
  })

  it('refuses a program in which a file is missing', async () => {
    rmSync(join(folder, names[2]!))
    await assert.rejects(
      migrateByFolder(),
      new RegExp(`migration ${names[2]} was applied here, but ${names[3]} stands`),
    )
  })

  it('says that a newer program migrated it', async () => {
    rmSync(join(folder, names.at(-1)!))
    await assert.rejects(migrateByFolder(), new RegExp(`newer version of this program, with ${names.at(-1)}: start`))
  })
})
