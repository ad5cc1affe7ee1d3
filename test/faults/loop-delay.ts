// Runs in the service's process before anything else (`node --import`): writes, once in so many milliseconds, how late its event loop
// is and what its memory holds after a collection. `LOOP_DELAY_FILE` says where to.
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const every_ms = 10_000
const file = process.env.LOOP_DELAY_FILE
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()
setInterval(() => {
  const [p99_ms, max_ms] = [delay.percentile(99) / 1e6, delay.max / 1e6]
  collect()
  const { heapUsed, external } = process.memoryUsage()
  delay.reset()
  if (file)
    appendFileSync(file, `${JSON.stringify({ p99_ms, max_ms, live_mib: (heapUsed + external) / 1024 / 1024 })}\n`)
}, every_ms).unref()
