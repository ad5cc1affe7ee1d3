// Uploads before a real clamd.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Json } from '#test/builders/documents.ts'
import { giveSecondFactor } from '#test/builders/samples.ts'
import { type Clamd, eicar, openClamd } from '#test/fakes/clamd.ts'
import { office } from '#test/faults/hostile-files.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

const upload = async (world: World, bytes: Buffer, name: string) =>
  world
    .as('alan')
    .upload('/api/documents/upload', { title: 'Cleaning', document_type: await world.typeId('SOP') }, { bytes, name })
const files = (world: World) =>
  globSync(`${world.services.config.upload_dir}/{*,.tmp}/**`, { withFileTypes: true }).filter(each => each.isFile())
const scannerOf = async (world: World) => {
  const { dependencies } = (await world.as('pat').get('/api/status')).json()
  const { status, detail } = dependencies.find(({ name }: Json) => name === 'Storage')
  return [status, detail]
}

describe('with a virus scanner (proves: DOC-07)', () => {
  let clamd: Clamd
  let world: World
  before(async () => {
    clamd = await openClamd({ stream_max_bytes: 3_000_000 })
    world = await openWorld({ CLAMAV_URL: clamd.unix })
    await giveSecondFactor(world, 'pat')
  })
  after(async () => {
    await world.close()
    await clamd.close()
  })

  it('a clean file is taken, by the socket and by the port', async () => {
    const reply = await upload(world, pdf('x'.repeat(1_000_000)), 'a.pdf')
    assert.equal(reply.statusCode, 201, reply.body)
    const other = await openWorld({ CLAMAV_URL: clamd.tcp })
    try {
      assert.equal((await upload(other, pdf(), 'a.pdf')).statusCode, 201)
      assert.equal((await upload(other, Buffer.from(eicar), 'a.txt')).statusCode, 422)
    } finally {
      await other.close()
    }
    assert.deepEqual(await scannerOf(world), ['Operational', null])
  })

  const infected: [string, () => Buffer, string][] = [
    ['as it is', () => Buffer.from(eicar), 'virus.txt'],
    [
      'in a picture of a Word file',
      () => office('docx', { name: 'word/media/image1.png', content: eicar }),
      'virus.docx',
    ],
    [
      'in a table behind a chart',
      () =>
        office('pptx', {
          name: 'ppt/embeddings/a.xlsx',
          content: office('xlsx', { name: 'xl/b.bin', content: eicar }),
        }),
      'virus.pptx',
    ],
  ]
  for (const [where, make, name] of infected) {
    it(`a virus ${where} is a 422; nothing of it is stored, and the trail says who sent what`, async () => {
      const [stored, [count]] = [files(world).length, await world.rows('select count(*) from documents')]
      const reply = await upload(world, make(), name)
      assert.equal(reply.statusCode, 422, reply.body)
      const [{ loc, type, msg }] = reply.json().detail
      assert.deepEqual([loc, type], [['body', 'file'], 'virus_found'])
      assert.match(msg, /A virus was found in the file: Eicar-Test-Signature/)
      assert.deepEqual([files(world).length, await world.rows('select count(*) from documents')], [stored, [count]])
      const { items } = (await world.as('otto').get('/api/audit/?action=upload.refused&sort=id:desc')).json()
      const { user, outcome, changes, reason, resource_type } = items[0]
      assert.deepEqual([user.username, outcome, resource_type], ['alan', 'denied', 'upload'])
      assert.match(reason, /Eicar-Test-Signature/)
      assert.deepEqual(Object.keys(changes).sort(), ['file_name', 'file_size', 'sha256', 'virus'])
      assert.equal(changes.file_name.to, name)
      const line = world.lines.findLast(({ logger }) => logger === 'attest.uploads')
      assert.deepEqual([line?.level, line?.request_id], ['warning', reply.headers['x-request-id']])
    })
  }

  it('a file that the scanner does not take whole is a 503, and is not stored', async () => {
    const stored = files(world).length
    for (const megabytes of [4, 30]) {
      const reply = await upload(world, pdf('x'.repeat(megabytes * 1024 * 1024)), 'a.pdf')
      assert.equal(reply.statusCode, 503, reply.body)
      assert.match(reply.json().detail, /virus scanner/)
    }
    assert.equal(files(world).length, stored)
  })
})

describe('with a virus scanner that ends (proves: DOC-07)', () => {
  it('nothing is taken, the report says why, and what is stored can be read', async () => {
    const clamd = await openClamd()
    const world = await openWorld({ CLAMAV_URL: clamd.tcp })
    try {
      await giveSecondFactor(world, 'pat')
      const { id } = (await upload(world, pdf(), 'a.pdf')).json()
      const stored = files(world).length
      await clamd.close()
      const reply = await upload(world, pdf(), 'a.pdf')
      assert.deepEqual([reply.statusCode, reply.json().code], [503, 'virus_scanner_unavailable'])
      assert.equal(files(world).length, stored)
      assert.deepEqual(await scannerOf(world), [
        'Degraded',
        'The virus scanner does not answer, so no file can be uploaded',
      ])
      assert.equal((await world.as('alan').get(`/api/documents/${id}/download`)).statusCode, 200)
    } finally {
      await world.close()
    }
  })
})
