// Whatever is altered behind the back of the API, the verification says so, and which check found it (SIG-02, 21 CFR 11.70).
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { checkNames } from './schema.ts'

let world: World
let paper: ReturnType<typeof papers>
let seals: ReturnType<typeof signatures>
/** An effective SOP, whose last signature is petra's acknowledgement: that is the one that is looked at. */
let document: Json
let versionId: number
let id: number

before(async () => {
  world = await openWorld()
  paper = papers(world)
  seals = signatures(world)
  document = await paper.effective({ category: 'Cleaning', description: 'D', keywords: 'a,b' })
  id = (await signAs('petra', document.id)).id
  versionId = Number(await storedIn('signatures', 'version_id', id))
})
after(() => world.close())

const signAs = async (name: string, document_id: number, more: object = {}) =>
  ok(
    await world
      .as(name)
      .post('/api/signatures/', { document_id, signature_type: 'acknowledgement', intent: 'I have read it', ...more }),
  )
const read = (signature: number, by?: string) => seals.read(signature, by)
const found = (signature = id, by?: string) => seals.found(signature, by)
const detail = (name: string, signature = id) => seals.detail(name, signature)
const inReplica = (statements: string) => seals.inReplica(statements)

async function storedIn(table: string, column: string, key: number | string, keyColumn = 'id') {
  const [row] = await world.rows<Json>(`select ${column} as value from ${table} where ${keyColumn} = $1`, [key])
  return row.value
}
/** Alters a column, looks, and puts it back. */
async function altered(table: string, column: string, value: unknown, key: number | string, keyColumn = 'id') {
  const before = await storedIn(table, column, key, keyColumn)
  const put = (to: unknown) =>
    behindTheApi(world, table, `update ${table} set ${column} = $1 where ${keyColumn} = $2`, [to, key])
  await put(value)
  const seen = await found()
  await put(before)
  assert.deepEqual(await found(), intact)
  return seen
}
describe('the verification of a signature (proves: SIG-02)', () => {
  it('says when it was made, by which algorithm and key, and what each of ten checks found, in words', async () => {
    const { verification, key_id } = await read(id)
    const { checks, ...rest } = verification
    assert.deepEqual(rest, {
      valid: true,
      verified_at: rest.verified_at,
      status: 'valid',
      algorithm: 'Ed25519',
      key_id,
    })
    assert.ok(Math.abs(Date.parse(rest.verified_at) - Date.now()) < 60_000)
    assert.deepEqual(
      checks.map(({ name }: Json) => name),
      checkNames,
    )
    assert.match(await detail('manifestation'), /^Petra Example, QA, at 2\d{3}-.*Z: acknowledgement$/)
    assert.equal(await detail('audit_entry'), 'The audit trail has its entry, with its digest and time')
  })

  const swap = (text: string) => (text[0] === 'A' ? 'B' : 'A') + text.slice(1)
  const alterations: [column: string, change: (old: Json) => unknown, failed: string[]][] = [
    ['payload', text => text.replace('I have read it', 'I wrote it all'), ['signature_integrity', 'manifestation']],
    ['payload', text => text.replace('{', '{ '), ['signature_integrity']],
    ...['not json', '{}', 'null', '[]', '{"v":"2"}'].map((text): [string, () => string, string[]] => [
      'payload',
      () => text,
      [...checkNames],
    ]),
    ['digest', () => 'f'.repeat(64), ['signature_integrity', 'audit_entry']],
    ['seal', swap, ['signature_integrity']],
    ['seal', text => text.slice(1), ['signature_integrity']],
    ['seal', () => '', ['signature_integrity']],
    ['seal', text => `${text} `, ['signature_integrity']],
    ['request_id', () => 'another', ['completeness']],
    ['client_addr', () => '10.0.0.1', ['completeness']],
    ['content_revision', () => 7, ['record_association']],
    ['round', () => 7, ['record_association']],
    ['occasion_kind', () => 'approval', ['record_association']],
    ['occasion_ref', () => 'approve', ['record_association']],
    ['signer_id', () => world.people.quinn!.id, ['signer_identity', 'audit_entry']],
    ['signer_username', () => 'quinn', ['signer_identity']],
    ['method', () => 'password', ['signer_identity']],
    ['previous_digest', () => 'f'.repeat(64), ['chain']],
    ['intent', () => 'I wrote it', ['manifestation']],
    ['signature_type', () => 'authorship', ['manifestation']],
    ['signer_full_name', () => null, ['manifestation']],
    ['signer_role', () => 'QA Manager', ['manifestation']],
    ['signed_at', () => '2020-01-01T00:00:00Z', ['manifestation']],
    ['time_zone', () => 'Europe/Berlin', ['manifestation']],
  ]
  for (const [index, [column, change, failed]] of alterations.entries())
    it(`finds that ${column} of the signature was altered (${index}: ${failed.length === checkNames.length ? 'all' : failed.join(', ')})`, async () => {
      const before = await storedIn('signatures', column, id)
      assert.deepEqual(await altered('signatures', column, change(before), id), { status: 'seal_invalid', failed })
    })

  it('finds that the format was altered, by someone who took its constraint away', async () => {
    const [{ definition }] = (await world.rows<Json>(
      `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'signatures_format_of_record'`,
    )) as [Json]
    await world.rows('alter table signatures drop constraint signatures_format_of_record')
    const seen = await altered('signatures', 'format', 2, id)
    await world.rows(`alter table signatures add constraint signatures_format_of_record ${definition}`)
    assert.deepEqual(seen, { status: 'seal_invalid', failed: ['completeness'] })
  })

  it('looks at everything that the row repeats: no column of it is altered unseen', async () => {
    const columns = await world.rows<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'signatures'::regclass and attnum > 0 and not attisdropped`,
    )
    const seen = new Set(alterations.map(([column]) => column))
    const elsewhere = ['tenant_id', 'id', 'format', 'document_id', 'version_id', 'key_id']
    // Records that are not documents are checked in records.test.ts. Generated columns repeat these.
    const ofRecords = [
      'deviation_id',
      'capa_id',
      'effectiveness_review_id',
      'training_assignment_id',
      'audit_review_id',
      'configuration_change_id',
      'access_review_id',
      'file_removal_id',
      'disposal_id',
      'legal_hold_id',
      'migration_batch_id',
    ]
    // Other evidence is tried in test/attacks/signing-challenges.test.ts.
    elsewhere.push('evidence_id')
    // An altered `on_behalf_of` is tried in src/modules/deputies/deputies.test.ts.
    elsewhere.push(...ofRecords, 'record_number', 'record_type', 'record_id', 'on_behalf_of_id', 'on_behalf_of_name')
    assert.deepEqual(
      columns.map(({ name }) => name).filter(name => !seen.has(name) && !elsewhere.includes(name)),
      [],
    )
  })

  for (const [column, value] of [
    ['title', 'Another'],
    ['category', null],
    ['description', 'E'],
    ['keywords', ['a']],
  ] as const)
    it(`finds that the ${column} of the version was altered`, async () => {
      assert.deepEqual(await altered('document_versions', column, value, versionId), {
        status: 'content_mismatch',
        failed: ['record_integrity'],
      })
    })

  it('finds that type, number or label of the document was altered', async () => {
    const type = await altered('documents', 'document_type_id', await world.typeId('Policy'), document.id)
    assert.deepEqual(type, { status: 'content_mismatch', failed: ['record_integrity'] })
    const number = await altered('documents', 'number', 'SOP-9999', document.id)
    assert.deepEqual(number, { status: 'seal_invalid', failed: ['record_association'] })
    const label = await altered('document_versions', 'minor', 7, versionId)
    assert.deepEqual(label, { status: 'seal_invalid', failed: ['record_association', 'record_integrity'] })
  })

  it('finds one byte of the file, the whole of it, and another hash in the record', async () => {
    const path = join(world.services.config.upload_dir, document.file_path)
    const expected = { status: 'content_mismatch', failed: ['content_integrity'] }
    writeFileSync(path, Buffer.from(pdf()).fill('X', 20, 21))
    assert.deepEqual(await found(), expected)
    assert.match(await detail('content_integrity'), /differs from the one that was signed/)
    await world.services.storage.remove(document.file_path)
    assert.deepEqual(await found(), expected)
    assert.match(await detail('content_integrity'), /missing/)
    writeFileSync(path, pdf())
    assert.deepEqual(await found(), intact)
    assert.deepEqual(await altered('document_versions', 'sha256', '0'.repeat(64), versionId), expected)
  })

  it('finds another key under the same name', async () => {
    const key = Buffer.alloc(32, 1).toString('base64')
    const { key_id } = world.services.signingKey
    assert.deepEqual(await altered('signing_keys', 'public_key', key, key_id, 'key_id'), {
      status: 'seal_invalid',
      failed: ['signature_integrity'],
    })
  })

  it('finds that the name of the account was given to another person, and minds no later full name or role', async () => {
    const petra = world.people.petra!.id
    assert.deepEqual(await altered('users', 'username', 'patricia', petra), {
      status: 'seal_invalid',
      failed: ['signer_identity'],
    })
    const before = await read(id)
    ok(await world.as('ada').put(`/api/users/${petra}`, { full_name: 'Petra Married' }))
    const after = await read(id)
    assert.deepEqual([after.signer, after.payload], [before.signer, before.payload])
    assert.equal(after.signer.full_name, 'Petra Example')
    assert.deepEqual(await found(), intact)
  })

  it('calls it superseded where the content was changed by the rules since: valid for the content that it names', async () => {
    const { id: documentId } = await paper.submitted()
    const signature = await signAs('petra', documentId)
    ok(await world.as('alan').put(`/api/documents/${documentId}`, { title: 'Changed', change_reason: 'Typo' }))
    const { verification } = await read(signature.id)
    assert.deepEqual([verification.status, verification.valid], ['superseded', true])
    assert.match(await detail('record_integrity', signature.id), /content revision 1 was signed, the current one is 2/)
  })
})

const columns = `format, signature_type, intent, occasion_kind, previous_digest, time_zone, request_id, client_addr, round,
  content_revision, signer_id, signer_username, signer_full_name, signer_role, method, signed_at, payload, digest, key_id, seal`

describe('a signature that was put where it does not belong', () => {
  /** A copy of the row, given to another record. `ref` gets it past the key that keeps one signature from being two. */
  async function copied(to: { tenant?: string; document: number; version: string; ref?: string; of?: number }) {
    const { tenant = 'tenant_id', document: into, version, ref = 'occasion_ref', of = id } = to
    await inReplica(`insert into signatures (tenant_id, document_id, version_id, occasion_ref, ${columns})
      select ${tenant}, ${into}, ${version}, ${ref}, ${columns} from signatures where id = ${of}`)
    return Number((await world.rows<Json>('select max(id) as id from signatures'))[0].id)
  }
  before(async () => {
    // The chain of a document has no branches: the database refuses the copy, until somebody takes its key away.
    const other = { document: document.id, version: String(versionId), ref: "'other'" }
    await assert.rejects(copied(other), { constraint: 'signatures_chain' })
    await world.rows('drop index signatures_chain')
  })
  const versionOf = (documentId: number) => `(select max(id) from document_versions where document_id = ${documentId})`
  const expected = (...failed: string[]) => ({ status: 'seal_invalid', failed })

  it('by a copy to another document with the same file', async () => {
    const other = await paper.effective()
    const copy = await copied({ document: other.id, version: versionOf(other.id) })
    assert.deepEqual(await found(copy), expected('record_association', 'record_integrity', 'chain', 'audit_entry'))
    assert.deepEqual(await found(), intact)
  })

  it('by a copy to another version of the same document', async () => {
    const twice = await paper.effective()
    const signature = await signAs('petra', twice.id)
    ok(await paper.addVersion(twice.id))
    const copy = await copied({ of: signature.id, document: twice.id, version: versionOf(twice.id) })
    assert.deepEqual(
      await found(copy),
      expected('record_association', 'record_integrity', 'content_integrity', 'chain', 'audit_entry'),
    )
    assert.deepEqual(await found(signature.id), intact)
  })

  it('by a copy to another tenant', async () => {
    const uploaded = await world
      .as('rob')
      .upload('/api/documents/upload', { title: 'Rivals', document_type: await rivalsType() })
    const into = ok(uploaded).id
    const rival = String(world.people.rex!.tenant_id)
    const copy = await copied({ tenant: rival, document: into, version: versionOf(into) })
    assert.deepEqual(
      await found(copy, 'rex'),
      expected('record_association', 'record_integrity', 'signer_identity', 'chain', 'audit_entry'),
    )
  })
  const rivalsType = async () =>
    Number(
      (
        await world.rows<Json>(
          `select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = 'rival' and t.name = 'SOP'`,
        )
      )[0].id,
    )

  it('by a replay: what was signed once, under a new number', async () => {
    const replayed = await paper.effective()
    const signature = await signAs('petra', replayed.id)
    const to = { of: signature.id, document: replayed.id, version: versionOf(replayed.id) }
    const again = await copied({ ...to, ref: "'again'" })
    assert.deepEqual(await found(again), expected('record_association', 'chain', 'audit_entry'))
    await inReplica(`delete from signatures where id = ${again}`)
    // The database takes no second one on the same occasion, unless somebody has taken this key away too.
    await assert.rejects(copied(to), { constraint: 'signatures_once' })
    const [{ definition }] = (await world.rows<Json>(
      `select pg_get_indexdef('signatures_once'::regclass) as definition`,
    )) as [Json]
    await world.rows('drop index signatures_once')
    const same = await copied(to)
    assert.deepEqual(await found(same), expected('record_association', 'chain', 'audit_entry'))
    assert.equal(await detail('record_association', same), `It is a copy of the signature ${signature.id}`)
    assert.deepEqual(await found(signature.id), intact)
    await inReplica(`delete from signatures where id = ${same}`)
    await world.rows(definition)
  })

  it('or whose neighbour was removed or changed places with it', async () => {
    const chained = await paper.effective()
    const [one, two, three] = [
      await signAs('petra', chained.id),
      await signAs('quinn', chained.id),
      await signAs('uma', chained.id),
    ]
    const statuses = async () => [await found(one.id), await found(two.id), await found(three.id)]
    assert.deepEqual(await statuses(), [intact, intact, intact])
    const swap = `update signatures set id = case id when ${one.id} then -1 else ${one.id} end where id in (${one.id}, ${two.id});
      update signatures set id = ${two.id} where id = -1`
    // The number is always made by the database: it is given up for the moment.
    const unbound = (statements: string) =>
      inReplica(`alter table signatures alter column id set generated by default; ${statements};
        alter table signatures alter column id set generated always`)
    await unbound(swap)
    assert.deepEqual(await statuses(), [
      expected('chain', 'audit_entry'),
      expected('chain', 'audit_entry'),
      expected('chain'),
    ])
    await unbound(swap)
    assert.deepEqual(await statuses(), [intact, intact, intact])
    await inReplica(`delete from signatures where id = ${two.id}`)
    assert.deepEqual([await found(one.id), await found(three.id)], [intact, expected('chain')])
    assert.match(await detail('chain', three.id), /removed, altered or moved/)
    await inReplica(`delete from signatures where document_id = ${chained.id} and id < ${three.id}`)
    assert.deepEqual(await found(three.id), expected('chain'))
  })
})
