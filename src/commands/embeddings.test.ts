import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { writeTinyModel } from '#test/fakes/tiny-model.ts'
import { embeddingsInstall } from './embeddings.ts'

let folder: string
const env = () => ({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test', DATA_DIR: join(folder, 'data') })
const install = (...args: string[]) => embeddingsInstall.run(args, env())
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'attest-install-'))
})
after(() => rmSync(folder, { recursive: true }))

// proves: SRCH-01
it('a model that lacks a file, or is not that of its checksums, is not installed, and why is said', async () => {
  const place = join(folder, 'tiny')
  await assert.rejects(install('--from', place), /There is no folder/)
  writeTinyModel(place)
  await assert.rejects(install('--from', place, '--name', '../tiny'), /is named in letters/)
  await assert.rejects(install(), /--from is needed/)
  writeFileSync(join(place, 'SHA256SUMS'), `${'0'.repeat(64)}  onnx/model.onnx\n`)
  await assert.rejects(install('--from', place), /onnx\/model\.onnx is not the file of the checksums/)
  writeFileSync(join(place, 'SHA256SUMS'), `${'0'.repeat(64)}  ../../etc/passwd\n`)
  await assert.rejects(install('--from', place), /SHA256SUMS is not the file/)
  rmSync(join(place, 'tokenizer.json'))
  await assert.rejects(install('--from', place), /has no tokenizer\.json/)
  assert.ok(!existsSync(join(folder, 'data', 'models', 'installed.json')))
})
