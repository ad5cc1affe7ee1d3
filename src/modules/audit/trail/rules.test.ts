import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changesBetween } from './rules.ts'

describe('what an entry says that changed (proves: AUD-01)', () => {
  it('is each field that is another, with both values, in whichever of the two it is', () => {
    assert.deepEqual(changesBetween({ title: 'A', pages: 3, gone: 1 }, { title: 'B', pages: 3, added: [2] }), {
      title: { from: 'A', to: 'B' },
      gone: { from: 1, to: null },
      added: { from: null, to: [2] },
    })
  })

  it('is each value of a record that is new, or gone', () => {
    assert.deepEqual(changesBetween(undefined, { title: 'A', note: null }), { title: { from: null, to: 'A' } })
    assert.deepEqual(changesBetween({ title: 'A', note: null }, undefined), { title: { from: 'A', to: null } })
    assert.deepEqual(changesBetween(undefined, undefined), {})
  })

  it('is not what says the same, nor who changed it and when', () => {
    assert.deepEqual(changesBetween({ list: [{ a: 1 }], none: undefined }, { list: [{ a: 1 }], none: null }), {})
    assert.deepEqual(changesBetween({ list: [1, 2] }, { list: [2, 1] }), { list: { from: [1, 2], to: [2, 1] } })
    assert.deepEqual(changesBetween({ off: false, none: 0 }, { off: null, none: '' }), {
      off: { from: false, to: null },
      none: { from: 0, to: '' },
    })
    const before = { updated_at: 1, updated_by: 1, created_at: 1, created_by: 1 }
    assert.deepEqual(changesBetween(before, { updated_at: 2, updated_by: 2, created_at: 2, created_by: 2 }), {})
  })
})
