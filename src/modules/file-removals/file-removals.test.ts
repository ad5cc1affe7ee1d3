// A wrong or unlawful file: removed by two people, found nowhere any more, and said so wherever it is looked for.
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { cases } from '#test/builders/cases.ts'
import { copies } from '#test/builders/copies.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { spellingModel } from '#test/fakes/spelling-model.ts'
import { startService } from '#test/processes/service-process.ts'
import { until } from '#test/world/background.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { storageUse } from '../projections/storage-use/projection.ts'
import { textJob } from '../search/text-work.ts'
import { deleteRestored } from './index.ts'

const url = '/api/file-removals/'
const reason = 'The scan shows the name of a patient'

let world: World
before(async () => {
  world = await openWorld({}, { embeddings: spellingModel })
})
after(() => world.close())

const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const ask = (name: string, body: object) => world.as(name).post(url, { reason, password, ...body })
const approve = (name: string, id: number, body: object = {}) =>
  world.as(name).post(`${url}${id}/approve`, { decision_reason: 'Confirmed with the author', password, ...body })
const removal = async (id: number): Promise<Json> => ok(await world.as('quinn').get(`${url}${id}`))
const keyOf = async (table: 'document_versions' | 'attachments', column: string, id: number) =>
  (
    await world.rows<{ file_key: string }>(`select file_key from ${table} where ${column} = $1 order by id limit 1`, [
      id,
    ])
  )[0]!.file_key
const isThere = async (key: string) => (await world.services.storage.stat(key)) !== undefined

/** A deviation with an attached file, and where that is. */
async function attached() {
  const { id, number } = await cases(world).deviation()
  const path = `/api/deviations/${id}/attachments`
  const { id: attachment_id }: Json = ok(
    await world.as('uma').upload(path, {}, { bytes: pdf(`scan of ${number}`), name: 'Jane Doe.pdf' }),
  )
  const key = await keyOf('attachments', 'id', attachment_id)
  return {
    id,
    number,
    path,
    attachment_id,
    key,
    download: () => world.as('uma').get(`${path}/${attachment_id}/download`),
  }
}

async function requested(body: object, by = 'petra') {
  return ok(await ask(by, body)).id as number
}

/** Both people have signed, and the content is gone. */
async function removed(body: object) {
  const id = await requested(body)
  ok(await approve('quinn', id))
  await world.work()
  return id
}

