import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { cloneDatabase } from '#test/world/postgres.ts'
import { withoutValues } from '#test/world/statements.ts'
import { writeProcesses } from './processes.ts'
import { coveringSuites, isExplainable, readNoted } from './statements.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'attest-statements-'))
after(() => rmSync(folder, { recursive: true }))

describe('the suites that another server needs', () => {
  const sentBy = new Map(
    Object.entries({ usual: ['a', 'b'], small: ['a', 'c'], large: ['b', 'c', 'd'], other: ['e'], same: ['b'] }).map(
      ([suite, digests]) => [suite, new Set(digests)],
    ),
  )
  const files = [...sentBy.keys(), 'no statement']
  const choice = (
    always: string[],
    { seconds = {}, explained = '' }: { seconds?: Record<string, number>; explained?: string } = {},
  ) =>
    coveringSuites(files, {
      always,
      sentBy,
      secondsOf: suite => seconds[suite] ?? 1,
      isExplained: digest => explained.includes(digest),
    })
  const choose = (always: string[], seconds: Record<string, number> = {}) => choice(always, { seconds }).chosen.sort()

  it('send every statement, and those of which others send all are left out', () => {
    assert.deepEqual(choose(['usual']), ['large', 'other'])
    assert.ok(choose([]).length === 3 && !choose([]).includes('same'))
  })

  it('are the quick ones where there is a choice', () => {
    assert.ok(choose([], { usual: 100 }).includes('small'))
    assert.ok(choose([], { small: 100 }).includes('usual'))
  })

  it('leave to an explanation what takes long, but never what cannot be explained', () => {
    const seconds = { large: 0.1, other: 100 }
    const { chosen, explained } = choice(['usual'], { seconds, explained: 'abcde' })
    assert.deepEqual([chosen, [...explained]], [['large'], ['e']])
    assert.deepEqual(choice(['usual'], { seconds, explained: 'abcd' }).chosen.sort(), ['large', 'other'])
  })

  it('are told which statements are explained', () => {
    const of = (text: string, user = 'attest_app') => isExplainable({ text, user })
    assert.ok(of("select 1 from users where full_name = 'a;b'"))
    assert.ok(of('\n  with each as (select 1) insert into users select * from each;'))
    for (const text of [
      'begin',
      'set local app.tenant_id = 1',
      'select 1; select 2',
      'lock table users',
      'listen jobs',
    ])
      assert.ok(!of(text), text)
    assert.ok(!of('select 1', 'attest_owner'))
  })
})

describe('what a suite sends', () => {
  it('is a statement without its values, however many there are', () => {
    const one = withoutValues('select "id"\n  from "users" where "name" in ($1, $2, $3) and "n" > 12 limit 5')
    assert.equal(one, withoutValues('select "id" from "users" where "name" in ($4, $5) and "n" > 7 limit 50'))
    assert.notEqual(one, withoutValues('select "id" from "users" where "name" in ($4, $5) and "n" < 7 limit 50'))
    const rows = (count: number) =>
      withoutValues(
        `insert into "t" ("a", "b") values ${Array.from({ length: count }, (_, n) => `($${2 * n + 1}, $${2 * n + 2})`).join(', ')}`,
      )
    assert.equal(rows(2), rows(3))
  })

  it('is noted by suite, where they share a process and where they do not, and nothing that a test looks at by itself or the login has no right to', async () => {
    const database = await cloneDatabase()
    const suite = (login: object, statement: string) => `
      import { createRequire } from 'node:module'
      import { before, it } from 'node:test'
      const pg = createRequire(${JSON.stringify(join(root, 'package.json'))})('pg')
      const send = async text => {
        const pool = new pg.Pool(${JSON.stringify(login)})
        const client = await pool.connect()
        await client.query(text).finally(() => {
          client.release()
          return pool.end()
        })
      }
      const look = async () => {
        const client = new pg.Client(${JSON.stringify(login)})
        await client.connect()
        await client.query('select 4 as looked_at').finally(() => client.end())
      }
      it('looks', look)
      before(() => send(${JSON.stringify(`${statement}, 'before'`)}))
      it('asks', () => send(${JSON.stringify(statement)}))
      it('has no right', () => send('select from pg_authid').catch(() => {}))`
    const suites = {
      'a.test.mjs': suite(database.app, 'select 1 as a'),
      'b.test.mjs': suite(database.app, 'select 2 as b'),
      'c.test.mjs': suite(database.superuser, 'select 3 as c'),
    }
    for (const [name, text] of Object.entries(suites)) writeFileSync(join(folder, name), text)
    const [a, b, c] = Object.keys(suites).map(name => relative(root, join(folder, name)))
    const notes = join(folder, 'notes')
    mkdirSync(notes)
    const processes = writeProcesses([[a!, b!], [c!]], join(folder, 'processes'))
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    for (const program of processes.keys()) {
      const options = { cwd: root, env: { ...environment, TEST_STATEMENTS: notes }, stdio: 'ignore' as const }
      assert.deepEqual(await once(spawn(process.execPath, [program], options), 'exit'), [0, null])
    }
    await database.drop()
    const { sentBy, statements } = readNoted(notes)
    const of = (name: string) => new Set([...(sentBy.get(name) ?? [])].map(digest => statements.get(digest)))
    const sent = (text: string) => ({ text, user: 'attest_app' })
    assert.deepEqual(of(a!), new Set([sent("select 1 as a, 'before'"), sent('select 1 as a')]))
    assert.deepEqual(of(b!), new Set([sent("select 2 as b, 'before'"), sent('select 2 as b')]))
    assert.deepEqual(of(c!), new Set())
  })
})
