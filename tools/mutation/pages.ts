// As a suite of mutants: the tables of moves are those that docs/records.md prints, which people have read.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { it } from 'node:test'
import { records } from '../docs/records.ts'

it('the tables are as they were read', () => {
  assert.ok(readFileSync(new URL('../../docs/records.md', import.meta.url), 'utf8').endsWith(`${records}\n`))
})