// proves: DOC-08, DEV-01, SIG-01
describe('an attached file', () => {
  it('goes by the signatures of two people; its hash, its size and its record stay, and a download says why', async () => {
    const { path, attachment_id, key, download, id: deviation, number } = await attached()
    const before = ok(await world.as('uma').get(`${path}/${attachment_id}`))
    const id = await requested({ attachment_id })
    const { status, resource_number, requested_by, signature_ids } = await removal(id)
    assert.deepEqual([status, resource_number, requested_by.username], ['requested', number, 'petra'])
    assert.equal(signature_ids.length, 1)
    assert.equal((await download()).statusCode, 200)

    const decided = ok(await approve('quinn', id))
    assert.deepEqual([decided.status, decided.removed_at, decided.signature_ids.length], ['approved', null, 2])
    const gone = await download()
    assert.equal(refusal(gone), '410 file_removed')
    assert.match(
      gone.json().detail,
      new RegExp(`removed on \\d{4}-\\d\\d-\\d\\d by Petra Example and Quinn Example because: ${reason}`),
    )
    await world.work()
    assert.equal((await removal(id)).status, 'removed')
    assert.ok(!(await isThere(key)))
    assert.equal(refusal(await download()), '410 file_removed')

    const { removal: note, ...file } = ok(await world.as('uma').get(`${path}/${attachment_id}`)).file
    assert.deepEqual(file, before.file)
    assert.deepEqual([note.id, note.reason, note.decided_by.username], [id, reason, 'quinn'])
    const { attachments } = ok(await world.as('uma').get(`/api/deviations/${deviation}`))
    assert.equal(attachments[0].sha256, file.sha256)
    for (const [action, resource] of [
      ['file_removal.requested', id],
      ['file_removal.approved', id],
      ['file_removal.completed', id],
      ['attachment.file_removed', attachment_id],
    ] as const)
      assert.equal(
        (await world.rows('select from audit_entries where action = $1 and resource_id = $2', [action, resource]))
          .length,
        1,
        action,
      )
    for (const signature of decided.signature_ids) {
      const { verification, signature_type } = ok(await world.as('quinn').get(`/api/signatures/${signature}`))
      assert.deepEqual(
        [verification.status, signature_type],
        ['valid', 'file_removal'],
        JSON.stringify(verification.checks),
      )
      const voided = await world.as('quinn').post(`/api/signatures/${signature}/void`, { reason: 'No', password })
      assert.equal(refusal(voided), '409 signature_of_file_removal')
    }
  })

  it('keeps its name, or loses it where the request says so', async () => {
    const { path, attachment_id } = await attached()
    await removed({ attachment_id, hides_name: true })
    const { file } = ok(await world.as('uma').get(`${path}/${attachment_id}`))
    assert.equal(file.name, 'removed file')
    const record = path.replace('/attachments', '')
    for (const place of [path, record, `${record}/timeline`]) {
      const { statusCode, body } = await world.as('uma').get(place)
      assert.deepEqual([statusCode, body.includes('Jane')], [200, false], place)
    }
    const { items } = ok(await world.as('uma').get(`${record}/timeline`))
    assert.ok(items.some(({ kind, details }: Json) => kind === 'file_removed' && details.reason === reason))
  })

  it('that another record has too stays there', async () => {
    const [one, other] = [await cases(world).deviation(), await cases(world).deviation()]
    const attach = async (id: number): Promise<number> =>
      ok(await world.as('uma').upload(`/api/deviations/${id}/attachments`, {})).id
    const attachment_id = await attach(one.id)
    const kept = await attach(other.id)
    await removed({ attachment_id })
    const reply = await world.as('uma').get(`/api/deviations/${other.id}/attachments/${kept}/download`)
    assert.deepEqual([reply.statusCode, reply.rawPayload.equals(pdf())], [200, true])
  })

  it('takes no space of the company any more', async () => {
    const { attachment_id } = await attached()
    const used = async () =>
      (
        await world.rows<Json>('select bytes::int, files::int from storage_use where tenant_id = $1', [
          world.people.uma!.tenant_id,
        ])
      )[0]
    const before = await used()
    const id = await removed({ attachment_id })
    const { size } = (await removal(id)).file
    assert.deepEqual(await used(), { bytes: before.bytes - size, files: before.files - 1 })
    const read = { tenantId: world.people.uma!.tenant_id, userId: null }
    assert.deepEqual(await world.database.transaction(read, 'read only', tx => storageUse.findDrift(tx)), [])
  })
})

// proves: SIG-02
describe('a signed record', () => {
  it('is verified without the file that was removed, and says who removed it', async () => {
    const dev = deviations(world)
    const { id } = await dev.inState('pending_approval', { severity: 'major' })
    const path = `/api/deviations/${id}/attachments`
    const attach = async (name: string) =>
      ok(await world.as('petra').upload(path, {}, { bytes: pdf(name), name: `${name}.pdf` })).id as number
    const [wrong, early, right] = [await attach('wrong'), await attach('early'), await attach('right')]
    await removed({ attachment_id: early })
    // The closing signature covers the files that are there: not the one that was removed before.
    const closed = ok(await dev.put('quinn', id, { status: 'closed', change_reason: 'Complete', password }))
    assert.equal(closed.status, 'closed')
    const [{ id: signature }] = ok(
      await world.as('quinn').get(`/api/signatures/?resource_type=deviation&resource_id=${id}`),
    ).items
    const read = async (): Promise<Json> => ok(await world.as('quinn').get(`/api/signatures/${signature}`))
    const { record, verification } = await read()
    assert.deepEqual(
      record.files.map(({ name }: Json) => name),
      ['wrong.pdf', 'right.pdf'],
    )
    assert.equal(verification.status, 'valid')

    await removed({ attachment_id: wrong })
    const now = (await read()).verification
    const content = now.checks.find(({ name }: Json) => name === 'content_integrity')
    assert.deepEqual(
      [now.status, now.valid, content.passed, content.was_removed],
      ['content_removed', true, true, true],
    )
    assert.match(
      content.detail,
      /wrong\.pdf: Removed on .* by Petra Example and Quinn Example because: .*was not compared/,
    )
    // The other file is still compared.
    await world.services.storage.remove(await keyOf('attachments', 'id', right))
    assert.equal((await read()).verification.status, 'content_mismatch')
  })

  it('has a dossier that says so, and does not fail', async () => {
    const { id, attachment_id, number } = await attached()
    const removalId = await removed({ attachment_id })
    const { manifest, files, entries } = await readDossier(world, `/api/deviations/${id}/dossier`)
    assert.deepEqual(manifest.failed_checks, [])
    const [file] = manifest.files
    assert.deepEqual([file.entry, file.found, file.is_intact], [null, null, null])
    assert.match(file.removed, /^Removed on .* because: The scan/)
    assert.ok(![...files.keys()].some(name => name.startsWith('files/')))
    assert.ok(
      entries.some(({ action }: Json) => action === 'attachment.file_removed'),
      number,
    )
    assert.ok(removalId)
    assert.equal((await world.as('uma').get(`/api/deviations/${id}/record.pdf`)).statusCode, 200)
  })
})

