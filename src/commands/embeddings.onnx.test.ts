import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { readConfig } from '#platform/config.ts'
import { openEmbeddings } from '#platform/models/open-embeddings.ts'
import { dimensions, writeTinyModel } from '#test/fakes/tiny-model.ts'
import { embeddingsInstall } from './embeddings.ts'

let folder: string
const env = (more: object = {}) => ({
  SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test',
  DATA_DIR: join(folder, 'data'),
  ...more,
})
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'attest-install-'))
  writeTinyModel(join(folder, 'tiny'))
})
after(() => rmSync(folder, { recursive: true }))

// proves: SRCH-01
it('a model from a folder is installed with its checksums by one command, and used without a variable', async () => {
  assert.equal(readConfig(env()).embeddings, undefined)
  assert.equal(await embeddingsInstall.run(['--from', join(folder, 'tiny'), '--name', 'acme/tiny'], env()), 0)
  const place = join(folder, 'data', 'models', 'acme', 'tiny')
  assert.match(readFileSync(join(place, 'SHA256SUMS'), 'utf8'), /^[0-9a-f]{64} {2}config\.json\n/)

  const config = readConfig(env())
  const models = join(folder, 'data', 'models')
  assert.deepEqual(config.embeddings, { provider: 'onnx', model: 'acme/tiny', folder: models, dimensions })
  assert.equal(readConfig(env({ EMBEDDINGS_PROVIDER: 'none' })).embeddings, undefined)

  const embeddings = (await openEmbeddings(config))!
  const [cold, chilly, gown] = await embeddings.embed(['cold', 'chilly', 'gown'], 'passage')
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  assert.ok(cosine(cold!, chilly!) > cosine(cold!, gown!) + 0.2)

  // Installed again over itself, it is still the one that is used.
  assert.equal(await embeddingsInstall.run(['--from', place, '--name', 'acme/tiny'], env()), 0)
  appendFileSync(join(place, 'config.json'), ' ')
  const changed = (await openEmbeddings(config))!
  await assert.rejects(changed.embed(['cold'], 'query'), /not those that were installed/)
})

it('a model that makes no vectors is not installed, and the one before stays', async () => {
  const broken = join(folder, 'broken')
  writeTinyModel(broken)
  writeFileSync(join(broken, 'onnx', 'model.onnx'), 'no model')
  await assert.rejects(
    embeddingsInstall.run(['--from', broken], env()),
    /was not installed: The model cannot be loaded/,
  )
  assert.deepEqual(readConfig(env()).embeddings, {
    ...{ provider: 'onnx', model: 'acme/tiny', dimensions },
    folder: join(folder, 'data', 'models'),
  })
})
