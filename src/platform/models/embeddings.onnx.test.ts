import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { dimensions, writeTinyModel } from '#test/fakes/tiny-model.ts'
import { openEmbeddings } from './open-embeddings.ts'

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'attest-onnx-'))
  writeTinyModel(join(folder, 'acme', 'tiny'))
})
after(() => rmSync(folder, { recursive: true }))

const open = async (model: string, of_dimensions = dimensions) =>
  (await openEmbeddings({ embeddings: { provider: 'onnx', model, folder, dimensions: of_dimensions } }))!
const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, place) => sum + value * b[place]!, 0)

// proves: SRCH-01
it('a model on the disk makes vectors: alike are texts whose words it has near to each other', async () => {
  const embeddings = await open('acme/tiny')
  const [clean, rinse, gown] = await embeddings.embed(['clean the pump', 'rinse', 'gown and hood'], 'passage')
  assert.ok(cosine(clean!, rinse!) > cosine(clean!, gown!) + 0.2)
  assert.ok(Math.abs(cosine(gown!, gown!) - 1) < 1e-5)
  assert.deepEqual([embeddings.id, embeddings.state()], ['onnx:acme/tiny:16', { status: 'Operational' }])
})

it('one that is not what the configuration says makes none, and says why', async () => {
  const other = await open('acme/tiny', 32)
  await assert.rejects(other.embed(['clean'], 'query'), /do not have 32 dimensions/)
  assert.equal(other.state().status, 'Down')
  const none = await open('acme/none')
  await assert.rejects(none.embed(['clean'], 'query'), /cannot be loaded/)
  await assert.rejects(none.reach(AbortSignal.timeout(1000)), /not there/)
})
