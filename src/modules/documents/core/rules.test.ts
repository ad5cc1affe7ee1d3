import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Permission } from '#kernel/catalogue.ts'
import { canRead, isUnderWay, keywordsOf, nextLabel, noticeOf, readsAll, sightOf, standingOf } from './rules.ts'

it('a minor change counts on within the newest whole number, a major one begins the next', () => {
  const labels = [
    { major: 1, minor: 0 },
    { major: 2, minor: 0 },
    { major: 2, minor: 1 },
    { major: 1, minor: 9 },
  ]
  assert.deepEqual(nextLabel(labels, 'minor'), { major: 2, minor: 2 })
  assert.deepEqual(nextLabel(labels, 'major'), { major: 3, minor: 0 })
})

it('a review is told of thirty days ahead, and on its day where that is nearer', () => {
  assert.equal(noticeOf('2026-12-31', '2026-01-01'), '2026-12-01')
  assert.equal(noticeOf('2026-12-31', '2026-11-30'), '2026-12-01')
  assert.equal(noticeOf('2026-12-31', '2026-12-01'), '2026-12-31')
  assert.equal(noticeOf('2026-12-31', '2026-12-30'), '2026-12-31')
})

it('keywords are each there once, without the blanks around them', () => {
  assert.deepEqual(keywordsOf([' b', 'a', '', ' ', 'b ', 'B']), ['b', 'a', 'B'])
})

// proves: DOC-02
it('people read what is effective, what is theirs, and drafts and obsolete versions each by a permission', () => {
  const kinds = ['initial', 'review', 'effective', 'final']
  const drafts = 'documents.read_drafts'
  const obsolete = 'documents.read_obsolete'
  const sightBy = (userId: number, ...permissions: Permission[]) =>
    sightOf({ userId, permissions: new Set(permissions) } as unknown as Parameters<typeof sightOf>[0])
  const readBy = (userId: number, ...permissions: Permission[]) => {
    const sight = sightBy(userId, ...permissions)
    return kinds.filter(status_kind => canRead(sight, { status_kind, owner_id: 7, created_by: 8 }))
  }
  assert.deepEqual(readBy(1), ['effective'])
  assert.deepEqual(readBy(1, drafts), ['initial', 'review', 'effective'])
  assert.deepEqual(readBy(1, obsolete), ['effective', 'final'])
  assert.deepEqual(readBy(7), kinds, 'whose it is')
  assert.deepEqual(readBy(8), kinds, 'who wrote it')
  assert.deepEqual(
    [[], [drafts], [obsolete], [drafts, obsolete]].map(each => readsAll(sightBy(1, ...(each as Permission[])))),
    [false, false, false, true],
  )
})

it('a version is under way until it is approved or given up', () => {
  assert.deepEqual(['initial', 'review', 'effective', 'final'].filter(isUnderWay), ['initial', 'review'])
})

it('a printed copy says where its version stands, and whether anybody may work by it', () => {
  const at = (status: string, status_kind: string, approved_at: string | null = null) => {
    const { words, isOver } = standingOf({ status, status_kind, approved_at, effective_date: '2026-03-01' })
    return { words: words.text, isOver }
  }
  assert.deepEqual(at('effective', 'effective'), { words: 'EFFECTIVE since 2026-03-01', isOver: false })
  assert.deepEqual(at('taken_back_for_good', 'final'), { words: 'TAKEN BACK FOR GOOD', isOver: true })
  assert.deepEqual(at('in_review', 'review'), { words: 'IN REVIEW', isOver: false })
  assert.deepEqual(at('approved', 'review', '2026-02-01T00:00:00Z'), {
    words: 'APPROVED - NOT YET EFFECTIVE',
    isOver: false,
  })
})