// proves: DOC-08, SRCH-01
describe('the file of a version', () => {
  const text = (words: string) => ({
    bytes: Buffer.from(`${words}\n\nThe operator washes the hands.`),
    name: 'procedure.txt',
  })
  /** A draft that was cancelled, with its text and vectors. */
  async function cancelled(words: string) {
    const paper = papers(world)
    const { id } = await paper.upload({ title: 'Gowning' }, text(words))
    await world.work()
    ok(await paper.move('alan', id, 'cancel', 'Written for another site'))
    return id as number
  }
  const traces = async (id: number) =>
    (
      await world.rows<Json>(
        `select (select count(*)::int from document_chunks c where c.version_id = v.id) as chunks,
          (select count(*)::int from version_vectors x where x.version_id = v.id) as vectors,
          (select count(*)::int from chunk_bits b where b.version_id = v.id) as bits,
          (select words::text ~ 'quarantin' from document_index i where i.version_id = v.id) as words
        from document_versions v where v.document_id = $1`,
        [id],
      )
    )[0]

  it('takes its text, its passages and its vectors with it, also where the file is being read at that moment', async () => {
    const id = await cancelled('quarantine of Jane Doe')
    const before = await traces(id)
    assert.ok(before.chunks > 0 && before.vectors > 0 && before.bits > 0 && before.words, JSON.stringify(before))
    await removed({ document_id: id, version: '1.0' })
    const nothing = { chunks: 0, vectors: 0, bits: 0, words: false }
    assert.deepEqual(await traces(id), nothing)
    const text = await world.as('alan').get(`/api/documents/${id}/versions/1.0/text`)
    assert.equal(refusal(text), '410 file_removed')
    const [{ tenant_id, version_id }] = (await world.rows<Json>(
      'select tenant_id::int, id::int as version_id from document_versions where document_id = $1',
      [id],
    )) as [Json]
    const attempt = { number: 1, isLast: false, signal: new AbortController().signal }
    await textJob.run(world.services, { tenant_id, version_id }, attempt)
    assert.deepEqual(await traces(id), nothing)
    const shown = ok(await world.as('quinn').get(`/api/documents/${id}`))
    assert.deepEqual([shown.content.status, shown.file.removal.reason], ['no_text', reason])
    for (const query of ['', '?rendition=signed', '?purpose=view'])
      assert.equal(refusal(await world.as('quinn').get(`/api/documents/${id}/download${query}`)), '410 file_removed')
    const sign = { document_id: id, signature_type: 'witness', intent: 'Seen', version: '1.0', password }
    assert.equal(refusal(await world.as('quinn').post('/api/signatures/', sign)), '409 signature_file_removed')
  })

  it('is not taken while people review the version or work by it, and a draft without it is not submitted', async () => {
    const paper = papers(world)
    const { id } = await paper.upload()
    const draft = await requested({ document_id: id, version: '1.0' })
    ok(await paper.move('alan', id, 'submit'))
    assert.equal(refusal(await approve('quinn', draft)), '409 file_removal_in_review')
    assert.equal(refusal(await ask('petra', { document_id: id, version: '1.0' })), '409 file_removal_requested_already')
    ok(await paper.move('alan', id, 'withdraw'))
    ok(await approve('quinn', draft))
    assert.equal(refusal(await paper.move('alan', id, 'submit')), '409 document_file_removed_from_draft')
    assert.equal(refusal(await ask('petra', { document_id: id, version: '1.0' })), '409 file_removal_done_already')
    const effective = await paper.effective()
    assert.equal(
      refusal(await ask('petra', { document_id: effective.id, version: '1.0' })),
      '409 file_removal_of_effective',
    )
    await world.work()
  })

  it('that approvers signed is said to be removed by the verification of each signature and by the dossier', async () => {
    const paper = papers(world)
    const { id } = await paper.effective()
    ok(await paper.addVersion(id))
    await paper.release(id)
    const asked = await requested({ document_id: id, version: '1.0' })
    ok(await approve('quinn', asked))
    const { items } = ok(await world.as('quinn').get(`/api/signatures/?document_id=${id}`))
    const verified = (): Promise<Json[]> =>
      Promise.all(
        items.map(async ({ id: signature }: Json) => ok(await world.as('quinn').get(`/api/signatures/${signature}`))),
      )
    const statements = (found: Json[]) =>
      found
        .flatMap(({ verification }) => verification.checks)
        .filter(({ was_removed }) => was_removed)
        .map(({ detail }) => detail.split(' on ')[0])
    // Until the job has deleted it, the content is in the store.
    assert.deepEqual(new Set(statements(await verified())), new Set(['Removal approved']))
    await world.work()
    const found = await verified()
    assert.deepEqual(new Set(statements(found)), new Set(['Removed']))
    const statuses = Map.groupBy(found, ({ document_version }) => document_version)
    assert.deepEqual(
      new Set(statuses.get('1.0')!.map(({ verification }) => verification.status)),
      new Set(['content_removed']),
    )
    assert.deepEqual(new Set(statuses.get('1.1')!.map(({ verification }) => verification.status)), new Set(['valid']))
    const { manifest, files } = await readDossier(world, `/api/documents/${id}/dossier`)
    assert.deepEqual(manifest.failed_checks, [])
    assert.deepEqual(
      [...files.keys()].filter(name => name.startsWith('files/')),
      ['files/1.1/procedure-2.pdf'],
    )
    const owner = ok(await world.as('alan').get('/api/notifications/?page_size=100')).items
    assert.ok(owner.some(({ type }: Json) => type === 'document_file_removed'))
  })
})

