import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keepCompiled } from './compiled.ts'
import { inThread, openThreads, ThreadFailed } from './thread.ts'

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

  describe('that stands ready', () => {
    const tells = worker(`import { parentPort, threadId, workerData } from 'node:worker_threads'
      parentPort.once('message', given => parentPort.postMessage({ given, threadId, ...workerData }))`)
    interface Told {
      given: number
      threadId: number
      isAhead: boolean
    }
    const limits = { longest_ms: 5_000, most_memory_mb }
    const works = async ({ inThread }: ReturnType<typeof openThreads>, amount: number) => {
      const told: Told[] = []
      for (let n = 0; n < amount; n++) told.push(await inThread<Told>(n))
      return told
    }

    it('is there after the first work, and does one work alone', async () => {
      const threads = openThreads(tells, limits)
      const told = await works(threads, 4)
      assert.deepEqual(
        told.map(({ given, isAhead }) => [given, isAhead]),
        [
          [0, false],
          [1, true],
          [2, true],
          [3, true],
        ],
      )
      assert.equal(new Set(told.map(({ threadId }) => threadId)).size, 4)
      await threads.close()
    })

    it('is for one of several works at a time', async () => {
      const threads = openThreads(tells, limits)
      await works(threads, 1)
      const told = await Promise.all([threads.inThread<Told>(1), threads.inThread<Told>(2)])
      assert.deepEqual(
        told.map(({ given, isAhead }) => [given, isAhead]),
        [
          [1, true],
          [2, false],
        ],
      )
      await threads.close()
    })

    it('ends when it was not needed for ten minutes, and when all is closed', async t => {
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const rare = openThreads(tells, limits)
      await works(rare, 1)
      t.mock.timers.tick(600_000)
      assert.equal((await works(rare, 1))[0]!.isAhead, false)
      await rare.close()
      const closed = openThreads(tells, limits)
      await works(closed, 1)
      await closed.close()
      assert.deepEqual(
        (await works(closed, 2)).map(({ isAhead }) => isAhead),
        [false, false],
      )
    })
  })

  it('that works without end is ended', async () => {
    await assert.rejects(
      inThread(worker('for (;;);'), null, { longest_ms: 200, most_memory_mb }),
      (error: Error) => error instanceof ThreadFailed && error.message === 'it took too long to read',
    )
  })
})
