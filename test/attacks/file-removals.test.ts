// A removal that two people did not sign: attempts with the login attest_app to make content vanish unnoticed.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { cases } from '#test/builders/cases.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { insiderOf } from '#test/builders/insider.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let app: pg.Client
before(async () => {
  world = await openWorld()
  app = new pg.Client(world.postgres.app)
  await app.connect()
})
after(async () => {
  await commands.close()
  await app.end()
  await world.close()
})
beforeEach(() => app.query('rollback'))
const commands = commandsOf(() => world)

async function attached() {
  const { id } = await cases(world).deviation()
  const path = `/api/deviations/${id}/attachments`
  const { id: attachment, file }: Json = ok(await world.as('uma').upload(path, {}))
  const [row] = await world.rows<{ file_key: string }>('select file_key from attachments where id = $1', [attachment])
  return { path, attachment: attachment as number, file, key: row!.file_key }
}

const { begin, insertEntry, insertSignature } = insiderOf(() => ({ world, app }))
const insertRemoval = async (attachment: number, { sha256, size }: { sha256: string; size: number }) =>
  Number(
    (
      await app.query(
        `insert into file_removals (attachment_id, sha256, file_size, reason) values ($1, $2, $3, 'Forged') returning id`,
        [attachment, sha256, size],
      )
    ).rows[0].id,
  )

/** The signature of somebody who asked for a removal, or decided about it, with the row as its content. */
async function signRemoval(id: number, ref: string, previous: string | null) {
  const { rows } = await app.query('select to_jsonb(f) as row from file_removals f where id = $1', [id])
  const { id: _, status, decided_by, decided_at, decision_reason, removed_at, tenant_id, ...content } = rows[0].row
  const number = `File removal ${id}`
  return insertSignature({ kind: 'file_removal', id, number, status: 'requested', ref, previous, content })
}

// proves: SIG-01, DOC-08
describe('somebody with the login attest_app', () => {
  it('requests nothing without a signature, approves nothing alone, and changes no request', async () => {
    const { attachment, file } = await attached()
    await begin('petra')
    const id = await insertRemoval(attachment, file)
    await insertEntry('file_removal.requested', id)
    await assert.rejects(app.query('commit'), { code: 'QA003' })

    const { id: asked } = ok(
      await world.as('petra').post('/api/file-removals/', { attachment_id: attachment, reason: 'Wrong', password }),
    )
    const approve = `update file_removals set status = 'approved', decision_reason = 'x' where id = ${asked}`
    for (const [name, text, refused] of [
      ['petra', approve, { code: 'QA003' }],
      ['quinn', approve, { code: 'QA003' }],
      [
        'petra',
        `update file_removals set status = 'rejected', decision_reason = 'x' where id = ${asked}`,
        { constraint: 'file_removals_other_person' },
      ],
      [
        'quinn',
        `update file_removals set status = 'withdrawn' where id = ${asked}`,
        { constraint: 'file_removals_withdrawn_by_requester' },
      ],
      ['quinn', `update file_removals set status = 'removed' where id = ${asked}`, { code: 'QA002' }],
      ['quinn', `update file_removals set reason = 'x' where id = ${asked}`, { code: '42501' }],
      ['quinn', `update file_removals set decided_by = 1 where id = ${asked}`, { code: '42501' }],
      ['quinn', `delete from file_removals where id = ${asked}`, { code: '42501' }],
    ] as const) {
      await begin(name)
      await assert.rejects(app.query(text), refused, `${name}: ${text}`)
      await app.query('rollback')
    }
    await begin('petra')
    await assert.rejects(insertRemoval(attachment, { ...file, sha256: 'a'.repeat(64) }), { code: 'QA002' })
    await app.query('rollback')
    ok(await world.as('petra').post(`/api/file-removals/${asked}/withdraw`, {}))
  })

  it('who writes a whole removal, with signatures of both, deletes nothing, and doctor names it', async () => {
    const { attachment, file, key, path } = await attached()
    await begin('petra')
    const id = await insertRemoval(attachment, file)
    const first = await signRemoval(id, 'request', null)
    await insertEntry('file_removal.requested', id)
    await app.query('commit')
    await begin('quinn')
    await signRemoval(id, 'decision', first)
    await app.query(`update file_removals set status = 'approved', decision_reason = 'Forged' where id = $1`, [id])
    await insertEntry('file_removal.approved', id)
    await app.query('commit')

    await world.round(world.app.schedules.find(({ name }) => name === 'queue.recovery')!)
    assert.equal((await world.work({ mayFail: true })).failed, 1)
    assert.ok(await world.services.storage.stat(key))
    assert.equal(ok(await world.as('quinn').get(`/api/file-removals/${id}`)).status, 'approved')

    // Whoever has the disk too can delete the file, and is found out.
    await world.services.storage.remove(key)
    const { manifest } = await readDossier(world, path.replace('/attachments', '/dossier'))
    assert.match(manifest.failed_checks.join(), /two people have not signed/)
    await world.seal()
    await commands.run(['signing-key', 'list'])
    const { code, out } = await commands.run(['doctor', '--deep'])
    assert.equal(code, 1, out)
    assert.match(out, new RegExp(`FAIL {2}removed files of acme: file removal ${id}: .*two people have not signed`))
    assert.match(out, /FAIL {2}signatures of acme: signature \d+ on File removal/)
  })

  it('puts no version into review or force of which the file is gone', async () => {
    const { id } = await papers(world).upload()
    const { id: asked } = ok(
      await world
        .as('petra')
        .post('/api/file-removals/', { document_id: id, version: '1.0', reason: 'Wrong', password }),
    )
    ok(await world.as('quinn').post(`/api/file-removals/${asked}/approve`, { decision_reason: 'Yes', password }))
    await begin('alan')
    await assert.rejects(
      app.query(`update document_versions set status_kind = 'review', status = 'in_review' where document_id = $1`, [
        id,
      ]),
      { code: 'QA003' },
    )
  })

  it('takes the signature of one removal for no other', async () => {
    const [one, other] = [await attached(), await attached()]
    const ask = async (attachment_id: number): Promise<number> =>
      ok(await world.as('petra').post('/api/file-removals/', { attachment_id, reason: 'Wrong', password })).id
    const [signed, forged] = [await ask(one.attachment), await ask(other.attachment)]
    ok(await world.as('quinn').post(`/api/file-removals/${signed}/approve`, { decision_reason: 'Yes', password }))
    await world.work({ mayFail: true }) // that of the forged removal above fails
    // As its owner could, past every guard: the decision of the one becomes that of the other.
    await behindTheApi(
      world,
      'signatures',
      `update signatures set file_removal_id = $1 where file_removal_id = $2 and occasion_ref = 'decision'`,
      [forged, signed],
    )
    await behindTheApi(
      world,
      'file_removals',
      `update file_removals f set status = 'approved', decided_by = d.decided_by, decided_at = d.decided_at, decision_reason = 'x' from file_removals d where f.id = $1 and d.id = $2`,
      [forged, signed],
    )
    await world.round(world.app.schedules.find(({ name }) => name === 'queue.recovery')!)
    await world.work({ mayFail: true })
    assert.ok(await world.services.storage.stat(other.key))
  })
})
