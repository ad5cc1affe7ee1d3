import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { emptyDatabase, quiet } from '#test/world/postgres.ts'
import { migrate } from './migrate.ts'

describe('migrations', () => {
  let folder: string
  let postgres: Awaited<ReturnType<typeof emptyDatabase>>
  let client: pg.Client

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attest-migrations-'))
  })
  after(() => rmSync(folder, { recursive: true }))
  beforeEach(async () => {
    postgres = await emptyDatabase()
    client = new pg.Client(postgres.owner)
    await client.connect()
    write('0001_first.sql', 'create table first (n int);\ninsert into first values (1);\n')
    rmSync(join(folder, '0002_second.sql'), { force: true })
  })
  afterEach(async () => {
    await client.end()
    await postgres.drop()
  })

  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  const run = () => migrate(postgres.owner, quiet, pathToFileURL(`${folder}/`))
  const applied = async () =>
    (await client.query('select name from migrations order by name')).rows.map(({ name }) => name)

  it('are applied once, in the order of their names', async () => {
    await run()
    write('0002_second.sql', 'insert into first values (2)')
    await run()
    await run()
    assert.deepEqual((await client.query('select n from first')).rows, [{ n: 1 }, { n: 2 }])
    assert.deepEqual(await applied(), ['0001_first.sql', '0002_second.sql'])
  })

  it('are applied once when two processes start together', async () => {
    await Promise.all([run(), run(), run()])
    assert.deepEqual((await client.query('select n from first')).rows, [{ n: 1 }])
  })

  it('of the product go on in a new session after each file', async () => {
    const files = readdirSync('migrations').sort()
    for (const file of files) await migrate(postgres.owner, quiet, undefined, file)
    assert.deepEqual(await applied(), files)
  })

  it('refuse an edited history', async () => {
    await run()
    write('0001_first.sql', 'create table first (n bigint);')
    await assert.rejects(run(), /0001_first.sql was edited after it was applied/)
  })

  it('refuse a file put before, or taken out of, what was applied', async () => {
    await run()
    write('0000_early.sql', 'select 1')
    await assert.rejects(run(), /0001_first.sql was applied here, but 0000_early.sql stands in its place/)
    rmSync(join(folder, '0000_early.sql'))
    rmSync(join(folder, '0001_first.sql'))
    await assert.rejects(run(), /migrated by a newer version of this program, with 0001_first.sql: start the version/)
  })

  it('are the same history with the line ends of Windows', async () => {
    await run()
    write('0001_first.sql', 'create table first (n int);\r\ninsert into first values (1);\r\n')
    await run()
  })

  it('leave nothing of one that fails, and say where it failed', async () => {
    write('0002_second.sql', 'create table second (n int);\n\ninsert into nowhere values (1);\n')
    await assert.rejects(run(), /migration 0002_second.sql \(line 3\): relation "nowhere" does not exist/)
    assert.deepEqual(await applied(), ['0001_first.sql'])
    assert.deepEqual((await client.query(`select to_regclass('second') as made`)).rows, [{ made: null }])
  })

  it('may not end the transaction that makes them all or nothing', async () => {
    write('0002_second.sql', 'create table second (n int); commit; select 1')
    await assert.rejects(run(), /must not begin, commit or roll back/)
    assert.deepEqual(await applied(), ['0001_first.sql'])
  })
})
