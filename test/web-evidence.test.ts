// The pure functions of the pages for the audit trail, signatures, access reviews and metrics.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Hash, inclusionPlaces, leafHash, nodeHash, type Place, proofOf } from '../src/modules/audit/log/merkle.ts'
import { takeEvents } from '../web/src/api/pieces.ts'
import { pageOfRecord, readSearch, writeSearch } from '../web/src/app/addresses.ts'
import {
  type Account,
  accessOf,
  countDecided,
  decisionOf,
  findingsOf,
} from '../web/src/features/access-reviews/decisions.ts'
import { accountsSearch } from '../web/src/features/access-reviews/search.ts'
import { rootFrom } from '../web/src/features/audit/inclusion.ts'
import { auditSearch, filtersOf, isReviewable, reviewFilterOf } from '../web/src/features/audit/search.ts'
import { byDay, valueText } from '../web/src/features/audit/values.ts'
import { trendOf } from '../web/src/features/metrics/figures.ts'
import { pageOfList, queryOfList } from '../web/src/features/metrics/lists.ts'
import { daysOf, metricsSearch, periodOf } from '../web/src/features/metrics/search.ts'
import { codeOf, signaturesSearch, verifySearch } from '../web/src/features/signatures/search.ts'
import { roundUp } from '../web/src/ui/round-up.ts'

describe('the address of the audit trail', () => {
  it('holds what is shown, and is the same when it is read again', () => {
    const search = {
      ...{ q: 'a, b', user: [3, 5], action: ['document.created'], area: ['documents' as const] },
      ...{ outcome: ['denied' as const], record: 'document', id: 7, from: '2026-01-01', to: '2026-01-31' },
      ...{ order: 'oldest' as const, page: 2 },
    }
    assert.deepEqual(auditSearch(readSearch(writeSearch(search))), search)
  })

  it('leaves out what makes no sense', () => {
    const given = {
      ...{ user: 'x,-1', action: 'no', area: 'kitchen', outcome: 'maybe', id: '7', page: '1' },
      ...{ from: '2026-02-31x', to: '2026-13-01', order: 'sideways' },
    }
    assert.deepEqual(auditSearch(given), {})
    assert.deepEqual(auditSearch({ from: '2026-02-02', to: '2026-02-01' }), { from: '2026-02-02' })
  })

  it('becomes the filter of a review, which has one value of each', () => {
    const search = auditSearch({ user: '3', action: 'document.created', record: 'document', id: '7', q: 'x' })
    assert.ok(isReviewable(search))
    const filter = { q: 'x', user_id: 3, action: 'document.created', resource_type: 'document', resource_id: 7 }
    assert.deepEqual(reviewFilterOf(search), filter)
    assert.deepEqual(filtersOf(search).user_id, [3])
    for (const more of [{ user: '3,4' }, { area: 'documents' }, { outcome: 'denied,failed' }])
      assert.ok(!isReviewable(auditSearch(more)), JSON.stringify(more))
  })
})

