import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { openSpareTime } from './spare-time.ts'

const never = new AbortController().signal
const timeOf = async (work: () => Promise<void>) => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
const block = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end; );
}

// proves: SRCH-01
describe('work that nobody waits for', () => {
  it('begins at once where the process was idle', async () => {
    const spareTime = openSpareTime()
    await setTimeout(300)
    assert.ok((await timeOf(() => spareTime(never))) < 90)
  })

  it('waits while requests keep the process busy, and not for ever', async () => {
    const spareTime = openSpareTime()
    let isBusy = true
    const busy = (async () => {
      while (isBusy) {
        block(20)
        await setImmediate()
      }
    })()
    await setTimeout(100)
    const waited = await timeOf(() => spareTime(never))
    isBusy = false
    await busy
    assert.ok(waited >= 1_900, `${waited} ms`)
  })

  it('begins again when they are answered', async () => {
    const spareTime = openSpareTime()
    block(300)
    const waited = await timeOf(() => spareTime(never))
    assert.ok(waited >= 90 && waited < 1_900, `${waited} ms`)
  })

  it('does not keep a process that stops', async () => {
    const spareTime = openSpareTime()
    block(100)
    assert.ok((await timeOf(() => spareTime(AbortSignal.abort()))) < 90)
  })
})
