// Retention, legal hold and disposal of versions of documents.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { copies } from '#test/builders/copies.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { ageDocument } from '#test/builders/retention-samples.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { storageUse } from '../projections/storage-use/projection.ts'
import { carryOutJob } from './index.ts'

const reason = 'The retention period is over'
let world: World
let sop: number
before(async () => {
  world = await openWorld()
  sop = Number(await world.typeId('SOP'))
  ok(await setRetention(5, 'By our procedure for records'))
})
after(() => world.close())
beforeEach(() => world.work())

const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const setRetention = (retention_years: number | null, change_reason?: string) =>
  world.as('quinn').put(`/api/document-types/${sop}`, { retention_years, ...(change_reason && { change_reason }) })
const propose = (document_id: number, by = 'petra', body: object = {}) =>
  world.as(by).post('/api/disposals/', { versions: [{ document_id, version: '1.0' }], reason, password, ...body })
const approve = (id: number, by = 'quinn', body: object = {}) =>
  world.as(by).post(`/api/disposals/${id}/approve`, { decision_reason: 'Checked the list', password, ...body })
const read = async (id: number): Promise<Json> => ok(await world.as('quinn').get(`/api/disposals/${id}`))
const dueOf = async (query: string): Promise<Json[]> =>
  ok(await world.as('petra').get(`/api/retention/due?page_size=100&${query}`)).items
const place = (body: object, by = 'quinn') => world.as(by).post('/api/legal-holds/', { reason: 'Litigation', ...body })
const lift = (id: number, by = 'ada') =>
  world.as(by).post(`/api/legal-holds/${id}/lift`, { lift_reason: 'Settled', password })

const age = (document_id: number, years: number) => ageDocument(world, document_id, years)

const text = (words: string) => ({ bytes: Buffer.from(`${words}\n\nThe operator washes the hands.`), name: 'a.txt' })

/** A document with a superseded version 1.0, which ended so many years ago, and an effective version after it. */
async function superseded(years = 6, words = 'quarantine') {
  const paper = papers(world)
  const { id, number } = await paper.upload({ title: `Gowning ${words}` }, text(words))
  await paper.release(id)
  ok(await paper.addVersion(id))
  await paper.release(id)
  await world.work()
  await age(id, years)
  const [row] = await world.rows<{ file_key: string; id: string }>(
    `select file_key, id from document_versions where document_id = $1 and version = '1.0'`,
    [id],
  )
  return { id: id as number, number: number as string, key: row!.file_key, version_id: Number(row!.id) }
}

const isThere = async (key: string) => (await world.services.storage.stat(key)) !== undefined
const download = (id: number, version = '1.0') =>
  world.as('petra').get(`/api/documents/${id}/download?version=${version}`)

async function proposed(document_id: number) {
  return ok(await propose(document_id)).id as number
}

/** Both people have signed, and the job is done. */
async function disposed(document_id: number) {
  const id = await proposed(document_id)
  ok(await approve(id))
  await world.work()
  return read(id)
}

