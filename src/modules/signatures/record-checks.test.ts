// A check says no more than it looked at (SIG-02).
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { it } from 'node:test'
import { type SignedRow, signatureIntegrity } from './checks.ts'
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

it('a seal says whether its key was looked for among those of the service', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url').toString('base64')
  const text = JSON.stringify(payload)
  const sealed = {
    ...row,
    ...{ public_key, payload: text, digest: createHash('sha256').update(text).digest('hex') },
    key_id: createHash('sha256').update(Buffer.from(public_key, 'base64')).digest('hex').slice(0, 16),
    seal: sign(null, Buffer.from(text), privateKey).toString('base64'),
  } as SignedRow
  const wordsOf = (trusted: ReadonlySet<string> | undefined) => signatureIntegrity(sealed, trusted)
  assert.deepEqual(
    [new Set([public_key]), undefined].map(trusted => wordsOf(trusted).detail),
    [
      'The signed content matches its seal',
      'The signed content matches its seal. Whether the key of the seal belongs to this service was not examined, because no key of the service was at hand',
    ],
  )
  assert.equal(wordsOf(new Set()).passed, false)
})
