// Retention, legal hold and disposal of versions of documents.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { cases } from '#test/builders/cases.ts'
import { copies } from '#test/builders/copies.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { ageCase, ageDocument } from '#test/builders/retention-samples.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
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
    const line = listed.find(({ id }) => id === past.id)!
    assert.deepEqual([line.version, line.obstacle, line.disposal, line.holds], ['1.0', null, null, []])
    assert.ok(!listed.some(({ id }) => id === young.id))
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
    assert.equal((await dueOf('q=Gowning')).find(each => each.id === id)!.obstacle, 'referenced')
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

const setCasePeriods = (retention_years: object, change_reason?: string) =>
  world.as('ada').put('/api/settings/', { retention_years, ...(change_reason && { change_reason }) })

/** A file that is attached to a record, and where it lies. */
async function attach(path: string, name: string, by = 'petra') {
  const { id } = ok(await world.as(by).upload(`${path}/attachments`, {}, { bytes: pdf(name), name }))
  const [row] = await world.rows<{ file_key: string }>('select file_key from attachments where id = $1', [id])
  return { id: id as number, key: row!.file_key, url: `${path}/attachments/${id}` }
}

/** A closed, signed deviation with two files that ended so many years ago. */
async function closedDeviation(years = 8, fields: object = {}) {
  const deviation = deviations(world)
  const { id, number } = await deviation.inState('pending_approval', { severity: 'major', ...fields })
  const path = `/api/deviations/${id}`
  const files = [await attach(path, 'photo.pdf'), await attach(path, 'letter.pdf')] as const
  ok(await deviation.put('quentin', id, { status: 'closed', change_reason: 'Complete', password }))
  await ageCase(world, 'deviation', id, years)
  return { id: id as number, number: number as string, path, files }
}

/** A closed CAPA with a file. */
async function closedCapa(years = 8) {
  const capa = capas(world)
  const { id, number } = await capa.inState('open')
  const path = `/api/capa/${id}`
  const file = await attach(path, 'plan.pdf')
  ok(await capa.put('petra', id, { status: 'cancelled', change_reason: 'Not needed' }))
  await ageCase(world, 'capa', id, years)
  return { id: id as number, number: number as string, path, file }
}

const proposeCases = (body: object, by = 'petra') => world.as(by).post('/api/disposals/', { reason, password, ...body })

