// sqlmap (apt install sqlmap) on every place of a query and a path that a list or a record reads, and on the log-in: it finds nothing. Beside
// it a place that is injectable on purpose, which it finds, and by which it reads nothing of another company. Part of npm run attacks.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import {
  addRecords,
  callerOf,
  inputOf,
  type Records,
  type Schema,
  sample,
  sampleRequest,
} from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'

const program = '/usr/bin/sqlmap'
const run = promisify(execFile)
/** Without those that go by time, which a busy machine answers for the database. */
const usual = ['--batch', '--dbms=PostgreSQL', '--technique=BEUSQ', '--flush-session', '--disable-coloring']

describe('sqlmap', { skip: !existsSync(program) && 'apt install sqlmap' }, () => {
  let world: World
  let records: Records
  let origin: string
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-sqlmap-'))
    world = await openWorld({ LOG_LEVEL: 'error', ACCESS_TOKEN_EXPIRE_MINUTES: '480' })
    records = await addRecords(world)
    origin = await world.server.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await world.close()
    rmSync(folder, { recursive: true })
  })

  async function output(args: string[]) {
    const environment = { ...process.env, HOME: folder }
    const running = run(program, [...usual, `--output-dir=${folder}`, ...args], {
      maxBuffer: 2 ** 28,
      env: environment,
    })
    // It would wait for more addresses there.
    running.child.stdin!.end()
    return (await running).stdout
  }

  /** Each text that a query takes by itself, since all at once find nothing; what is no text together. Behind each id of a path a star,
   * which is how sqlmap is told of a place there. */
  function targets() {
    return world.app.routes
      .filter(route => route.method === 'GET' && route.action.kind !== 'open' && callerOf(route) === 'ada')
      .flatMap(route => {
        const { path, query: needed = {} } = sampleRequest(route, records)
        const places = Object.entries(inputOf(route).query?.properties ?? {})
        const [texts, others] = [places.filter(isText), places.filter(each => !isText(each))]
        const searched = [...texts.map(each => [each]), ...(others.length > 0 ? [others] : [])].map(tried => {
          const values = tried.map(([name, { pattern: _, ...schema }]) => [name, sample(schema, records, { name })])
          return `${path}?${new URLSearchParams({ ...needed, ...Object.fromEntries(values) }).toString()}`
        })
        return [...searched, ...(route.url.includes(':') ? [`${path}*`] : [])].map(each => origin + each)
      })
  }
  const isText = ([, { type }]: [string, Schema]) => type === 'string'

  // proves: SVC-01
  it('finds no place in a path or a query where SQL is let in', async t => {
    const all = targets()
    const [list, results] = [join(folder, 'targets'), join(folder, 'results.csv')]
    writeFileSync(list, all.join('\n'))
    const header = `Authorization: Bearer ${await world.tokenOf('ada')}`
    await output(['-m', list, '-H', header, `--results-file=${results}`])
    const found = existsSync(results) ? readFileSync(results, 'utf8').trim().split('\n').slice(1) : []
    t.diagnostic(`${all.length} addresses, ${found.length} injectable`)
    assert.ok(all.length > 100)
    assert.deepEqual(found, [])
    const failed = world.lines.filter(({ level }) => level === 'error')
    assert.deepEqual(failed, [], 'nothing of it is an error of ours')
  })

  it('finds none in a log-in', async () => {
    const body = JSON.stringify({ username: 'nobody*', password: 'x*' })
    const said = await output(['-u', `${origin}/api/auth/token`, '--data', body, '--ignore-code=401'])
    assert.match(said, /do not appear to be injectable/)
  })

  it('finds the place that is injectable on purpose, and reads nothing of another company by it', async () => {
    const { tenant_id, id } = world.people.ada!
    const find = (q: string) =>
      world.database.transaction({ tenantId: tenant_id, userId: id }, 'read only', tx =>
        sql`select username from users where username = '${sql.raw(q)}'`.execute(tx),
      )
    const injectable = createServer((request, response) => {
      find(new URL(request.url!, origin).searchParams.get('q')!).then(
        ({ rows }) => response.end(JSON.stringify(rows)),
        () => response.writeHead(500).end(),
      )
    })
    await new Promise<void>(done => injectable.listen(0, '127.0.0.1', done))
    try {
      const url = `http://127.0.0.1:${(injectable.address() as AddressInfo).port}/?q=ada`
      const said = await output([
        '-u',
        url,
        '-p',
        'q',
        '--level=2',
        '--sql-query=select username from users order by 1',
      ])
      assert.match(said, /is vulnerable|injection point/)
      assert.match(said, /quinn/)
      assert.doesNotMatch(said, /\brex\b|\brita\b|\bpat\b/)
    } finally {
      await new Promise(done => injectable.close(done))
    }
  })
})
