import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keepCompiled } from './compiled.ts'
import { inThread, ThreadFailed } from './thread.ts'

const most_memory_mb = 64
const worker = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`)

describe('a thread', () => {
  it('is not late for having had to wait: what counts is its own work', async () => {
    const waits = `import { parentPort } from 'node:worker_threads'
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
      parentPort.postMessage('made')`
    assert.equal(await inThread(worker(waits), null, { longest_ms: 1_000, most_memory_mb }), 'made')
  })

  it('is given nothing of the environment but where the program is kept compiled', async () => {
    const tells = `import { parentPort } from 'node:worker_threads'
      import { getCompileCacheDir } from 'node:module'
      parentPort.postMessage([Object.keys(process.env), getCompileCacheDir() !== undefined])`
    keepCompiled()
    const limits = { longest_ms: 5_000, most_memory_mb }
    assert.deepEqual(await inThread(worker(tells), null, limits), [['NODE_COMPILE_CACHE'], true])
  })

  it('that works without end is ended', async () => {
    await assert.rejects(
      inThread(worker('for (;;);'), null, { longest_ms: 200, most_memory_mb }),
      (error: Error) => error instanceof ThreadFailed && error.message === 'it took too long to read',
    )
  })
})
