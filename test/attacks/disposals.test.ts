// A disposal that two people did not sign: attempts with the login attest_app to destroy records.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { cases } from '#test/builders/cases.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { insiderOf } from '#test/builders/insider.ts'
import { ageCase, pastRetention } from '#test/builders/retention-samples.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let app: pg.Client
before(async () => {
  world = await openWorld()
  app = new pg.Client(world.postgres.app)
  await app.connect()
  const rule = { retention_years: 2, change_reason: 'By our procedure' }
  ok(await world.as('quinn').put(`/api/document-types/${await world.typeId('SOP')}`, rule))
})
after(async () => {
  await app.end()
  await world.close()
})
beforeEach(() => app.query('rollback'))

const { begin, insertEntry, insertSignature } = insiderOf(() => ({ world, app }))

async function past() {
  const document_id = await pastRetention(world, 'alan', Number(await world.typeId('SOP')))
  const [row] = await world.rows<Json>(
    `select id::int, file_key, sha256, file_size::int from document_versions where document_id = $1`,
    [document_id],
  )
  return { document_id, ...row } as {
    document_id: number
    id: number
    file_key: string
    sha256: string
    file_size: number
  }
}

async function insertDisposal(number: string, { id, sha256, file_size }: Awaited<ReturnType<typeof past>>) {
  const { rows } = await app.query(`insert into disposals (number, reason) values ($1, 'Forged') returning id`, [
    number,
  ])
  const disposal = Number(rows[0].id)
  await app.query(
    `insert into disposal_records (disposal_id, version_id, record_number, version, title, type_name, record_status, ended_on, retention_years,
       retention_until, files) values ($1, $2, 'SOP-0001', '1.0', 'Draft', 'SOP', 'cancelled', '2020-01-01', 2, '2022-01-01', $3)`,
    [disposal, id, JSON.stringify([{ version_id: id, attachment_id: null, name: 'a', sha256, file_size }])],
  )
  await insertEntry('disposal.proposed', disposal)
  return disposal
}

