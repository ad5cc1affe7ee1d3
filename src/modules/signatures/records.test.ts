// Signatures of records that have no versions, by what closes a deviation: what each holds, what becomes of it, and who sees it
// (21 CFR 11.50, 11.70, 11.200).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { forged, intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { checkNames } from './schema.ts'

let world: World
let cases: ReturnType<typeof deviations>
let seals: ReturnType<typeof signatures>
before(async () => {
  world = await openWorld()
  cases = deviations(world)
  seals = signatures(world)
})
after(() => world.close())

const pending = (fields: object = {}) => cases.inState('pending_approval', { severity: 'major', ...fields })
const closing = { status: 'closed', change_reason: 'Complete and plausible' }
const close = async (id: number) => ok(await cases.put('quentin', id, closing))
const attach = async (id: number, text: string) =>
  ok(await world.as('petra').upload(`/api/deviations/${id}/attachments`, {}, { bytes: pdf(text), name: `${text}.pdf` }))
/** Closed with a signature, which is answered. */
async function closed(): Promise<{ deviation: Json; signature: Json }> {
  const deviation = await close((await pending()).id)
  const [signature] = await seals.listed('deviation', deviation.id)
  return { deviation, signature }
}
const reopen = async (id: number) =>
  ok(await cases.put('quinn', id, { status: 'under_investigation', change_reason: 'Seen again' }))
const submit = async (id: number, fields: object = {}) =>
  ok(await cases.put('petra', id, { status: 'pending_approval', change_reason: 'Investigated', ...fields }))
const entries = async (query: string) => ok(await world.as('otto').get(`/api/audit/?${query}`)).items as Json[]
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('the signature that closes a deviation', () => {
  it('holds the deviation and its files, and says who, when and how identity was proved (proves: SIG-01, DEV-01)', async () => {
    const { id } = await pending({ department: 'Filling' })
    const file = await attach(id, 'leak')
    const deviation = await close(id)
    const [signature] = await seals.listed('deviation', id)
    assert.deepEqual(
      [signature.resource_type, signature.resource_id, signature.resource_number],
      ['deviation', id, deviation.number],
    )
    assert.deepEqual([signature.document_id, signature.document_number, signature.document_version], [null, null, null])
    assert.deepEqual(
      [signature.signature_type, signature.occasion.kind, signature.signer.username, signature.method],
      ['closure', 'closure', 'quentin', 'session'],
    )
    const details = await seals.read(signature.id)
    const { v, previous, signer, record, content, files } = JSON.parse(details.payload)
    assert.deepEqual([v, previous, signer.full_name, signer.role], ['2', null, 'Quentin Example', 'QA'])
    assert.deepEqual([record.type, record.id, record.number], ['deviation', String(id), deviation.number])
    assert.deepEqual(
      [content.description, content.department, content.root_cause.summary],
      [deviation.description, 'Filling', deviation.root_cause.summary],
    )
    const attached = { name: 'leak.pdf', sha256: sha256(pdf('leak')) }
    assert.deepEqual(files, [{ id: String(file.id), size: String(pdf('leak').length), ...attached }])
    assert.deepEqual(details.record, {
      file_sha256: null,
      file_size: null,
      metadata_sha256: null,
      content_sha256: sha256(canonicalBytes(content)),
      files: [{ size: pdf('leak').length, ...attached }],
      status: record.status,
    })
    const [entry] = await entries(`action=signature.created&resource_id=${signature.id}`)
    assert.deepEqual([entry.resource_number, entry.user.username], [deviation.number, 'quentin'])
  })

  it('is verified by the ten checks, each with its words (proves: SIG-02)', async () => {
    const { deviation, signature } = await closed()
    const { verification } = await seals.read(signature.id)
    assert.deepEqual([verification.status, verification.valid], ['valid', true])
    assert.deepEqual(
      verification.checks.map(({ name, passed }: Json) => [name, passed]),
      checkNames.map(name => [name, true]),
    )
    const words = Object.fromEntries(verification.checks.map(({ name, detail }: Json) => [name, detail]))
    assert.equal(words.record_association, `It belongs to ${deviation.number}`)
    assert.equal(words.record_integrity, 'The signed content is unchanged since signing')
    assert.equal(words.content_integrity, 'No files were attached')
    assert.equal(words.chain, 'It is the first signature of the deviation')
  })

  it('is one with the move: where identity is not proved nothing is closed, and the attempt is remembered and counted', async () => {
    const { id } = await pending()
    const before = await cases.get('quentin', id)
    const attempts = [
      [
        await world.as('quentin', { logged_in: 3600 }).put(`/api/deviations/${id}`, closing),
        'signing_password_required',
      ],
      [await cases.put('quentin', id, { ...closing, password: 'wrong' }), 'signing_password_or_code_incorrect'],
    ] as const
    for (const [reply, code] of attempts) {
      assert.equal(reply.statusCode, 401, reply.body)
      assert.equal(reply.json().code, code)
    }
    assert.deepEqual(await cases.get('quentin', id), before)
    assert.deepEqual(await seals.listed('deviation', id), [])
    const denied = await entries(`action=signature.denied&user_id=${world.people.quentin!.id}`)
    assert.deepEqual(
      denied.map(({ reason }) => reason),
      ['Wrong password', 'The log-in is too long ago, and no password was given'],
    )
    const failures = async () =>
      (
        await world.rows<Json>('select failed_attempts from credentials where user_id = $1', [world.people.quentin!.id])
      ).map(({ failed_attempts }) => failed_attempts)
    assert.deepEqual(await failures(), [1])
    ok(await cases.put('quentin', id, { ...closing, password, intent: 'I agree' }))
    assert.deepEqual(await failures(), [0])
    const [signature] = await seals.listed('deviation', id)
    assert.deepEqual([signature.method, signature.intent], ['password', 'I agree'])
    const moves = (await world.rows<Json>(`select to_status from record_history where signature_id = $1`, [
      signature.id,
    ])) as Json[]
    assert.deepEqual(moves, [{ to_status: 'closed' }])
  })

  it('is one of two that are given at the same moment', async () => {
    const { id } = await pending()
    const replies = await Promise.all([cases.put('quentin', id, closing), cases.put('quinn', id, closing)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await seals.listed('deviation', id)).length, 1)
  })
})

