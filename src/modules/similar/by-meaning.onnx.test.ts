import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { cases } from '#test/builders/cases.ts'
import { dimensions, writeTinyModel } from '#test/fakes/tiny-model.ts'
import { openWorld } from '#test/world/world.ts'

// proves: DEV-03
it('similar deviations are found by the meaning that an installed model knows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-meaning-'))
  writeTinyModel(join(folder, 'acme', 'tiny'))
  const world = await openWorld({
    ...{ EMBEDDINGS_PROVIDER: 'onnx', EMBEDDINGS_FOLDER: folder, EMBEDDINGS_MODEL: 'acme/tiny' },
    EMBEDDINGS_DIMENSIONS: String(dimensions),
  })
  try {
    const { deviation } = cases(world)
    const motor = await deviation({ title: 'motor', description: 'motor motor' })
    await deviation({ title: 'hood', description: 'gown hood' })
    await world.work()
    const reply = (await world.as('petra').get('/api/deviations/similar?q=pump')).json()
    assert.equal(reply.method, 'hybrid')
    assert.deepEqual([reply.items[0]?.id, reply.items[0]?.matched], [motor.id, ['semantic']])
  } finally {
    await world.close()
    rmSync(folder, { recursive: true })
  }
})