// proves: SIG-01, DOC-08
describe('somebody with the login attest_app', () => {
  it('proposes nothing without a signature, approves nothing alone, and changes no list', async () => {
    const version = await past()
    await begin('petra')
    await insertDisposal('D-0000-0001', version)
    await assert.rejects(app.query('commit'), { code: 'QA003' })

    const versions = [{ document_id: version.document_id, version: '1.0' }]
    const { id } = ok(await world.as('petra').post('/api/disposals/', { versions, reason: 'Over', password }))
    for (const [name, text, refused] of [
      ['quinn', `update disposals set status = 'approved', decision_reason = 'x' where id = ${id}`, { code: 'QA003' }],
      ['quinn', `update disposals set status = 'completed' where id = ${id}`, { code: 'QA002' }],
      [
        'petra',
        `update disposals set status = 'rejected', decision_reason = 'x' where id = ${id}`,
        { constraint: 'disposals_other_person' },
      ],
      [
        'quinn',
        `update disposals set status = 'withdrawn' where id = ${id}`,
        { constraint: 'disposals_withdrawn_by_proposer' },
      ],
      ['quinn', `update disposals set reason = 'x' where id = ${id}`, { code: '42501' }],
      ['quinn', `delete from disposals where id = ${id}`, { code: '42501' }],
      ['quinn', `update disposal_records set status = 'disposed' where disposal_id = ${id}`, { code: 'QA003' }],
      ['quinn', `update disposal_records set title = 'x' where disposal_id = ${id}`, { code: '42501' }],
      [
        'quinn',
        `insert into file_removals (disposal_id, version_id, sha256, file_size, reason) values (${id}, ${version.id}, '${version.sha256}', ${version.file_size}, 'x')`,
        { code: 'QA003' },
      ],
      [
        'quinn',
        `insert into legal_holds (number, record_kind, reason, placed_by) values ('LH-0', 'capa', 'x', 1)`,
        { code: '42501' },
      ],
    ] as const) {
      await begin(name)
      await assert.rejects(app.query(text), refused, `${name}: ${text}`)
      await app.query('rollback')
    }
    const other = await past()
    await begin('petra')
    await assert.rejects(
      app.query(
        `insert into disposal_records (disposal_id, version_id, record_number, version, title, type_name, record_status, ended_on, retention_years,
           retention_until, files) values ($1, $2, 'x', '1.0', 'x', 'x', 'x', '2020-01-01', 2, '2022-01-01', '[]')`,
        [id, other.id],
      ),
      { code: 'QA002' },
    )
  })

  it('takes no attached file of a deviation by a disposal of another one, and none of an open one', async () => {
    ok(await world.as('ada').put('/api/settings/', { retention_years: { deviation: 2 }, change_reason: 'Procedure' }))
    const attached = async () => {
      const { id } = await cases(world).deviation()
      const file = { bytes: pdf('photo'), name: 'photo.pdf' }
      const { id: attachment_id } = ok(await world.as('uma').upload(`/api/deviations/${id}/attachments`, {}, file))
      const [row] = await world.rows<Json>('select sha256, file_size from attachments where id = $1', [attachment_id])
      return { id, attachment_id, ...row } as Json
    }
    const [past, open] = [await attached(), await attached()]
    await cases(world).cancel(past.id)
    await ageCase(world, 'deviation', past.id, 3)
    const body = { deviation_ids: [past.id], reason: 'Over', password }
    const { id } = ok(await world.as('petra').post('/api/disposals/', body))
    // Linked to what is open after the proposal: the database decides again.
    const approval = { decision_reason: 'Checked', password }
    ok(await world.as('quinn').post(`/api/disposals/${id}/approve`, approval))
    const remove = ({ attachment_id, sha256, file_size }: Json) =>
      app.query(
        `insert into file_removals (disposal_id, attachment_id, sha256, file_size, reason) values ($1, $2, $3, $4, 'x')`,
        [id, attachment_id, sha256, file_size],
      )
    await begin('quinn')
    await assert.rejects(remove(open), { code: 'QA003', message: /no approved disposal names this file/ })
    await app.query('rollback')
    ok(
      await world
        .as('petra')
        .post(`/api/deviations/${open.id}/links`, { resource_type: 'deviation', resource_id: past.id }),
    )
    await begin('quinn')
    await assert.rejects(remove(past), { code: 'QA003', message: /referenced/ })
    await app.query('rollback')
    for (const values of [`${past.id}, null, '1.0', null`, `null, null, null, null`]) {
      await begin('petra')
      await assert.rejects(
        app.query(
          `insert into disposal_records (disposal_id, deviation_id, capa_id, version, type_name, record_number, title, record_status, ended_on,
             retention_years, retention_until, files) values (${id}, ${values}, 'x', 'x', 'x', '2020-01-01', 2, '2022-01-01', '[{}]')`,
        ),
        { code: 'QA002' },
      )
      await app.query('rollback')
    }
    await world.work()
    assert.match(
      ok(await world.as('quinn').get(`/api/disposals/${id}`)).records[0].kept_reason,
      /open deviation or CAPA/,
    )
  })

  it('lifts no hold alone or without a signature', async () => {
    const { id } = ok(
      await world.as('quinn').post('/api/legal-holds/', { department: 'Filling', reason: 'Litigation' }),
    )
    for (const name of ['quinn', 'ada']) {
      await begin(name)
      const lifting = app.query(`update legal_holds set status = 'lifted', lift_reason = 'x' where id = ${id}`)
      await assert.rejects(lifting, { code: 'QA003' }, name)
      await app.query('rollback')
    }
  })

  it('who writes a whole disposal, with signatures of both, destroys nothing', async () => {
    const version = await past()
    await begin('petra')
    const id = await insertDisposal('D-0000-0002', version)
    const forged = { kind: 'disposal', id, number: 'D-0000-0002', status: 'proposed' } as const
    const first = await insertSignature({ ...forged, ref: 'proposal', previous: null })
    await app.query('commit')
    await begin('quinn')
    await insertSignature({ ...forged, ref: 'approval', previous: first })
    await app.query(`update disposals set status = 'approved', decision_reason = 'Forged' where id = $1`, [id])
    await insertEntry('disposal.approved', id)
    await app.query('commit')
    await world.round(world.app.schedules.find(({ name }) => name === 'queue.recovery')!)
    assert.ok((await world.work({ mayFail: true })).failed > 0)
    assert.equal(ok(await world.as('quinn').get(`/api/disposals/${id}`)).records[0].status, 'listed')

    // Nor does a removal in its name: the job compares the seals.
    await begin('quinn')
    const { rows } = await app.query(
      `insert into file_removals (disposal_id, version_id, sha256, file_size, reason) values ($1, $2, $3, $4, 'x') returning id`,
      [id, version.id, version.sha256, version.file_size],
    )
    await insertEntry('file_removal.approved', Number(rows[0].id))
    await app.query('commit')
    await world.round(world.app.schedules.find(({ name }) => name === 'queue.recovery')!)
    await world.work({ mayFail: true })
    assert.ok(await world.services.storage.stat(version.file_key))
    assert.equal(ok(await world.as('quinn').get(`/api/file-removals/${rows[0].id}`)).status, 'approved')
  })
})
