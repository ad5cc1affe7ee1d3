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
import { cloneDatabase, emptyDatabase, quiet } from '#test/world/postgres.ts'

const names = readMigrations().map(({ name }) => name)

describe('the baseline', () => {
  it('applies to an empty database, and its files are numbered without gaps', async () => {
    const postgres = await emptyDatabase()
    const pool = new pg.Pool(postgres.app)
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