// proves: TYPE-01
describe('the retention period of a document type', () => {
  it('is none by default, which keeps records for ever, and is shortened with a reason only', async () => {
    const types: Json[] = ok(await world.as('uma').get('/api/document-types/?page_size=100')).items
    assert.ok(types.filter(({ id }) => id !== sop).every(({ retention_years }) => retention_years === null))
    assert.equal((await setRetention(4)).json().detail[0].type, 'retention_shortened_without_reason')
    assert.equal(ok(await setRetention(6)).retention_years, 6)
    assert.equal(ok(await setRetention(null)).retention_years, null)
    assert.equal((await setRetention(99)).statusCode, 422)
    assert.equal((await setRetention(0, 'None')).statusCode, 422)
    assert.equal(ok(await setRetention(5, 'By our procedure')).retention_years, 5)
  })

  it('counts from the day on which a version was superseded; what is in use has no retention day', async () => {
    const { id } = await superseded(6)
    const { retention_years, versions, holds } = ok(await world.as('petra').get(`/api/documents/${id}/retention`))
    assert.deepEqual([retention_years, holds], [5, []])
    const [newer, older] = versions
    assert.deepEqual([newer.version, newer.retention_until, newer.is_past], ['1.1', null, false])
    const [years, rest] = [Number(older.ended_on.slice(0, 4)), older.ended_on.slice(4)]
    assert.deepEqual([older.retention_until, older.is_past], [`${years + 5}${rest}`, true])
    // Readers of the effective version learn nothing of the earlier one.
    const seen = ok(await world.as('uma').get(`/api/documents/${id}/retention`)).versions
    assert.deepEqual(
      seen.map(({ version }: Json) => version),
      ['1.1'],
    )
    assert.equal((await world.as('rex').get(`/api/documents/${id}/retention`)).statusCode, 404)
  })

  it('lists what is past its day, and says of each why it cannot be disposed of', async () => {
    const [past, young] = [await superseded(6, 'listed'), await superseded(4, 'young')]
    const listed = await dueOf('q=Gowning')
    const line = listed.find(({ document_id }) => document_id === past.id)!
    assert.deepEqual([line.version, line.obstacle, line.disposal, line.holds], ['1.0', null, null, []])
    assert.ok(!listed.some(({ document_id }) => document_id === young.id))
    assert.equal(refusal(await propose(young.id)), '409 disposal_before_retention_day')
    assert.equal(
      refusal(await propose(past.id, 'petra', { versions: [{ document_id: past.id, version: '1.1' }] })),
      '409 disposal_of_version_in_use',
    )
    const asked = await proposed(past.id)
    const [now] = await dueOf(`q=${past.number}`)
    assert.equal(now!.disposal.id, asked)
    assert.deepEqual(await dueOf(`q=${past.number}&can_be_disposed=true`), [])
    assert.equal(refusal(await propose(past.id)), '409 disposal_proposed_already')
    ok(await world.as('petra').post(`/api/disposals/${asked}/withdraw`, {}))
    assert.equal((await dueOf(`q=${past.number}&can_be_disposed=true`)).length, 1)
  })
})

