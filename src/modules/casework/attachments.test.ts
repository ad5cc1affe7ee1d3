// Attachments of deviations and CAPAs.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { behindTheApi, ok } from '#test/builders/documents.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
let make: ReturnType<typeof cases>
before(async () => {
  world = await openWorld()
  make = cases(world)
})
after(() => world.close())

const file = { bytes: pdf('photo of the filter'), name: 'Filter Línea 1.pdf' }
const attach = (by: string, path: string, fields: Record<string, string> = {}, what = file) =>
  world.as(by).upload(`${path}/attachments`, fields, what)
/** All files in the store, including those that are being received. */
const stored = () =>
  readdirSync(world.services.config.upload_dir, { recursive: true, withFileTypes: true })
    .filter(each => each.isFile())
    .map(each => join(each.parentPath, each.name))
const entries = (action: string) =>
  world.rows<{ resource_number: string; outcome: string; username: string; changes: Record<string, { to: unknown }> }>(
    'select resource_number, outcome, username, changes from audit_entries where action = $1 order by id',
    [action],
  )

describe('an attachment (proves: DEV-01, CAPA-01)', () => {
  it('is given back byte for byte, with its name, and each download is in the trail', async () => {
    const { id, number, revision } = await make.deviation()
    const path = `/api/deviations/${id}`
    const reply = await attach('uma', path, { description: 'As it was found' })
    const made = ok(reply)
    const sha256 = createHash('sha256').update(file.bytes).digest('hex')
    assert.equal(reply.statusCode, 201)
    assert.equal(reply.headers.location, `${path}/attachments/${made.id}`)
    const { name, bytes } = file
    assert.deepEqual(made.file, { name, size: bytes.length, content_type: 'application/pdf', sha256 })
    assert.deepEqual([made.description, made.created_by.username], ['As it was found', 'uma'])
    assert.deepEqual(ok(await world.as('otto').get(String(reply.headers.location))), made)
    assert.deepEqual(ok(await world.as('otto').get(`${path}/attachments`)).items, [made])
    assert.equal(ok(await world.as('uma').get(path)).revision, revision, 'it changes nothing of the record')

    const download = await world.as('otto').get(`${path}/attachments/${made.id}/download`)
    assert.deepEqual(download.rawPayload, bytes)
    assert.equal(download.headers.etag, `"${sha256}"`)
    assert.match(String(download.headers['content-disposition']), /^attachment; .*filename\*=UTF-8''Filter%20L/)
    const part = await world.as('otto').get(`${path}/attachments/${made.id}/download`, { range: 'bytes=0-4' })
    assert.deepEqual([part.statusCode, part.body], [206, '%PDF-'])
    const known = await world
      .as('otto')
      .get(`${path}/attachments/${made.id}/download`, { 'if-none-match': `"${sha256}"` })
    assert.equal(known.statusCode, 304)
    const [created] = await entries('attachment.created')
    assert.deepEqual([created!.resource_number, created!.changes.sha256!.to], [number, sha256])
    const downloaded = await entries('attachment.downloaded')
    assert.deepEqual(
      downloaded.map(({ username, outcome, resource_number }) => [username, outcome, resource_number]),
      [
        ['otto', 'success', number],
        ['otto', 'success', number],
      ],
    )
  })

  it('that is not what was stored any more is not given, and the trail says so', async () => {
    const { id } = await make.capa()
    const { id: attachment } = ok(await attach('alan', `/api/capa/${id}`))
    await behindTheApi(world, 'attachments', `update attachments set sha256 = repeat('0', 64) where id = $1`, [
      attachment,
    ])
    const reply = await world.as('alan').get(`/api/capa/${id}/attachments/${attachment}/download`)
    assert.equal(reply.statusCode, 500)
    assert.equal((await entries('attachment.downloaded')).at(-1)!.outcome, 'failed')
  })

  it('is attached by who may change the record and by who reported it, and by nobody else', async () => {
    const { id, number } = await make.deviation()
    const files = stored()
    const refused = await attach('alan', `/api/deviations/${id}`)
    assert.deepEqual(
      [refused.statusCode, refused.json().code, refused.json().params],
      [403, 'record_not_own_report', { number, permission: 'deviations.update' }],
    )
    assert.equal((await attach('otto', `/api/deviations/${id}`)).statusCode, 403)
    assert.equal((await entries('access.denied')).length, 2)
    assert.deepEqual(stored(), files, 'nothing of it stays')
    for (const name of ['uma', 'petra']) ok(await attach(name, `/api/deviations/${id}`))
    const { id: capa } = await make.capa()
    assert.equal((await attach('uma', `/api/capa/${capa}`)).statusCode, 403)
    assert.equal((await attach('otto', `/api/capa/${capa}`)).statusCode, 403)
    ok(await attach('alan', `/api/capa/${capa}`))
  })

  it('is taken by no record that is over, and by none that is not there, and leaves no file', async () => {
    const { id, number } = await make.deviation()
    const { id: attachment } = ok(await attach('uma', `/api/deviations/${id}`))
    await make.cancel(id)
    const files = stored()
    const refused = await attach('petra', `/api/deviations/${id}`)
    assert.deepEqual(
      [refused.statusCode, refused.json().detail, refused.json().code],
      [409, `${number} is cancelled and can no longer be changed.`, 'record_final'],
    )
    assert.equal((await attach('petra', '/api/deviations/999999')).statusCode, 404)
    assert.deepEqual(stored(), files)
    assert.equal(
      (await world.as('petra').get(`/api/deviations/${id}/attachments/${attachment}/download`)).statusCode,
      200,
      'what it has stays readable',
    )
  })

  it('is looked at as every upload is: its content must be what its name says', async () => {
    const { id } = await make.deviation()
    const files = stored()
    const refused = await attach('uma', `/api/deviations/${id}`, {}, { bytes: Buffer.from('MZ...'), name: 'a.pdf' })
    assert.equal(refused.statusCode, 422, refused.body)
    assert.deepEqual(refused.json().detail[0].loc, ['body', 'file'])
    assert.deepEqual(stored(), files)
  })

  it('is found under its own record only', async () => {
    const [one, other] = [await make.deviation(), await make.deviation()]
    const { id } = ok(await attach('uma', `/api/deviations/${one.id}`))
    for (const path of [`attachments/${id}`, `attachments/${id}/download`])
      assert.equal((await world.as('uma').get(`/api/deviations/${other.id}/${path}`)).statusCode, 404)
  })
})
