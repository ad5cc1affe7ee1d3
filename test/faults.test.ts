// The answer to the caller and the lines of the log when a bug or the database ends a request: provoked for real.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { command, openAction } from '#action'
import { mount, openRoute, route } from '#http'
import { Accounts, authenticator } from '#modules/accounts'
import { Database, type Tx } from '#platform/db/database.ts'
import { type Embedded, openEmbedded } from '#platform/db/embedded.ts'
import { openPool } from '#platform/db/pool.ts'
import { closeEdges, openEdge } from '#test/fakes/edge.ts'
import { noLimits } from '#test/fakes/no-limits.ts'
import { mountSmallDisk, noSmallDisk } from '#test/faults/small-disk.ts'
import { quiet } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'

const unhandled = {
  detail: 'Something went wrong on our side. Quote the reference when you contact support.',
  code: 'internal_error',
}
const databaseFailed = { detail: 'Database error. Please try again.', code: 'database_error' }
const nobody = { tenantId: null, userId: null }

type Answer = { statusCode: number; headers: NodeJS.Dict<string | string[] | number>; body: string }

/** The answer in its fixed shape, and of the log one ERROR line and one access line, all with one id. Answers the ERROR line. */
function assertFailure(reply: Answer, lines: Record<string, unknown>[], failure: typeof unhandled) {
  const id = reply.headers['x-request-id']
  assert.match(String(id), /^[0-9a-f]{32}$/)
  assert.equal(reply.statusCode, 500, reply.body)
  assert.deepEqual(JSON.parse(reply.body), { ...failure, params: {}, request_id: id })
  const errors = lines.filter(({ level }) => level === 'error')
  assert.deepEqual(
    errors.map(({ logger, request_id }) => [logger, request_id]),
    [['app.errors', id]],
    JSON.stringify(lines),
  )
  assert.match(String(errors[0]!.exc), /\n\s+at /)
  const access = lines.filter(({ logger }) => logger === 'server.access')
  assert.deepEqual(
    access.map(({ status_code, request_id }) => [status_code, request_id]),
    [[500, id]],
  )
  return errors[0]!
}

