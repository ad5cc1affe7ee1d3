import { workerData } from 'node:worker_threads'
import { limits, too_large } from './limits.ts'

// A watchdog in a thread of its own, because reading may block the main one. It ends the process when the service is gone, and when the
// process takes too much memory on machines where only it can tell.
const lookEveryMs = 250

setInterval(() => {
  if (process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL')
  if (process.memoryUsage.rss() > limits.most_memory_mb * 1024 * 1024) process.kill(process.pid, too_large)
}, lookEveryMs)