// proves: DOC-03, NOTE-01
describe('a version with controlled copies', () => {
  it('is removed with the word of which copies are still out, to who requests it, who decides and both notifications', async () => {
    const copy = copies(world)
    const { id: document_id } = await copy.document()
    const [out, lost, back] = [
      await copy.printed(document_id),
      await copy.printed(document_id),
      await copy.printed(document_id),
    ]
    ok(await papers(world).addVersion(document_id))
    await papers(world).release(document_id)
    const reconcile = async (id: number, outcome: string) =>
      ok(await copy.post('petra', id, 'reconcile', { outcome, change_reason: 'Looked for at line 1' }))
    await reconcile(lost.id, 'lost')
    await reconcile(back.id, 'returned')
    const asked = ok(await ask('petra', { document_id, version: '1.0' }))
    const outOf = ({ copies_out }: Json) => copies_out.map((each: Json) => [each.id, each.status, each.holder.username])
    const expected = [
      [out.id, 'recalled', 'uma'],
      [lost.id, 'lost', 'uma'],
    ]
    assert.deepEqual(outOf(asked), expected)
    assert.deepEqual([asked.copies_out[0].number, asked.copies_out[0].location], [out.number, 'Line 1'])
    assert.match(asked.copies_out[0].due_date, /^\d{4}-\d\d-\d\d$/)
    assert.deepEqual(outOf(ok(await world.as('quinn').get(url)).items[0]), expected)
    const told = async (name: string, type: string): Promise<string> =>
      ok(await world.as(name).get(`/api/notifications/?type=${type}&page_size=100`)).items.find(
        (each: Json) => each.link === `${url}${asked.id}`,
      ).message
    const sentence =
      /2 controlled copies of this version are still out, and the removal does not reach paper\. Have them returned\./
    assert.match(await told('quinn', 'file_removal_requested'), sentence)
    assert.deepEqual(outOf(ok(await approve('quinn', asked.id))), expected)
    assert.match(await told('petra', 'file_removal_decided'), sentence)
    await reconcile(out.id, 'destroyed')
    assert.deepEqual(outOf(await removal(asked.id)), [expected[1]])
    await world.work()
  })

  it('says nothing of copies where there are none', async () => {
    const { attachment_id } = await attached()
    const { id, copies_out } = ok(await ask('petra', { attachment_id }))
    assert.deepEqual(copies_out, [])
    const { items } = ok(await world.as('quinn').get('/api/notifications/?type=file_removal_requested&page_size=100'))
    assert.doesNotMatch(items.find(({ link }: Json) => link === `${url}${id}`).message, /cop(y|ies)/)
    ok(await world.as('petra').post(`${url}${id}/withdraw`, {}))
  })
})