describe('a request', () => {
  let world: World
  /** The next work of this test's route. */
  let work: (tx: Tx) => Promise<unknown> = async () => {}
  let tries = 0
  before(async () => {
    world = await openWorld()
    const { services } = world
    // A command, so that what the work sets lasts for all of it.
    const fails = command({
      summary: 'Fails as the test says',
      permission: 'documents.read',
      input: {},
      response: Type.Object({}),
      mayRecordNothing: true,
      async run({ tx }) {
        tries += 1
        await work(tx)
        return {}
      },
    })
    mount(world.server, [route('GET', '/api/test/fails', fails)], {
      services,
      authenticate: authenticator(new Accounts(world.database), services.keys, services.clock),
      limits: noLimits,
      uploadTypes: async () => [],
    })
  })
  after(() => world.close())

  const failing = async (what: typeof work) => {
    work = what
    tries = 0
    const from = world.lines.length
    const reply = await world.as('quinn').get('/api/test/fails')
    return { reply, lines: world.lines.slice(from) }
  }

  // proves: ERR-02, ERR-04, LOG-05, RID-03
  for (const [what, thrown, type] of [
    ['an error', new RangeError('secret sauce', { cause: new Error('secret cause') }), 'RangeError'],
    ['a text', 'secret sauce', 'Error'],
    ['nothing', undefined, 'Error'],
    ['null', null, 'Error'],
    [
      'what looks like a refusal of the framework',
      Object.assign(new Error('secret sauce'), { statusCode: 418 }),
      'Error',
    ],
    ['what looks like an error of the database', Object.assign(new Error('secret sauce'), { code: '40001' }), 'Error'],
  ] as const) {
    it(`in which a bug throws ${what} is a 500 that says nothing of it, and one ERROR line that says all`, async () => {
      const { reply, lines } = await failing(() => Promise.reject(thrown as Error))
      const line = assertFailure(reply, lines, unhandled)
      assert.equal(line.exc_type, type)
      assert.doesNotMatch(reply.body + JSON.stringify(reply.headers), /secret|RangeError/)
      if (thrown instanceof RangeError)
        assert.match(String(line.exc), /secret sauce[\s\S]+caused by Error: secret cause/)
      assert.equal(tries, 1)
    })
  }

  /**
   * Not before its statement has arrived: what is sent to a server that has gone fails by the socket, which has no code of the server's.
   */
  const endWhileAtWork = async (pid: number) => {
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and query like '%pg_sleep%'`
    while ((await world.superuser.query(end, [pid])).rowCount === 0) await setTimeout(5)
  }

  const raise = (code: string) =>
    sql.raw(`do $$ begin raise exception 'secret' using errcode = '${code}', detail = 'Key (email)=(a@b)'; end $$`)

  // proves: ERR-03, ERR-04, LOG-05
  for (const [what, code, provoke] of [
    [
      'a statement that takes too long',
      '57014',
      async tx => {
        await sql`set local statement_timeout = '50ms'`.execute(tx)
        await sql`select pg_sleep(10)`.execute(tx)
      },
    ],
    [
      'a row that somebody else holds',
      '55P03',
      async tx => {
        await sql`set local lock_timeout = '50ms'`.execute(tx)
        await sql`lock table documents in access share mode`.execute(tx)
      },
    ],
    [
      'a connection that an administrator ends',
      '57P01',
      async tx => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
        await Promise.all([sql`select pg_sleep(10)`.execute(tx), endWhileAtWork(rows[0]!.pid)])
      },
    ],
    ['a value that it does not take', '22P02', tx => sql`select ${'secret'}::text::int`.execute(tx)],
    ['a row with a value that is another', '23505', tx => raise('23505').execute(tx)],
  ] as [string, string, typeof work][]) {
    it(`that meets ${what} is answered as a database error`, async () => {
      const isHeld = code === '55P03'
      if (isHeld) await world.superuser.query('begin; lock table documents in access exclusive mode')
      try {
        const { reply, lines } = await failing(provoke)
        // A duplicate gets an answer with a remedy.
        if (code === '23505') {
          assert.equal(reply.statusCode, 409)
          assert.deepEqual(
            lines.filter(({ level }) => level === 'error'),
            [],
          )
        } else {
          const line = assertFailure(
            reply,
            lines.filter(({ logger }) => logger !== 'attest'),
            databaseFailed,
          )
          assert.deepEqual([line.exc_type, line.exc_code], ['DatabaseError', code])
        }
        assert.doesNotMatch(reply.body, /secret/)
        assert.doesNotMatch(JSON.stringify(lines), /a@b/)
        assert.equal(tries, 1)
      } finally {
        if (isHeld) await world.superuser.query('rollback')
      }
      assert.equal((await failing(async () => {})).reply.statusCode, 200, 'the next is served')
    })
  }

  // proves: ERR-03
  for (const [what, code] of [
    ['loses against another', '40001'],
    ['is locked in a circle with others', '40P01'],
  ] as const) {
    it(`that ${what} is tried three times more, and only then answered as a database error`, async () => {
      const { reply, lines } = await failing(tx => raise(code).execute(tx))
      assert.equal(assertFailure(reply, lines, databaseFailed).exc_code, code)
      assert.equal(tries, 4)
      assert.doesNotMatch(JSON.stringify(lines), /a@b/)
      const won = await failing(async tx => tries < 4 && raise(code).execute(tx))
      assert.deepEqual([won.reply.statusCode, tries], [200, 4])
      assert.deepEqual(
        won.lines.filter(({ level }) => level === 'error'),
        [],
      )
    })
  }
})

describe('the database', () => {
  let folder: string
  let server: Embedded
  let database: Database
  let full: ReturnType<typeof mountSmallDisk>
  const embedded = async () => {
    server = await openEmbedded(folder, quiet)
    // The socket is elsewhere after each start: the pool knows a place that does not change.
    const link = join(folder, 'socket')
    symlinkSync(server.connection.host, `${link}.new`)
    renameSync(`${link}.new`, link)
  }
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-faults-'))
    chmodSync(folder, 0o711)
    await embedded()
    const { port } = server.connection
    database = new Database(openPool({ host: join(folder, 'socket'), port, user: 'postgres' }, quiet))
  })
  after(async () => {
    await closeEdges()
    await database.close()
    await server.close()
    full?.unmount()
    rmSync(folder, { recursive: true, force: true })
  })

  async function edge(run: (database: Database) => Promise<unknown>) {
    const { app, lines } = await openEdge()
    const action = openAction({
      summary: 'Uses the database',
      input: {},
      response: Type.Object({}),
      run: async () => ({ done: await run(database) }),
    })
    mount(app, [openRoute('GET', '/api/test', action)], { services: { database } } as never)
    const ask = async () => {
      const from = lines.length
      const reply = await app.inject('/api/test')
      return { reply, lines: lines.slice(from) }
    }
    return { ask }
  }

  // proves: ERR-03, LOG-05
  it('that is stopped is a database error of each request, and none any more once it is back', async () => {
    const { ask } = await edge(() => database.transaction(nobody, 'read only', tx => sql`select 1`.execute(tx)))
    assert.equal((await ask()).reply.statusCode, 200)
    await server.close()
    for (let round = 0; round < 3; round++) {
      const { reply, lines } = await ask()
      const line = assertFailure(reply, lines, databaseFailed)
      assert.notEqual(line.msg, '')
    }
    await embedded()
    assert.equal((await ask()).reply.statusCode, 200)
  })

  // proves: ERR-03
  it('whose disk is full is a database error, keeps nothing of the request, and answers what only reads', async test => {
    const mounted = join(folder, 'full')
    mkdirSync(mounted)
    full = mountSmallDisk(mounted, '4m')
    if (!full) return test.skip(noSmallDisk)
    mkdirSync(join(mounted, 'space'), { mode: 0o700 })
    await server.close()
    spawnSync('chown', ['--reference', join(folder, 'postgres'), join(mounted, 'space')])
    await embedded()
    const pool = openPool({ host: join(folder, 'socket'), port: server.connection.port, user: 'postgres' }, quiet)
    await pool.query(`create tablespace small location '${join(mounted, 'space')}'`)
    await pool.query('create table filler (id int, text text) tablespace small')
    const { ask } = await edge(() =>
      database.transaction(nobody, 'read write', tx =>
        sql`insert into filler select n, repeat(md5(n::text), 20) from generate_series(1, 20000) n`.execute(tx),
      ),
    )
    const { reply, lines } = await ask()
    assert.equal(assertFailure(reply, lines, databaseFailed).exc_code, '53100')
    assert.deepEqual((await pool.query('select count(*)::int as count from filler')).rows, [{ count: 0 }])
    await pool.end()
  })
})
