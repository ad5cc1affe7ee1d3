import { workerData } from 'node:worker_threads'
import { limits, too_large } from './limits.ts'

// In a thread of its own, because reading may hold the other one up without end: ends the process once nobody is there any more who
// would, and where only it can tell what it takes.
const look_every_ms = 250

setInterval(() => {
  if (process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL')
  if (process.memoryUsage.rss() > limits.most_memory_mb * 1024 * 1024) process.kill(process.pid, too_large)
}, look_every_ms)
