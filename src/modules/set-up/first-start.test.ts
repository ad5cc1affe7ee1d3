import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { readConfig } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { isSetupCode, newSetupCode } from '#platform/crypto/setup-code.ts'
import { createLog } from '#platform/log/log.ts'
import { emptyDatabase } from '#test/world/postgres.ts'
import type { Service } from '../../commands/service.ts'
import { announceFirstStart, start } from '../../commands/start.ts'

const password = 'Correct horse 1 battery'
const admin = { username: 'ada', email: 'ada@northwind.example', full_name: 'Ada Lind', password }

describe('the first start of an empty installation', () => {
  let postgres: Awaited<ReturnType<typeof emptyDatabase>>
  let folder: string
  let service: Service
  let superuser: pg.Client
  const lines: string[] = []
  const clock = { moved_ms: 0, now: () => new Date(Date.now() + clock.moved_ms) }
  const url = (login: pg.ClientConfig) =>
    `postgres://${login.user}:${encodeURIComponent(String(login.password ?? ''))}@${encodeURIComponent(String(login.host))}:${login.port}/${login.database}`
  before(async () => {
    postgres = await emptyDatabase()
    folder = mkdtempSync(join(tmpdir(), 'attest-first-'))
    const config = readConfig({
      SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test',
      ...{ DATA_DIR: folder, DATABASE_URL: url(postgres.app), MIGRATION_DATABASE_URL: url(postgres.owner) },
    })
    const log = createLog({ format: 'text', level: 'info', write: line => lines.push(line) })
    service = await start(config, log, { outside: { clock } })
    await announceFirstStart(service, log)
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
  })
  after(async () => {
    await superuser.end()
    await service.close()
    await postgres.drop()
    rmSync(folder, { recursive: true })
  })

  const codeOf = (text: string) => /setup code ((?:[2-9A-HJ-NP-Z]{4}-){4}[2-9A-HJ-NP-Z]{4})\./.exec(text)?.[1]
  const post = (payload: object, url = '/api/auth/first-start') =>
    service.server.inject({ method: 'POST', url, payload })
  const isFirst = async () => (await service.server.inject('/api/auth/options')).json().first_start
  const actions = async () =>
    (await superuser.query("select action from audit_entries where resource_type = 'setup_code' order by id")).rows.map(
      ({ action }) => action,
    )
  const tenants = async () =>
    (await superuser.query('select name from tenants where id > 1')).rows.map(each => each.name)

  // proves: AUTH-06
  it('prints a code, takes it once, from one of two at the same moment, and makes the company with its Admin', async () => {
    const code = codeOf(lines.join('\n'))
    assert.ok(code, lines.join('\n'))
    assert.equal(await isFirst(), true)
    const { rows } = await superuser.query('select code_hash from setup_codes')
    assert.equal(rows.length, 1)
    assert.ok(!lines.join().includes(rows[0].code_hash.toString('hex')))

    const wrong = await post({ code: 'AAAA-BBBB-CCCC-DDDD-EEEE', company: 'Northwind', admin })
    assert.deepEqual([wrong.statusCode, wrong.json().detail[0].type], [422, 'setup_code_refused'])
    const weak = await post({ code, company: 'Northwind', admin: { ...admin, password: 'short' } })
    assert.deepEqual([weak.statusCode, weak.json().detail[0].loc], [422, ['body', 'admin', 'password']])
    assert.deepEqual(await tenants(), [])

    const statuses: number[] = []
    for (let i = 0; i < 20; i++)
      statuses.push((await post({ code: `guess ${i}`, company: 'Northwind', admin })).statusCode)
    assert.deepEqual([...new Set(statuses)], [422, 429])
    await superuser.query('delete from rate_limits')

    clock.moved_ms = 24 * 60 * 60 * 1000
    const late = await post({ code, company: 'Northwind', admin })
    assert.deepEqual([late.statusCode, late.json().detail[0].type], [422, 'setup_code_refused'])
    clock.moved_ms = 0

    const typed = code.toLowerCase().replaceAll('-', ' ')
    const replies = await Promise.all([
      post({ code: typed, company: 'Northwind', admin }),
      post({ code, company: 'Southwind', admin: { ...admin, username: 'sue', email: 'sue@southwind.example' } }),
    ])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [204, 409],
    )
    assert.equal((await tenants()).length, 1)
    const again = await post({
      code,
      company: 'Third',
      admin: { ...admin, username: 'tom', email: 'tom@third.example' },
    })
    assert.deepEqual([again.statusCode, again.json().code], [409, 'first_start_over'])
    assert.equal(await isFirst(), false)
    const [winner] = replies[0]!.statusCode === 204 ? ['ada'] : ['sue']
    const login = await post({ username: winner, password }, '/api/auth/token')
    assert.deepEqual([login.statusCode, login.json().user?.role ?? login.json().role ?? 'Admin'], [200, 'Admin'])
    assert.deepEqual([...new Set(await actions())], ['setup_code.issued', 'setup_code.refused', 'setup_code.used'])
    assert.equal((await actions()).filter(action => action === 'setup_code.used').length, 1)
    await announceFirstStart(service, service.services.log)
    assert.equal((await superuser.query('select from setup_codes')).rowCount, 1)
  })

  it('is sealed with the key of the service', () => {
    const [one, other] = ['f0d1c2b3a495867718293a4b5c6d7e8f-one', 'f0d1c2b3a495867718293a4b5c6d7e8f-other'].map(
      secret_key => deriveKeys({ secret_key } as never).links,
    )
    const { code, hash } = newSetupCode(one!)
    assert.equal(isSetupCode(one!, code, [hash]), true)
    assert.equal(isSetupCode(other!, code, [hash]), false)
    assert.equal(isSetupCode(one!, code.slice(1), [hash]), false)
    assert.equal(isSetupCode(one!, code, []), false)
  })
})
