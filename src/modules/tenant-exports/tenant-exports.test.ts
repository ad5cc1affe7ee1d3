// The export of everything of a tenant: who may ask for it, what is in it, and when it is gone.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Json } from '#test/builders/documents.ts'
import { ok } from '#test/builders/documents.ts'
import { unzip } from '#test/builders/dossiers.ts'
import { addRecords, type Records } from '#test/builders/samples.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const url = '/api/tenant-exports/'
const reason = 'The contract ends'
let world: World
let records: Records
before(async () => {
  world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
  records = await addRecords(world)
})
after(() => world.close())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

describe('an export of everything (proves: EXIT-01)', () => {
  let id: number
  let files: Map<string, Buffer>
  before(async () => {
    const reply = await world.as('ada').post(url, { reason, password })
    assert.equal(reply.statusCode, 202, reply.body)
    id = reply.json().id
    await world.work()
    const made = ok(await world.as('ada').get(`${url}${id}`))
    assert.equal(made.status, 'ready', JSON.stringify(made))
    files = await unzip((await world.as('ada').get(`${url}${id}/download`)).rawPayload)
  })
  it('works', () => {
    console.log([...files].map(([name, b]) => `${name} ${b.length}`).join('\n'))
    console.log(files.get('manifest.json')!.toString().slice(0, 3000))
    console.log(files.get('records/documents.jsonl')!.toString().slice(0, 3000))
  })
})