// proves: DOC-03, SIG-01, SIG-02, SRCH-03
describe('a disposal', () => {
  it('destroys the content by the signatures of two people, and leaves a record of what was destroyed', async () => {
    const { id, number, key, version_id } = await superseded()
    const traces = async () =>
      (
        await world.rows<Json>(
          `select (select count(*)::int from document_chunks where version_id = $1) + (select count(*)::int from version_vectors
            where version_id = $1) as n`,
          [version_id],
        )
      )[0].n
    assert.ok((await traces()) > 0)
    const asked = ok(await propose(id))
    assert.match(asked.number, /^D-\d{4}-\d{4}$/)
    assert.deepEqual([asked.status, asked.records_total, asked.signature_ids.length], ['proposed', 1, 1])
    const [record] = asked.records
    assert.deepEqual(
      [record.record_number, record.version, record.type_name, record.record_status, record.retention_years],
      [number, '1.0', 'SOP', 'superseded', 5],
    )
    assert.equal(record.files[0].sha256.length, 64)
    assert.equal((await download(id)).statusCode, 200)
    const pending = ok(await world.as('quinn').get('/api/dashboard/pending-approvals')).disposals
    assert.ok(pending.some((each: Json) => each.number === asked.number))

    ok(await approve(asked.id))
    await world.work()
    const done = await read(asked.id)
    assert.deepEqual(
      [done.status, done.records_disposed, done.records_kept, done.files_pending, done.signature_ids.length],
      ['completed', 1, 0, 0, 2],
    )
    assert.ok(!(await isThere(key)))
    assert.equal(await traces(), 0)
    const gone = await download(id)
    assert.equal(refusal(gone), '410 file_disposed')
    assert.match(gone.json().detail, new RegExp(`by Petra Example and Quinn Example .*${asked.number}`))
    // The other version is as it was.
    assert.equal((await download(id, '1.1')).statusCode, 200)
    const versions: Json[] = ok(await world.as('petra').get(`/api/documents/${id}/versions`))
    const old = versions.find(({ version }) => version === '1.0')
    assert.deepEqual(
      [old.title, old.file.sha256, old.file.removal.disposal.number],
      ['Gowning quarantine', record.files[0].sha256, asked.number],
    )
    const [kept] = ok(await world.as('petra').get(`/api/documents/${id}/retention`)).versions.slice(-1)
    assert.equal(kept.disposal.number, asked.number)
    assert.deepEqual(await dueOf(`q=${number}`), [])
    assert.equal(refusal(await propose(id)), '409 disposal_done_already')
    for (const signature of done.signature_ids) {
      const { verification, signature_type } = ok(await world.as('quinn').get(`/api/signatures/${signature}`))
      assert.deepEqual(
        [verification.status, signature_type],
        ['valid', 'disposal'],
        JSON.stringify(verification.checks),
      )
      const voided = await world.as('quinn').post(`/api/signatures/${signature}/void`, { reason: 'No', password })
      assert.equal(refusal(voided), '409 signature_of_disposal')
    }
    for (const [action, resource] of [
      ['disposal.proposed', asked.id],
      ['disposal.approved', asked.id],
      ['disposal.record_disposed', asked.id],
      ['disposal.completed', asked.id],
      ['document.disposed', id],
    ] as const)
      assert.equal(
        (await world.rows('select from audit_entries where action = $1 and resource_id = $2', [action, resource]))
          .length,
        1,
        action,
      )
    const where = { tenantId: world.people.uma!.tenant_id, userId: null }
    assert.deepEqual(await world.database.transaction(where, 'read only', tx => storageUse.findDrift(tx)), [])
  })

  it('is named by the verification of the signatures of the version, and by the dossier', async () => {
    const { id } = await superseded()
    const { number } = await disposed(id)
    const { items } = ok(await world.as('quinn').get(`/api/signatures/?document_id=${id}`))
    const old = items.filter(({ document_version }: Json) => document_version === '1.0')
    assert.ok(old.length > 0)
    for (const { id: signature } of old) {
      const { verification } = ok(await world.as('quinn').get(`/api/signatures/${signature}`))
      const content = verification.checks.find(({ name }: Json) => name === 'content_integrity')
      assert.deepEqual([verification.status, verification.valid], ['content_removed', true])
      assert.match(content.detail, new RegExp(`Disposed of on .* by Petra Example and Quinn Example .*${number}`))
    }
    const { manifest, files } = await readDossier(world, `/api/documents/${id}/dossier`)
    assert.deepEqual(manifest.failed_checks, [])
    assert.deepEqual(
      [...files.keys()].filter(name => name.startsWith('files/')),
      ['files/1.1/procedure-2.pdf'],
    )
  })

  it('needs two people, permissions, reasons and signatures', async () => {
    const { id, key } = await superseded()
    assert.equal((await propose(id, 'alan')).statusCode, 403)
    assert.equal((await propose(id, 'petra', { password: 'wrong' })).statusCode, 401)
    assert.equal((await propose(id, 'petra', { reason: ' ' })).statusCode, 422)
    assert.equal((await propose(id, 'petra', { versions: [] })).statusCode, 422)
    const twice = [1, 2].map(() => ({ document_id: id, version: '1.0' }))
    assert.equal((await propose(id, 'petra', { versions: twice })).statusCode, 422)
    assert.equal((await propose(id, 'rex')).statusCode, 404)
    const asked = ok(await propose(id, 'quinn')).id
    assert.equal(refusal(await approve(asked, 'quinn')), '403 disposal_own')
    assert.equal((await approve(asked, 'petra')).statusCode, 403)
    assert.equal((await approve(asked, 'rex')).statusCode, 404)
    assert.equal((await approve(asked, 'ada', { password: 'wrong' })).statusCode, 401)
    assert.equal(refusal(await world.as('ada').post(`/api/disposals/${asked}/withdraw`, {})), '403 disposal_not_own')
    assert.equal((await world.as('rex').get(`/api/disposals/${asked}`)).statusCode, 404)
    ok(await world.as('ada').post(`/api/disposals/${asked}/reject`, { decision_reason: 'Still needed' }))
    assert.equal(refusal(await approve(asked, 'ada')), '409 disposal_decided')
    const { status, records } = await read(asked)
    assert.deepEqual([status, records[0].status], ['rejected', 'kept'])
    await world.work()
    assert.ok(await isThere(key))
    ok(await propose(id))
  })

  it('is approved by one of two people who approve at the same moment', async () => {
    const { id } = await superseded()
    const asked = await proposed(id)
    const codes = (await Promise.all([approve(asked, 'quinn'), approve(asked, 'ada')])).map(each => each.statusCode)
    assert.deepEqual(
      codes.toSorted((a, b) => a - b),
      [200, 409],
    )
    const { signature_ids } = await read(asked)
    assert.equal(signature_ids.length, 2)
    await world.work()
    assert.equal((await read(asked)).status, 'completed')
  })

  it('goes on after a killed process, where it stopped', async () => {
    const [one, other] = [await superseded(), await superseded()]
    const versions = [one, other].map(({ id }) => ({ document_id: id, version: '1.0' }))
    const asked = ok(await propose(one.id, 'petra', { versions })).id
    ok(await approve(asked))
    // The process dies after the first record: what it had committed is there, and the item is done again.
    const inSeparateTransaction = world.services.runner.inSeparateTransaction
    let calls = 0
    world.services.runner.inSeparateTransaction = (async (...all: Parameters<typeof inSeparateTransaction>) => {
      calls += 1
      if (calls === 2) throw new Error('killed')
      return inSeparateTransaction(...all)
    }) as typeof inSeparateTransaction
    const attempt = { number: 1, isLast: false, signal: new AbortController().signal }
    const item = { tenant_id: world.people.petra!.tenant_id, id: asked }
    try {
      await assert.rejects(carryOutJob.run(world.services, item, attempt), /killed/)
    } finally {
      world.services.runner.inSeparateTransaction = inSeparateTransaction
    }
    assert.deepEqual([(await read(asked)).records_disposed, (await read(asked)).status], [1, 'approved'])
    await world.work()
    const { status, records_disposed, files_pending } = await read(asked)
    assert.deepEqual([status, records_disposed, files_pending], ['completed', 2, 0])
    for (const { key } of [one, other]) assert.ok(!(await isThere(key)))
  })

  it('takes nothing that an open record names, or that has copies out', async () => {
    const { id } = await superseded()
    const deviation = await cases(world).deviation({ by: 'petra', document_ids: [id] })
    assert.equal(refusal(await propose(id)), '409 disposal_of_referenced')
    assert.equal((await dueOf('q=Gowning')).find(({ document_id }) => document_id === id)!.obstacle, 'referenced')
    await cases(world).cancel(deviation.id)
    const asked = await proposed(id)
    // One that is opened before the approval stops it, too.
    await cases(world).deviation({ by: 'petra', document_ids: [id] })
    assert.equal(refusal(await approve(asked)), '409 disposal_of_referenced')

    const copy = copies(world)
    const { id: printed } = await copy.document()
    await copy.printed(printed)
    ok(await papers(world).addVersion(printed))
    await papers(world).release(printed)
    await age(printed, 7)
    assert.equal(refusal(await propose(printed)), '409 disposal_with_copies_out')
  })

  it('keeps what may not be disposed of any more when the job comes to it, and says why', async () => {
    const [held, extended] = [await superseded(), await superseded()]
    const asked = await proposed(held.id)
    ok(await approve(asked))
    // Between the approval and the destruction.
    const hold = ok(await place({ document_id: held.id }))
    await world.work()
    const { status, records, records_kept } = await read(asked)
    assert.deepEqual([status, records_kept, records[0].status], ['completed', 1, 'kept'])
    assert.match(records[0].kept_reason, new RegExp(`under legal hold \\(${hold.number}\\)`))
    assert.ok(await isThere(held.key))
    assert.equal((await download(held.id)).statusCode, 200)

    const later = await proposed(extended.id)
    ok(await approve(later))
    ok(await setRetention(50))
    await world.work()
    assert.match((await read(later)).records[0].kept_reason, /must be kept until/)
    assert.ok(await isThere(extended.key))
    ok(await setRetention(5, 'Back to our procedure'))

    ok(await lift(hold.id))
    assert.equal((await disposed(held.id)).records_disposed, 1)
  })

  it('says that it was disposed of wherever the document is listed', async () => {
    const paper = papers(world)
    const { id, number } = await paper.effective({ title: 'Withdrawn procedure' })
    ok(await paper.move('quinn', id, 'obsolete', 'No longer made here'))
    await age(id, 6)
    const { number: disposal } = await disposed(id)
    const [line] = ok(await world.as('petra').get(`/api/documents/?q=${number}`)).items
    assert.deepEqual([line.status, line.disposal.number], ['obsolete', disposal])
    assert.equal(ok(await world.as('petra').get(`/api/documents/${id}`)).disposal.number, disposal)
    assert.equal(ok(await world.as('petra').get(`/api/documents/${id}`)).file.removal.disposal.number, disposal)
    const { items } = ok(await world.as('petra').get(`/api/find?q=${number}`))
    const found = items.find((each: Json) => each.id === id)
    assert.equal(found.disposal?.number, disposal)
  })
})