describe('an entry of the audit trail', () => {
  it('writes each value as a person reads it', () => {
    assert.equal(valueText(null), undefined)
    assert.equal(valueText([]), undefined)
    assert.equal(valueText(0), '0')
    assert.equal(valueText(['a', 'b']), 'a, b')
    assert.equal(valueText({ file_name: 'a.pdf', size: 3, note: null }), 'file name: a.pdf\nsize: 3\nnote: –')
    assert.equal(valueText({ a: { b: 1 } }), '{\n  "a": {\n    "b": 1\n  }\n}')
  })

  it('stands under its day', () => {
    const at = (occurred_at: string) => ({ occurred_at })
    const days = byDay([at('2026-01-02T00:00:00Z'), at('2026-01-01T23:59:59Z'), at('2026-01-01T00:00:00Z')])
    assert.deepEqual(
      days.map(({ day, items }) => [day, items.length]),
      [
        ['2026-01-02', 1],
        ['2026-01-01', 2],
      ],
    )
  })

  // proves: AUD-04
  it('leads to the root of its tree by its proof, and by no other', async () => {
    for (const size of [1, 2, 3, 6, 7, 8, 13]) {
      const leaves = Array.from({ length: size }, (_, n) => `{"entry":${n}}`)
      const hashOf = ({ level, index }: Place): Hash =>
        level === 0
          ? leafHash(Buffer.from(leaves[index]!))
          : nodeHash(hashOf({ level: level - 1, index: index * 2 }), hashOf({ level: level - 1, index: index * 2 + 1 }))
      const proofAt = (index: number) =>
        proofOf(inclusionPlaces(index, size), hashOf).map(each => each.toString('base64'))
      const roots = await Promise.all(
        leaves.map((leaf, index) => rootFrom({ leaf, index, size, proof: proofAt(index) })),
      )
      assert.equal(new Set(roots).size, 1, `the same root from each of ${size}`)
      assert.match(roots[0]!, /^[\w+/]{43}=$/)
      assert.notEqual(await rootFrom({ leaf: '{"entry":"x"}', index: 0, size, proof: proofAt(0) }), roots[0])
      assert.equal(await rootFrom({ leaf: leaves[0]!, index: size, size, proof: proofAt(0) }), undefined)
      if (size > 1) assert.equal(await rootFrom({ leaf: leaves[0]!, index: 0, size, proof: [] }), undefined)
    }
  })
})

it('an answer in pieces is read as it comes, whatever its parts', () => {
  const whole = 'event: piece\ndata: {"entries":1}\n\n:\n\nevent: done\ndata: {"valid":true}\n\n'
  let [text, found] = ['', [] as unknown[]]
  for (const letter of whole) {
    const { events, rest } = takeEvents(text + letter)
    text = rest
    found = [...found, ...events]
  }
  assert.deepEqual(found, [
    { name: 'piece', data: { entries: 1 } },
    { name: 'done', data: { valid: true } },
  ])
})

it('a record of the trail has a page where there is one', () => {
  assert.equal(pageOfRecord('document', 3), '/documents/3')
  assert.equal(pageOfRecord('signature', 4), '/signatures/4')
  assert.equal(pageOfRecord('access_review', 5), '/access-review/5')
  assert.equal(pageOfRecord('mail', 5), undefined)
  assert.equal(pageOfRecord('document', null), undefined)
})

it('a code is read from a copy however it is typed', () => {
  for (const typed of ['1a2b-3c4d-5e6f-7a8b', '1A2B3C4D5E6F7A8B', ' 1a2b 3c4d 5e6f 7a8b ', '1a2b–3c4d–5e6f–7a8b'])
    assert.equal(codeOf(typed), '1A2B-3C4D-5E6F-7A8B')
  for (const typed of ['', '1a2b', '1a2b-3c4d-5e6f-7a8g', '1a2b-3c4d-5e6f-7a8b-0'])
    assert.equal(codeOf(typed), undefined)
  assert.deepEqual(verifySearch({ code: 'x' }), {})
  const search = { kind: 'document' as const, id: 3, meaning: 'review' as const, signer: 2, void: false, page: 2 }
  assert.deepEqual(signaturesSearch(readSearch(writeSearch(search))), search)
  assert.deepEqual(signaturesSearch({ kind: 'x', id: '3', meaning: 'y', void: 'perhaps', sort: 'id:asc' }), {})
})

