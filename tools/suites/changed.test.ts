import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { suitesOf } from './changed.ts'
import { listSuites } from './plan.ts'

const chosen = (...files: string[]) => suitesOf(files, listSuites())

describe('what is run for a change', () => {
  it('of a module is its own suites, those that import it, and the sweeps over all routes', () => {
    const suites = chosen('src/modules/groups/actions.ts')
    for (const expected of [
      'src/modules/groups/groups.test.ts',
      'test/every-route.test.ts',
      'test/architecture.test.ts',
    ])
      assert.ok(suites.includes(expected), expected)
    assert.ok(suites.length < 15, suites.join())
  })

  it('of a test or a helper is the suites that use it', () => {
    assert.ok(chosen('src/kernel/day.test.ts').includes('src/kernel/day.test.ts'))
    const suites = chosen('test/support/world/rounds.ts')
    assert.ok(suites.includes('test/races.test.ts') && suites.includes('test/crash.test.ts'), suites.join())
  })

  it('of a migration is what sweeps over tables and statements', () => {
    const suites = chosen('migrations/0001_foundation.sql')
    for (const name of ['schema', 'upgrade', 'audit-guard', 'every-route'])
      assert.ok(suites.includes(`test/${name}.test.ts`), name)
  })

  it('of a page of words is little, and of nothing is nothing', () => {
    assert.deepEqual(chosen('README.md'), ['test/readme.test.ts'])
    assert.deepEqual(chosen(), [])
  })
})