describe('a deviation that is reopened', () => {
  it('supersedes the signature, which goes on to show what was signed; the next closure follows it (proves: SIG-02)', async () => {
    const { deviation, signature: first } = await closed()
    const { id } = deviation
    await reopen(id)
    assert.deepEqual(await seals.found(first.id), { status: 'superseded', failed: [] })
    await attach(id, 'later')
    await submit(id, { investigation: 'More was found' })
    assert.deepEqual(await seals.found(first.id), { status: 'superseded', failed: [] })
    assert.match(
      await seals.detail('record_integrity', first.id),
      /reopened or changed after signing: content revision \d+/,
    )
    assert.notEqual(JSON.parse((await seals.read(first.id)).payload).content.investigation, 'More was found')
    await close(id)
    const [, second] = await seals.listed('deviation', id)
    assert.deepEqual(await seals.found(second.id), intact)
    assert.equal(await seals.detail('chain', second.id), `It follows the signature ${first.id}`)
    const { content, files } = JSON.parse((await seals.read(second.id)).payload)
    assert.deepEqual([content.investigation, files.length], ['More was found', 1])
    await seals.inReplica(`delete from signatures where id = ${first.id}`)
    assert.deepEqual(await seals.found(second.id), forged('chain'))
  })

  it('and closed again as it was is signed again by the same person', async () => {
    const { deviation } = await closed()
    await reopen(deviation.id)
    await submit(deviation.id)
    await close(deviation.id)
    const statuses: string[] = []
    for (const { id } of await seals.listed('deviation', deviation.id)) statuses.push((await seals.found(id)).status)
    assert.deepEqual(statuses, ['superseded', 'valid'])
  })
})

describe('the signatures of records', () => {
  it('are seen by who may read records of their type, and by who gave them', async () => {
    const { signature } = await closed()
    const seen = async (by: string) => {
      const { total } = ok(
        await world.as(by).get(`/api/signatures/?resource_type=deviation&q=${signature.resource_number}`),
      )
      return [total, (await world.as(by).get(`/api/signatures/${signature.id}`)).statusCode]
    }
    const withoutReading = (denied: string) =>
      seals.inReplica(`update users set denied = '${denied}' where username in ('uma', 'quentin')`)
    assert.deepEqual(
      [await seen('uma'), await seen('rex')],
      [
        [1, 200],
        [0, 404],
      ],
    )
    await withoutReading('{deviations.read}')
    world.services.accounts.changed()
    assert.deepEqual(
      [await seen('uma'), await seen('quentin')],
      [
        [0, 404],
        [1, 200],
      ],
    )
    await withoutReading('{}')
    world.services.accounts.changed()
  })

  it('are not declared void: what closed a deviation goes with its being reopened, and the answer says so', async () => {
    const { signature } = await closed()
    const reply = await world.as('quinn').post(`/api/signatures/${signature.id}/void`, { reason: 'A mistake' })
    assert.deepEqual(
      [reply.statusCode, reply.json().detail],
      [
        409,
        'This signature closed or cancelled the deviation. A closed deviation can be reopened, which supersedes the signature.',
      ],
    )
    assert.deepEqual(await seals.found(signature.id), intact)
  })
})
