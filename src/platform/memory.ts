import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void

const usual = { look_ms: 60_000, idle_share: 0.02, work_ms: 5_000 }

/**
 * Gives memory back to the operating system while nobody is at work: V8 keeps what a start or a busy hour needed, for as long as the process
 * lives, unless it is told that memory is short. That stops the process for a tenth of a second or two. So it is done where less than
 * `idle_share` of a processor was used for `look_ms`, and only after `work_ms` of processor time since the last time.
 */
export function giveBackWhenIdle({ look_ms, idle_share, work_ms } = usual): void {
  const collect = openCollector()
  let looked = process.cpuUsage()
  let work_since_ms = Number.POSITIVE_INFINITY
  setInterval(() => {
    const { user, system } = process.cpuUsage(looked)
    looked = process.cpuUsage()
    const used_ms = (user + system) / 1000
    work_since_ms += used_ms
    if (used_ms > look_ms * idle_share || work_since_ms < work_ms) return
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    looked = process.cpuUsage()
    work_since_ms = 0
  }, look_ms).unref()
}

/**
 * Lets V8 collect while the process waits without throwing compiled code away. Some seconds with little work are enough for it to do both:
 * with the shapes of objects that nobody holds goes the code that was compiled for them, and the next requests have it compiled again.
 * `giveBackWhenIdle` still throws it away.
 */
export const keepCode = (): void => setFlagsFromString('--no-memory-reducer-favors-memory')

/** `gc` of V8, which is not there without a flag; only a context that is made while the flag is set has it. */
function openCollector(): Collect {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as Collect
  setFlagsFromString('--no-expose-gc')
  return collect
}