// proves: SIG-01, ROLE-03
describe('one person', () => {
  it('neither decides the own request nor acts without permission, reason or signature', async () => {
    const { attachment_id, key } = await attached()
    assert.equal((await ask('uma', { attachment_id })).statusCode, 403)
    assert.equal((await ask('petra', { attachment_id, reason: ' ' })).statusCode, 422)
    assert.equal((await ask('petra', { attachment_id, password: 'wrong' })).statusCode, 401)
    const late = world.as('petra', { logged_in: 7200 })
    assert.equal((await late.post(url, { attachment_id, reason })).statusCode, 401)
    assert.equal((await ask('petra', {})).statusCode, 422)
    assert.equal((await ask('petra', { document_id: 1 })).statusCode, 422)
    const id = await requested({ attachment_id }, 'quinn')
    assert.equal(refusal(await approve('quinn', id)), '403 file_removal_own')
    assert.equal(
      refusal(await world.as('quinn').post(`${url}${id}/reject`, { decision_reason: 'No' })),
      '403 file_removal_own',
    )
    assert.equal((await approve('petra', id)).statusCode, 403)
    assert.equal((await approve('ada', id, { password: 'wrong' })).statusCode, 401)
    assert.equal(
      (await world.as('ada', { logged_in: 7200 }).post(`${url}${id}/approve`, { decision_reason: 'Yes' })).statusCode,
      401,
    )
    assert.equal((await world.as('ada').post(`${url}${id}/approve`, { password })).statusCode, 422)
    assert.equal(refusal(await world.as('petra').post(`${url}${id}/withdraw`, {})), '403 file_removal_not_own')
    ok(await world.as('ada').post(`${url}${id}/reject`, { decision_reason: 'It is the right file' }))
    assert.equal(refusal(await approve('ada', id)), '409 file_removal_decided')
    assert.ok(await isThere(key))
    const again = await requested({ attachment_id })
    ok(await world.as('petra').post(`${url}${again}/withdraw`, {}))
    assert.equal((await removal(again)).status, 'withdrawn')
  })

  it('requests no removal that nobody else can decide', async () => {
    const { attachment_id } = await attached()
    const deny = (denied: string[]) =>
      world.as('ada').put(`/api/users/${world.people.quinn!.id}/permissions`, { granted: [], denied })
    ok(await deny(['files.decide_removal']))
    assert.equal(refusal(await ask('ada', { attachment_id })), '409 file_removal_without_decider')
    ok(await deny([]))
  })

  it('of another tenant finds neither the file nor the request', async () => {
    const { attachment_id } = await attached()
    const { id } = await papers(world).upload()
    const asked = await requested({ attachment_id })
    for (const reply of [
      await ask('rex', { attachment_id }),
      await ask('rex', { document_id: id, version: '1.0' }),
      await world.as('rex').get(`${url}${asked}`),
      await approve('rex', asked),
      await world.as('rex').post(`${url}${asked}/reject`, { decision_reason: 'No' }),
    ])
      assert.equal(reply.statusCode, 404, reply.body)
    assert.equal(ok(await world.as('rex').get(url)).total, 0)
  })

  it('of those who may decide finds it on the dashboard, in the notifications and in the list', async () => {
    const { attachment_id } = await attached()
    const id = await requested({ attachment_id })
    const pending = async (name: string): Promise<number[]> =>
      ok(await world.as(name).get('/api/dashboard/pending-approvals?limit=100')).file_removals.map(
        (item: Json) => item.id,
      )
    assert.ok((await pending('quinn')).includes(id))
    assert.ok((await pending('ada')).includes(id))
    for (const name of ['petra', 'quentin', 'otto']) assert.deepEqual(await pending(name), [])
    const { items } = ok(await world.as('quinn').get('/api/notifications/?page_size=100'))
    assert.ok(items.some(({ type, link }: Json) => type === 'file_removal_requested' && link === `${url}${id}`))
    assert.ok(ok(await world.as('otto').get(`${url}?status=requested`)).items.some((item: Json) => item.id === id))
    ok(await world.as('quinn').post(`${url}${id}/reject`, { decision_reason: 'It is the right file' }))
    assert.ok(!(await pending('quinn')).includes(id))
  })
})

