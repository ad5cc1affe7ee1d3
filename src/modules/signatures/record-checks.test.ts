// A check says no more than it looked at (SIG-02).
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { SignedRow } from './checks.ts'
import type { RecordPayload } from './payload.ts'
import { recordChecks } from './record-checks.ts'
import type { RecordSubject } from './rules.ts'

const row = {
  ...{ tenant_id: 2, record_type: 'deviation', record_id: 4, record_number: 'DEV-2026-0004', content_revision: 3 },
  ...{ occasion_kind: 'closure', occasion_ref: '1', copy_of: null },
} as SignedRow
const payload = {
  v: '2',
  tenant: '2',
  record: { type: 'deviation', id: '4', number: 'DEV-2026-0004', content_revision: '3' },
  occasion: { kind: 'closure', ref: '1' },
  content: { title: 'Cold store CS-1 above 8 °C' },
  files: [],
} as unknown as RecordPayload

/** The words of the checks of the content, for the record as it is now. */
function words(now: object) {
  const record = { type: 'deviation', id: 4, number: 'DEV-2026-0004', content_revision: 3, ...now } as RecordSubject
  const details = recordChecks(row, payload, record, []).slice(1)
  return Object.fromEntries(details.map(({ name, passed, detail }) => [name, { passed, detail }]))
}

it('a record that has more fields than were signed is unchanged in what was signed, and no more is said', () => {
  const { record_integrity } = words({ content: { ...payload.content, added_later: 'x' } })
  assert.deepEqual(record_integrity, { passed: true, detail: 'The signed content is unchanged since signing' })
})

it('a record that was changed by the rules is not compared, and neither check says that it was', () => {
  const { record_integrity, content_integrity } = words({ content_revision: 5, content: { title: 'Another' } })
  assert.equal(
    record_integrity!.detail,
    'The record was reopened or changed after signing: content revision 3 was signed, the current one is 5. They were not compared',
  )
  assert.equal(content_integrity!.detail, 'No files were attached')
})