describe('decisions of an access review', () => {
  const account = {
    ...{ user_id: 1, username: 'uma', full_name: 'Uma Example', role: 'User', is_active: true, source: 'local' },
    ...{ last_login_at: null, dormant_since: null, locked_until: null, second_factor: false },
    ...{ identity_verified: false, granted: [], granted_count: 0, denied: [], denied_count: 0 },
  } as Account
  const finding = { isOk: false, remark: ' has left ', access: accessOf(account) }

  it('count until the access of the account is another', () => {
    const decisions = { 1: finding }
    assert.deepEqual(decisionOf(decisions, { ...account, last_login_at: '2026-01-01T00:00:00Z' }), finding)
    for (const change of [{ role: 'Admin' }, { is_active: false }, { granted: ['audit.read'], granted_count: 1 }])
      assert.equal(decisionOf(decisions, { ...account, ...change }), undefined)
    assert.deepEqual(countDecided(decisions, [account, { ...account, user_id: 2 }]), {
      ...{ decided: 1, findings: 1, withoutRemark: 0 },
    })
    assert.equal(countDecided({ 1: { ...finding, remark: ' ' } }, [account]).withoutRemark, 1)
  })

  it('become a line for each account', () => {
    const write = (...parts: string[]) => parts.join(' | ')
    assert.equal(findingsOf({ 1: finding }, [account], write), 'Uma Example | uma | has left')
    assert.equal(findingsOf({ 1: { ...finding, isOk: true } }, [account], write), '')
  })

  it('have an address for the accounts that are shown', () => {
    const search = { q: 'u', role: 'QA', active: false, dormant: true as const, sort: 'role:asc', page: 3 }
    assert.deepEqual(accountsSearch(readSearch(writeSearch(search))), search)
    assert.deepEqual(accountsSearch({ active: 'x', dormant: 'false', sort: 'password:asc', page: '0' }), {})
  })
})

describe('metrics', () => {
  it('are of a period, which is known by its name', () => {
    const today = '2026-02-10'
    assert.deepEqual(daysOf('days30', today), { from: '2026-01-12', to: today })
    assert.deepEqual(daysOf('quarter', today), { from: '2026-01-01', to: today })
    assert.deepEqual(daysOf('lastQuarter', today), { from: '2025-10-01', to: '2025-12-31' })
    assert.deepEqual(daysOf('lastYear', today), { from: '2025-01-01', to: '2025-12-31' })
    assert.equal(periodOf({}, today), 'days90')
    assert.equal(periodOf(daysOf('lastQuarter', today), today), 'lastQuarter')
    assert.equal(periodOf({ from: '2026-01-05', to: '2026-01-06' }, today), undefined)
    assert.deepEqual(metricsSearch({ part: 'capas', from: '2026-01-05' }), { part: 'capas' })
    assert.deepEqual(metricsSearch({ part: 'documents', from: '2026-01-05', to: '2026-01-04' }), {})
  })

  it('are compared by what is good news', () => {
    const rate = (value: number | null) => ({ numerator: 0, denominator: 0, rate: value })
    const days = (median: number | null) => ({ count: 1, mean: 9, median })
    assert.equal(trendOf(rate(0.9), rate(0.8), 'high'), 'better')
    assert.equal(trendOf(rate(0.9), rate(0.8), 'low'), 'worse')
    assert.equal(trendOf(days(3), days(5), 'low'), 'better')
    assert.equal(trendOf(3, 5, undefined), 'down')
    assert.equal(trendOf(5, 5, 'low'), 'same')
    assert.equal(trendOf(rate(0.9), rate(null), 'high'), undefined)
    assert.equal(trendOf(rate(0.9), undefined, 'high'), undefined)
  })

  it('lead to the page that shows exactly their records, and to none that would show others', () => {
    const served = ['/documents', '/deviations']
    assert.equal(pageOfList('/api/documents/?overdue_review=true', served), '/documents?overdue=true')
    assert.equal(pageOfList('/api/documents/?document_type=3', served), '/documents?type=3')
    assert.equal(pageOfList('/api/documents/', served), '/documents')
    assert.equal(
      pageOfList('/api/deviations/?status=open&status=pending_approval&severity=major', served),
      '/deviations?status=open,pending_approval&severity=major',
    )
    assert.equal(pageOfList('/api/deviations/?reported_from=2026-01-01', served), undefined)
    assert.equal(pageOfList('/api/capa/?status=open', served), undefined)
    assert.deepEqual(queryOfList('/api/capa/?status=open&status=closed&overdue=true'), {
      ...{ status: ['open', 'closed'], overdue: 'true' },
    })
  })

  it('have an axis that ends at a round number', () => {
    assert.deepEqual([0, 1, 5, 6, 7, 11, 99, 101, 1234].map(roundUp), [4, 4, 5, 6, 8, 20, 100, 200, 2000])
  })
})