// proves: DOC-08
describe('two people at the same moment', () => {
  it('decide once', async () => {
    const { attachment_id } = await attached()
    const id = await requested({ attachment_id })
    const replies = await Promise.all([
      approve('quinn', id),
      approve('ada', id),
      world.as('ada').post(`${url}${id}/reject`, { decision_reason: 'No' }),
    ])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409, 409],
    )
    await world.work()
  })

  it('request once', async () => {
    const { attachment_id } = await attached()
    const replies = await Promise.all([ask('petra', { attachment_id }), ask('quentin', { attachment_id })])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [201, 409],
    )
  })

  it('do not submit a draft and remove its file', async () => {
    const paper = papers(world)
    const { id } = await paper.upload()
    const removalId = await requested({ document_id: id, version: '1.0' })
    const replies = await Promise.all([approve('quinn', removalId), paper.move('alan', id, 'submit')])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    await world.work()
  })
})

// proves: OPS-02
describe('the content', () => {
  it('goes later where the store fails, or the queue lost the work', async t => {
    const { attachment_id, key } = await attached()
    const { storage } = world.services
    const failing = t.mock.method(storage, 'erase', () => Promise.reject(new Error('the bucket keeps a version')))
    const id = await requested({ attachment_id })
    ok(await approve('quinn', id))
    assert.equal((await world.work({ mayFail: true })).failed, 1)
    assert.deepEqual([(await removal(id)).status, await isThere(key)], ['approved', true])
    failing.mock.restore()
    await world.rows(`delete from pgboss.job where data ->> 'job' = 'file_removals.delete_content'`)
    await world.round(world.app.schedules.find(({ name }) => name === 'queue.recovery')!)
    await world.work()
    assert.deepEqual([(await removal(id)).status, await isThere(key)], ['removed', false])
  })

  it('that a restore of the store brings back goes again, with an entry', async () => {
    const { attachment_id, key } = await attached()
    const id = await removed({ attachment_id })
    const { storage } = world.services
    for (const place of [key, `trash/${key}`]) {
      await storage.keep(await storage.receive(Readable.from([pdf()]), { max_bytes: 1000 }), place)
      assert.equal((await world.round(deleteRestored)).done, 1)
      assert.ok(!(await isThere(place)))
    }
    assert.equal(
      (await world.rows(`select from audit_entries where action = 'file_removal.repeated' and resource_id = $1`, [id]))
        .length,
      2,
    )
    assert.equal((await world.round(deleteRestored)).done, 0)
  })

  it('goes in the end where the process is killed in the middle, and never before the decision', {
    timeout: 300_000,
  }, async () => {
    const { attachment_id, key } = await attached()
    const dying = await startService(
      { ...urlsOf(world.postgres), DATA_DIR: world.folder, LOG_LEVEL: 'info' },
      { program: ['test/support/processes/removal-process.ts'] },
    )
    const id = await requested({ attachment_id })
    assert.ok(await isThere(key))
    ok(await approve('quinn', id))
    await dying.ended
    assert.deepEqual([(await removal(id)).status, await isThere(key)], ['approved', false])
    await until(async () => {
      // The item of the killed process is made due, as its heartbeat does after a minute.
      await world.rows(`update pgboss.job set state = 'retry', start_after = now() where state = 'active'`)
      await world.work()
      return (await removal(id)).status === 'removed'
    })
  })
})

it('a CAPA loses an attached file in the same way', async () => {
  const { id } = await capas(world).open()
  const { id: attachment_id } = ok(await world.as('alan').upload(`/api/capa/${id}/attachments`, {}))
  const removalId = await removed({ attachment_id })
  assert.deepEqual([(await removal(removalId)).resource_type, (await removal(removalId)).status], ['capa', 'removed'])
  assert.equal(
    refusal(await world.as('alan').get(`/api/capa/${id}/attachments/${attachment_id}/download`)),
    '410 file_removed',
  )
})