// proves: DOC-03
describe('a legal hold', () => {
  it('stops a disposal at once, and is lifted by another person who signs', async () => {
    const { id } = await superseded()
    const asked = await proposed(id)
    assert.equal((await place({ document_id: id }, 'petra')).statusCode, 403)
    assert.equal((await place({})).statusCode, 422)
    assert.equal((await place({ document_id: id, record_kind: 'document' })).statusCode, 422)
    assert.equal((await place({ document_id: id }, 'rex')).statusCode, 404)
    const hold = ok(await place({ document_id: id }))
    assert.match(hold.number, /^LH-\d{4}-\d{4}$/)
    assert.deepEqual([hold.scope, hold.status, hold.record.id], ['record', 'active', id])
    assert.equal(refusal(await approve(asked, 'ada')), '409 disposal_on_hold')
    assert.deepEqual(
      ok(await world.as('uma').get(`/api/documents/${id}/retention`)).holds.map(({ number }: Json) => number),
      [hold.number],
    )
    assert.equal(refusal(await lift(hold.id, 'quinn')), '403 legal_hold_own')
    assert.equal((await lift(hold.id, 'petra')).statusCode, 403)
    assert.equal((await lift(hold.id, 'rex')).statusCode, 404)
    const lifted = ok(await lift(hold.id))
    assert.deepEqual([lifted.status, lifted.lifted_by.username, lifted.lift_reason], ['lifted', 'ada', 'Settled'])
    assert.equal(refusal(await lift(hold.id)), '409 legal_hold_lifted_already')
    const { verification, signature_type } = ok(await world.as('quinn').get(`/api/signatures/${lifted.signature_id}`))
    assert.deepEqual([verification.status, signature_type], ['valid', 'hold_lifting'])
    const { items } = ok(await world.as('petra').get('/api/legal-holds/?status=lifted'))
    assert.ok(items.some((each: Json) => each.id === hold.id))
    ok(await approve(asked))
  })

  it('on a type, a kind of records, an affected item or a department holds all of them, also those that come later', async () => {
    const { id } = await superseded()
    const deviation = await cases(world).deviation({
      by: 'petra',
      document_ids: [id],
      department: 'Filling',
      affected_items: [{ kind: 'batch', identifier: 'B-1704' }],
    })
    await cases(world).cancel(deviation.id)
    for (const [scope, holdsDeviation] of [
      [{ document_type_id: sop }, false],
      [{ record_kind: 'document' }, false],
      [{ affected_item: 'b-1704' }, true],
      [{ department: 'filling' }, true],
    ] as const) {
      const hold = ok(await place(scope))
      assert.equal(refusal(await propose(id)), '409 disposal_on_hold', JSON.stringify(scope))
      const { holds } = ok(await world.as('petra').get(`/api/deviations/${deviation.id}/holds`))
      assert.equal(holds.length, holdsDeviation ? 1 : 0, JSON.stringify(scope))
      ok(await lift(hold.id))
    }
    const hold = ok(await place({ deviation_id: deviation.id }))
    assert.equal(hold.record.number, deviation.number)
    ok(await lift(hold.id))
    ok(await propose(id))
  })
})
