import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { readConfig } from '#platform/config.ts'
import { emptyDatabase, quiet, urlsOf } from '#test/world/postgres.ts'
import { firstIdOf } from './id-ranges.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open.ts'

describe('the ids of an installation', () => {
  let postgres: Awaited<ReturnType<typeof emptyDatabase>>
  let owner: pg.Client
  before(async () => {
    postgres = await emptyDatabase()
    owner = new pg.Client(postgres.owner)
    await owner.connect()
  })
  after(async () => {
    await owner.end()
    await postgres.drop()
  })
  const start = (number?: number) => migrate(postgres.owner, quiet, undefined, undefined, number)
  const next = async () => Number((await owner.query(`select nextval('users_id_seq') as id`)).rows[0]!.id)

  it('are small where nobody gives a number', async () => {
    await start()
    assert.equal(await next(), 1)
    assert.deepEqual((await owner.query('select from installation_number')).rows, [])
    const { rows } = await owner.query(
      `select max(coalesce(last_value, 0)) as last from pg_sequences where schemaname = 'public'`,
    )
    assert.ok(Number(rows[0]!.last) < 1000)
  })

  it('begin with the number from then on, and go on from there', async () => {
    await start(7)
    const first = firstIdOf(7)
    assert.equal(await next(), first)
    await start(7)
    await start()
    assert.equal(await next(), first + 1)
    const { rows } = await owner.query<{ name: string }>(
      `select sequencename as name from pg_sequences where schemaname = 'public'`,
    )
    assert.ok(rows.length > 50)
    for (const { name } of rows) {
      const { rows: drawn } = await owner.query<{ id: string }>(`select nextval('${name}') as id`)
      assert.ok(Number(drawn[0]!.id) >= first, name)
    }
  })

  it('stay with the number: another one is refused, by the owner and by a process that may not migrate', async () => {
    await assert.rejects(start(8), /INSTALLATION_NUMBER is 8, and this database is number 7/)
    await assert.rejects(owner.query('update installation_number set number = 8'), { code: 'QA002' })
    const open = (installationNumber?: number) =>
      openDatabase({ url: urlsOf(postgres).DATABASE_URL, dataDir: 'not used', installationNumber }, quiet)
    await assert.rejects(open(8), /this database is number 7/)
    for (const number of [7, undefined]) await (await open(number)).close()
  })

  it('are whole numbers of JSON, and within what a path may hold, at the last number', () => {
    const last = firstIdOf(4095) + 2 ** 40 - 2
    assert.ok(Number.isSafeInteger(last) && last < 8_999_999_999_999_999)
    const numberOf = (INSTALLATION_NUMBER: string) =>
      readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-ranges', INSTALLATION_NUMBER }).installation_number
    assert.deepEqual(['', '0', '1', '4095'].map(numberOf), [undefined, undefined, 1, 4095])
    for (const wrong of ['4096', '-1', '1.5', 'x']) assert.throws(() => numberOf(wrong), /INSTALLATION_NUMBER is/)
  })
})