// proves: DEV-01, CAPA-01, SIG-01, SIG-02
describe('the attached files of deviations and CAPAs', () => {
  before(async () => {
    ok(await setCasePeriods({ deviation: 7, capa: 7 }, 'By our procedure for records'))
  })

  it('are kept for ever by default, and a period is shortened with a reason only', async () => {
    const { defaults, retention_years } = ok(await world.as('ada').get('/api/settings/'))
    assert.deepEqual(
      [defaults.retention_years, retention_years],
      [
        { deviation: null, capa: null },
        { deviation: 7, capa: 7 },
      ],
    )
    const shorter = await setCasePeriods({ deviation: 6 })
    assert.equal(shorter.json().detail[0].type, 'retention_of_records_shortened_without_reason')
    assert.equal((await setCasePeriods({ deviation: 0 }, 'None')).statusCode, 422)
    assert.deepEqual(ok(await setCasePeriods({ capa: null })).retention_years, { deviation: 7, capa: null })
    const { id, number } = await closedCapa()
    assert.deepEqual(await dueOf(`q=${number}`), [])
    assert.equal(refusal(await proposeCases({ capa_ids: [id] })), '409 disposal_without_period')
    ok(await setCasePeriods({ capa: 7 }, 'By our procedure for records'))
    assert.equal((await dueOf(`q=${number}`)).length, 1)
  })

  it('are listed by kind from the day after the retention day, which counts from the end of the record', async () => {
    const [past, young, bare] = [
      await closedDeviation(),
      await closedDeviation(6),
      await deviations(world).inState('cancelled'),
    ]
    await ageCase(world, 'deviation', bare.id, 8)
    const capa = await closedCapa()
    const lines = await dueOf('kind=deviation')
    const ids = lines.map(({ id }) => id)
    assert.deepEqual([ids.includes(past.id), ids.includes(young.id), ids.includes(bare.id)], [true, false, false])
    assert.ok(lines.every(({ kind }) => kind === 'deviation'))
    const [line] = await dueOf(`kind=capa&q=${capa.number}`)
    assert.deepEqual(
      [line!.record_status, line!.version, line!.files_total, line!.obstacle],
      ['cancelled', null, 1, null],
    )
    const kept = ok(await world.as('uma').get(`${past.path}/retention`))
    assert.deepEqual([kept.retention_years, kept.is_past, kept.files_total, kept.disposals], [7, true, 2, []])
    const [years, rest] = [Number(kept.ended_on.slice(0, 4)), kept.ended_on.slice(4)]
    assert.equal(kept.retention_until, `${years + 7}${rest}`)
    assert.equal((await world.as('rex').get(`${past.path}/retention`)).statusCode, 404)
    const open = await cases(world).deviation()
    assert.equal(ok(await world.as('uma').get(`/api/deviations/${open.id}/retention`)).retention_until, null)
    for (const [id, code] of [
      [young.id, '409 disposal_before_retention_day'],
      [bare.id, '409 disposal_without_files'],
      [open.id, '409 disposal_of_open_record'],
      [999_999, '404 not_found'],
    ] as const)
      assert.equal(refusal(await proposeCases({ deviation_ids: [id] })), code)
    assert.equal((await proposeCases({})).statusCode, 422)
    assert.equal((await proposeCases({ deviation_ids: [past.id, past.id] })).statusCode, 422)
    assert.equal((await proposeCases({ deviation_ids: [past.id] }, 'rex')).statusCode, 404)
  })

  it('are destroyed by the signatures of two people, and the record stays whole without them', async () => {
    const [deviation, capa] = [await closedDeviation(), await closedCapa()]
    const before = ok(await world.as('petra').get(deviation.path))
    const asked = ok(await proposeCases({ deviation_ids: [deviation.id], capa_ids: [capa.id] }))
    assert.deepEqual(
      asked.records.map(({ kind, record_id, version, type_name, files }: Json) => [
        kind,
        record_id,
        version,
        type_name,
        files.length,
      ]),
      [
        ['deviation', deviation.id, null, null, 2],
        ['capa', capa.id, null, null, 1],
      ],
    )
    assert.equal(refusal(await proposeCases({ capa_ids: [capa.id] })), '409 disposal_proposed_already')
    ok(await approve(asked.id))
    await world.work()
    const done = await read(asked.id)
    assert.deepEqual([done.status, done.records_disposed, done.files_pending], ['completed', 2, 0])
    for (const { url, key } of [...deviation.files, capa.file]) {
      assert.ok(!(await isThere(key)))
      const gone = await world.as('petra').get(`${url}/download`)
      assert.equal(refusal(gone), '410 file_disposed')
      assert.match(gone.json().detail, new RegExp(asked.number))
      assert.equal(ok(await world.as('petra').get(url)).file.removal.disposal.number, asked.number)
    }
    // Its own fields, its signature and the trail are not touched.
    const { you: _you, ...was } = before
    const { you: _now, ...is } = ok(await world.as('petra').get(deviation.path))
    assert.deepEqual(is, was)
    const { disposals, files_total } = ok(await world.as('uma').get(`${deviation.path}/retention`))
    assert.deepEqual(
      [disposals.length, disposals[0].number, disposals[0].files_total, files_total],
      [1, asked.number, 2, 0],
    )
    assert.deepEqual(await dueOf(`q=${deviation.number}`), [])
    assert.equal(refusal(await proposeCases({ deviation_ids: [deviation.id] })), '409 disposal_without_files')
    const signatures = `/api/signatures/?resource_type=deviation&resource_id=${deviation.id}`
    const [closure] = ok(await world.as('quinn').get(signatures)).items
    const { verification } = ok(await world.as('quinn').get(`/api/signatures/${closure.id}`))
    assert.deepEqual(
      [verification.status, verification.valid],
      ['content_removed', true],
      JSON.stringify(verification.checks),
    )
    for (const signature of done.signature_ids) {
      const signed = ok(await world.as('quinn').get(`/api/signatures/${signature}`))
      assert.equal(signed.verification.status, 'valid', JSON.stringify(signed.verification.checks))
      assert.match(signed.intent, /the disposal of the files of 2 records/)
    }
    const { manifest, files } = await readDossier(world, `${deviation.path}/dossier`)
    assert.deepEqual(manifest.failed_checks, [])
    assert.deepEqual(
      [...files.keys()].filter(name => name.startsWith('files/')),
      [],
    )
    const [entry] = await world.rows<{ changes: Json }>(
      `select changes from audit_entries where action = 'deviation.files_disposed' and resource_id = $1`,
      [deviation.id],
    )
    assert.ok(entry, 'the entry of the record')
    const where = { tenantId: world.people.uma!.tenant_id, userId: null }
    assert.deepEqual(await world.database.transaction(where, 'read only', tx => storageUse.findDrift(tx)), [])
  })

  it('stay while a hold, an open linked record or a requested removal is there, until the job comes to them', async () => {
    const deviation = await closedDeviation()
    const ask = async () => refusal(await proposeCases({ deviation_ids: [deviation.id] }))
    const hold = ok(await place({ deviation_id: deviation.id }))
    assert.equal(await ask(), '409 disposal_on_hold')
    ok(await lift(hold.id))
    const linked = await cases(world).capa({ deviation_ids: [deviation.id] })
    assert.equal(await ask(), '409 disposal_with_open_link')
    assert.equal((await dueOf(`q=${deviation.number}`))[0]!.obstacle, 'referenced')
    ok(await world.as('petra').post(`/api/capa/${linked.id}/reject-draft`, { comment: 'Not needed' }))
    const attachment_id = deviation.files[0].id
    const { id: removal } = ok(
      await world.as('quinn').post('/api/file-removals/', { attachment_id, reason: 'Wrong', password }),
    )
    assert.equal(await ask(), '409 disposal_with_removal_requested')
    ok(await world.as('quinn').post(`/api/file-removals/${removal}/withdraw`, {}))

    const asked = ok(await proposeCases({ deviation_ids: [deviation.id] }))
    ok(await approve(asked.id))
    // Between the approval and the destruction.
    const late = ok(await place({ record_kind: 'deviation' }))
    await world.work()
    const { records } = await read(asked.id)
    assert.match(records[0].kept_reason, new RegExp(`under legal hold \\(${late.number}\\)`))
    for (const { key } of deviation.files) assert.ok(await isThere(key))
    ok(await lift(late.id))

    // Once they are gone, the files of a deviation that was reopened are disposed of by a record of their own.
    ok(await approve(ok(await proposeCases({ deviation_ids: [deviation.id] })).id))
    await world.work()
    const { put } = deviations(world)
    ok(await put('quinn', deviation.id, { status: 'under_investigation', change_reason: 'It happened again' }))
    const added = await attach(deviation.path, 'second photo.pdf')
    ok(await put('petra', deviation.id, { status: 'pending_approval', change_reason: 'Investigated' }))
    ok(await put('quentin', deviation.id, { status: 'closed', change_reason: 'Complete', password }))
    assert.deepEqual(await dueOf(`q=${deviation.number}`), [])
    await ageCase(world, 'deviation', deviation.id, 8)
    assert.equal((await dueOf(`q=${deviation.number}`))[0]!.files_total, 1)
    ok(await approve(ok(await proposeCases({ deviation_ids: [deviation.id] })).id))
    await world.work()
    assert.ok(!(await isThere(added.key)))
    const { disposals } = ok(await world.as('uma').get(`${deviation.path}/retention`))
    assert.deepEqual(
      disposals.map((each: Json) => each.files_total),
      [2, 1],
    )
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
      const { holds } = ok(await world.as('petra').get(`/api/deviations/${deviation.id}/retention`))
      assert.equal(holds.length, holdsDeviation ? 1 : 0, JSON.stringify(scope))
      ok(await lift(hold.id))
    }
    const hold = ok(await place({ deviation_id: deviation.id }))
    assert.equal(hold.record.number, deviation.number)
    ok(await lift(hold.id))
    ok(await propose(id))
  })
})
