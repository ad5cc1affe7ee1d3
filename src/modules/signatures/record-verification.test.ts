// Whatever is altered of a signed deviation, of its files or of its signature, the verification says so (SIG-02, 21 CFR 11.70).
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { deviations } from '#test/builders/deviations.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { addMigration } from '#test/builders/migrations.ts'
import { altered, forged, intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { checkNames } from './schema.ts'

let world: World
let cases: ReturnType<typeof deviations>
let seals: ReturnType<typeof signatures>
/** A major deviation with a file, closed by quentin: its signature is the one that is looked at. */
let deviation: Json
let file: Json
let id: number

before(async () => {
  world = await openWorld()
  await addMigration(world, { word: 'Before', by: 'ada' })
  cases = deviations(world)
  seals = signatures(world)
  const pending = await cases.inState('pending_approval', { severity: 'major', department: 'Filling' })
  file = await attach(pending.id, 'leak')
  deviation = ok(await cases.put('quentin', pending.id, closing))
  id = (await seals.listed('deviation', deviation.id))[0].id
})
after(() => world.close())

const closing = { status: 'closed', change_reason: 'Complete and plausible' }
const attach = async (to: number, text: string) =>
  ok(await world.as('petra').upload(`/api/deviations/${to}/attachments`, {}, { bytes: pdf(text), name: `${text}.pdf` }))

describe('what was altered past the service is found', () => {
  const columns: Record<string, string> = {
    title: `'Other'`,
    description: `'Nothing happened'`,
    severity: `'minor'`,
    severity_suggestion: `'{}'`,
    severity_decision: `'accepted'`,
    severity_reason: `'Other'`,
    category: `'other'`,
    department: 'null',
    occurred_at: `'2020-01-01'`,
    detected_at: `'2020-01-01'`,
    reported_at: `'2020-01-01'`,
    late_report_reason: `'Other'`,
    reported_by: '(select max(id) from users where tenant_id = deviations.tenant_id)',
    assigned_to: 'null',
    affected_items: `'[{"kind": "other", "identifier": "7"}]'`,
    immediate_action: `'Other'`,
    impact_assessment: `'Other'`,
    investigation: `'Other'`,
    root_cause: `root_cause || '{"summary": "Nobody knows"}'`,
    no_capa_reason: `'Other'`,
    due_date: `'2199-01-01'`,
    original_due_date: `'2199-01-01'`,
    extension_count: '7',
    migration_batch_id: '(select max(id) from migration_batches)',
    legacy_number: `'ABW-7'`,
  }
  for (const [column, to] of Object.entries(columns))
    it(`in a closed deviation: ${column}`, async () => {
      const set: Record<string, string> = { [column]: to }
      // The database has both or none.
      if (column === 'severity_suggestion') set.severity_decision = `'accepted'`
      if (column === 'severity_decision') set.severity_suggestion = `'{}'`
      const look = async () => [await seals.found(id), await seals.detail('record_integrity', id)] as const
      const [found, detail] = await seals.whileAltered('deviations', deviation.id, set, look)
      assert.deepEqual(found, altered('record_integrity'))
      assert.match(detail, new RegExp(`^Changed since signing: .*\\b${column}\\b`))
      assert.deepEqual(await seals.found(id), intact)
    })

  it('in whatever a deviation holds: no column of its content is left out', async () => {
    const all = await world.rows<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = 'deviations'::regclass and attnum > 0
        and not attisdropped and attgenerated = ''`,
    )
    const { content } = JSON.parse((await seals.read(id)).payload)
    const beside = [
      ...['tenant_id', 'id', 'number', 'status', 'content_revision', 'revision', 'due_notice_on'],
      ...['closed_at', 'closed_by', 'created_at', 'created_by', 'updated_at', 'updated_by'],
    ]
    const names = all.map(({ name }) => name)
    assert.deepEqual(
      names.filter(name => !(name in content) && !beside.includes(name)),
      [],
    )
    const form = ['form_template_id', 'form_template_version', 'form_data']
    assert.deepEqual(Object.keys(content).sort(), [...Object.keys(columns), ...form].sort())
  })

  it('in the number of a deviation, which is for one of them for ever', async () => {
    const look = async () => [await seals.found(id), await seals.detail('record_association', id)]
    const set = { number: `'DEV-9999'` }
    assert.deepEqual(await seals.whileAltered('deviations', deviation.id, set, look), [
      forged('record_association'),
      'The signed record does not exist, or not under this number',
    ])
  })

  it('in what the record says of an attached file, also where its bytes are the same', async () => {
    const look = () => seals.found(id)
    for (const set of [{ sha256: `repeat('0', 64)` }, { file_size: '7' }, { deviation_id: String(await otherId()) }])
      assert.deepEqual(
        await seals.whileAltered('attachments', file.id, set, look),
        altered('content_integrity'),
        JSON.stringify(set),
      )
  })
  const otherId = async () => (await cases.report()).id as number

  it('in the bytes of an attached file, or where they are gone', async () => {
    await withBytes(file.id, Buffer.from('other'), async () => {
      assert.deepEqual(await seals.found(id), altered('content_integrity'))
      assert.match(await seals.detail('content_integrity', id), /^The attached file leak\.pdf differs from the one/)
    })
    await withBytes(file.id, undefined, async () =>
      assert.equal(await seals.detail('content_integrity', id), 'The attached file leak.pdf is missing'),
    )
    assert.deepEqual(await seals.found(id), intact)
  })

  it('before it is signed: nobody signs a file whose bytes are no longer those that were attached', async () => {
    const { id: other } = await cases.inState('pending_approval', { severity: 'major' })
    const { id: attached } = await attach(other, 'burst')
    await withBytes(attached, Buffer.from('other'), async () => {
      assert.equal((await cases.put('quentin', other, closing)).statusCode, 500)
      assert.deepEqual(await seals.listed('deviation', other), [])
    })
    ok(await cases.put('quentin', other, closing))
  })

  it('in the name of the signer, which is for one person for ever', async () => {
    const rename = (to: string) =>
      seals.inReplica(`update users set username = '${to}' where id = ${world.people.quentin!.id}`)
    await rename('someone')
    assert.deepEqual(await seals.found(id), forged('signer_identity'))
    await rename('quentin')
    assert.deepEqual(await seals.found(id), intact)
  })

  for (const [column, to, failed] of [
    ['record_number', `'DEV-9999'`, 'record_association'],
    ['content_revision', '99', 'record_association'],
    ['occasion_kind', `'free'`, 'record_association'],
    ['occasion_ref', `'other'`, 'record_association'],
    ['intent', `'Other'`, 'manifestation'],
    ['request_id', `'other'`, 'completeness'],
    ['previous_digest', `repeat('0', 64)`, 'chain'],
  ] as const)
    it(`in the signature itself: ${column}`, async () => {
      const look = () => seals.found(id)
      assert.deepEqual(await seals.whileAltered('signatures', id, { [column]: to }, look), forged(failed))
      assert.deepEqual(await seals.found(id), intact)
    })
})

/** While other bytes are stored for an attachment, or none. */
async function withBytes(attachment: number, bytes: Buffer | undefined, look: () => Promise<void>) {
  const [{ file_key }] = (await world.rows<Json>('select file_key from attachments where id = $1', [attachment])) as [
    Json,
  ]
  const path = join(world.folder, 'uploads', file_key)
  const kept = await buffer(await world.services.storage.open(file_key))
  await rm(path, { force: true })
  if (bytes) await writeFile(path, bytes)
  try {
    await look()
  } finally {
    await rm(path, { force: true })
    await writeFile(path, kept)
  }
}

describe('a signature that was put where it does not belong', () => {
  const columns = `format, record_number, signature_type, intent, occasion_kind, previous_digest, time_zone, request_id, client_addr,
    content_revision, signer_id, signer_username, signer_full_name, signer_role, method, signed_at, payload, digest, key_id, seal`
  async function copied(to: number, { tenant = 'tenant_id', ref = `'copy'` } = {}) {
    await seals.inReplica(`insert into signatures (tenant_id, deviation_id, occasion_ref, ${columns})
      select ${tenant}, ${to}, ${ref}, ${columns} from signatures where id = ${id}`)
    return Number((await world.rows<Json>('select max(id) as id from signatures'))[0].id)
  }
  const remove = (signature: number) => seals.inReplica(`delete from signatures where id = ${signature}`)

  it('by a copy to another deviation', async () => {
    const copy = await copied((await cases.report({ severity: 'major' })).id)
    assert.deepEqual(
      await seals.found(copy),
      forged('record_association', 'record_integrity', 'content_integrity', 'audit_entry'),
    )
    assert.deepEqual(await seals.found(id), intact)
    await remove(copy)
  })

  it('by a copy to another tenant, where its signer is nobody', async () => {
    const rivals = { title: 'Rivals', description: 'Rivals', severity: 'major' }
    const { id: to } = ok(await world.as('rob').post('/api/deviations/', rivals))
    const copy = await copied(to, { tenant: String(world.people.rex!.tenant_id) })
    assert.deepEqual(
      await seals.found(copy, 'rex'),
      forged('record_association', 'record_integrity', 'content_integrity', 'signer_identity', 'audit_entry'),
    )
    assert.equal((await world.as('otto').get(`/api/signatures/${copy}`)).statusCode, 404)
    await remove(copy)
  })

  it('by a replay: the database takes no second one, and one that it took would be found', async () => {
    await assert.rejects(copied(deviation.id), { constraint: 'signatures_chain' })
    const [{ definition }] = (await world.rows<Json>(
      `select pg_get_indexdef('signatures_chain'::regclass) as definition`,
    )) as [Json]
    await world.rows('drop index signatures_chain')
    await assert.rejects(copied(deviation.id, { ref: 'occasion_ref' }), { constraint: 'signatures_once_for_record' })
    const replayed = await copied(deviation.id)
    assert.deepEqual(await seals.found(replayed), forged('record_association', 'chain', 'audit_entry'))
    assert.deepEqual(await seals.found(id), intact)
    await remove(replayed)
    await world.rows(definition)
  })

  it('by what was signed of a document: there is nothing to compare it with', async () => {
    const { id: document_id } = await papers(world).effective()
    const signed = { document_id, signature_type: 'witness', intent: 'Seen' }
    const witness = await seals.read(ok(await world.as('petra').post('/api/signatures/', signed)).id)
    const own = await seals.read(id)
    const put = ({ payload, digest, seal }: Json) =>
      behindTheApi(world, 'signatures', `update signatures set payload = $1, digest = $2, seal = $3 where id = $4`, [
        payload,
        digest,
        seal,
        id,
      ])
    await put(witness)
    assert.deepEqual(await seals.found(id), forged(...checkNames.filter(name => name !== 'signature_integrity')))
    await put(own)
    assert.deepEqual(await seals.found(id), intact)
  })
})
