import assert from 'node:assert/strict'
import { it } from 'node:test'
import { overall } from './rules.ts'

it('the installation is down without its database, and degraded where anything else is not as it should be', () => {
  for (const [database, mail, expected] of [
    ['Operational', 'Operational', 'Operational'],
    ['Operational', 'Degraded', 'Degraded'],
    ['Operational', 'Down', 'Degraded'],
    ['Degraded', 'Operational', 'Degraded'],
    ['Degraded', 'Down', 'Degraded'],
    ['Down', 'Operational', 'Down'],
    ['Down', 'Down', 'Down'],
  ] as const)
    assert.equal(
      overall([
        { name: 'Email service', status: mail },
        { name: 'Database', status: database },
      ]),
      expected,
      `${database}, ${mail}`,
    )
})
