import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { runSuites } from './run.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'attest-suites-'))
after(() => rmSync(folder, { recursive: true }))

const steady = "import { it } from 'node:test'\nit('is steady', () => {})\n"
const failing = "import { it } from 'node:test'\nit('never passes', () => { throw new Error('no') })\n"
const unsteadyBy = (end: string) => `
  import { existsSync, writeFileSync } from 'node:fs'
  import { describe, it } from 'node:test'
  describe('chance', () => {
    it('passes the second time', () => {
      const mark = import.meta.filename + '.mark'
      if (existsSync(mark)) return
      writeFileSync(mark, '')
      ${end}
    })
  })`

describe('suites that fail', () => {
  let here = ''
  let runs = 0
  beforeEach(() => {
    runs += 1
    here = join(folder, String(runs))
    mkdirSync(here)
  })

  const each = (files: string[]) => files.map(file => [file])
  async function run(suites: Record<string, string>, group = each) {
    for (const [name, text] of Object.entries(suites)) writeFileSync(join(here, name), text)
    let programs = 0
    const resultsFile = join(here, 'results.jsonl')
    const result = await runSuites(
      Object.keys(suites).map(name => relative(root, join(here, name))),
      {
        node: async parameters => {
          programs += 1
          // They need no database.
          const own = parameters.filter(each => !each.startsWith('--test-global-setup'))
          const { NODE_TEST_CONTEXT: _, ...env } = process.env
          const [code] = await once(spawn(process.execPath, own, { cwd: root, env, stdio: 'ignore' }), 'exit')
          if (code !== 0) throw new Error(`node ended with ${code}`)
        },
        temporary: here,
        resultsFile,
        wasInterrupted: () => false,
        group,
      },
    )
    const results = readFileSync(resultsFile, 'utf8').trim().split('\n')
    const outcomes = results
      .map(line => JSON.parse(line))
      .map(({ file, outcome }) => `${file.split('/').at(-1)} ${outcome}`)
    const { tests, passed, failed, failures } = result.totals
    const unsteady = result.unsteady.map(text => text.slice(text.lastIndexOf('/') + 1))
    const counts = [tests, passed, failed]
    return { programs, counts, unsteady, failure: result.failure, failures, outcomes: outcomes.sort() }
  }

  it('pass at once where nothing fails, and are run once', async () => {
    assert.deepEqual(await run({ 'a.test.mjs': steady }), {
      programs: 1,
      counts: [1, 1, 0],
      unsteady: [],
      failure: undefined,
      failures: {},
      outcomes: ['a.test.mjs passed'],
    })
  })

  it('and pass alone are told as unsteady with the names of the tests, also where the process ended', async () => {
    assert.deepEqual(
      await run({
        'a.test.mjs': steady,
        'b.test.mjs': unsteadyBy("throw new Error('by chance')"),
        'c.test.mjs': unsteadyBy('process.exit(3)'),
      }),
      {
        programs: 2,
        counts: [3, 3, 0],
        unsteady: ['b.test.mjs: chance > passes the second time (by chance)', 'c.test.mjs: the process ended'],
        failure: undefined,
        failures: {},
        outcomes: [
          'a.test.mjs passed',
          ...['b', 'c'].flatMap(name => [`${name}.test.mjs passed`, `${name}.test.mjs passed`]),
        ],
      },
    )
  })

  it('in a process that they share have their own hooks; where it ends, each of them is run alone', async () => {
    const hooked = (name: string) => `
      import assert from 'node:assert/strict'
      import { after, before, beforeEach, it } from 'node:test'
      let mine = ''
      before(() => { globalThis.open = [...(globalThis.open ?? []), '${name}'] })
      beforeEach(() => { mine += '${name}' })
      after(() => { globalThis.open.pop() })
      it('is alone', () => assert.deepEqual([globalThis.open, mine], [['${name}'], '${name}']))`
    const together = (files: string[]) => [files]
    assert.deepEqual(await run({ 'a.test.mjs': hooked('a'), 'b.test.mjs': hooked('b') }, together), {
      programs: 1,
      counts: [2, 2, 0],
      unsteady: [],
      failure: undefined,
      failures: {},
      outcomes: ['a.test.mjs passed', 'b.test.mjs passed'],
    })
    const { unsteady, failure } = await run(
      { 'a.test.mjs': steady, 'b.test.mjs': unsteadyBy('process.exit(3)') },
      together,
    )
    assert.deepEqual(unsteady.toSorted(), ['a.test.mjs: the process ended', 'b.test.mjs: the process ended'])
    assert.equal(failure, undefined)
  })

  it('and fail again have failed, and say by which error', async () => {
    const { programs, counts, unsteady, failure, failures } = await run({ 'a.test.mjs': steady, 'b.test.mjs': failing })
    assert.deepEqual([programs, counts, unsteady, failure], [2, [2, 1, 1], [], '1 of 2 tests failed'])
    assert.deepEqual(Object.values(failures), [['never passes (no)']])
  })

  it('fail with an error that nobody catches, though each of their tests passes', async () => {
    for (const [number, error] of [
      `setImmediate(() => { throw new Error('nobody catches this') })`,
      `void Promise.reject(new Error('nobody catches this'))`,
    ].entries()) {
      const careless = `
        import { it } from 'node:test'
        it('passes', async () => { ${error}; for (let i = 0; i < 3; i++) await new Promise(setImmediate) })`
      const { programs, failure } = await run({ [`${number}.test.mjs`]: careless })
      assert.deepEqual([programs, failure], [2, '1 of 2 tests failed'])
    }
  })

  it('more than six of them have failed at once: that is no chance', async () => {
    const seven = 'abcdefg'.split('').map(name => [`${name}.test.mjs`, unsteadyBy("throw new Error('by chance')")])
    const { programs, counts, failure } = await run(Object.fromEntries(seven))
    assert.deepEqual([programs, counts, failure], [1, [7, 0, 7], '7 of 7 tests failed'])
  })
})
