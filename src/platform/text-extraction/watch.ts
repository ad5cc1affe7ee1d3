import { workerData } from 'node:worker_threads'
import { limits } from './limits.ts'

// In a thread of its own, because reading may hold the other one up without end: ends the process once nobody is there any more who
// would, and where only it can tell what it takes.
const look_every_ms = 250

setInterval(() => {
  const isAlone = process.ppid !== workerData.parent
  if (isAlone || process.memoryUsage.rss() > limits.most_memory_mb * 1024 * 1024) process.kill(process.pid, 'SIGKILL')
}, look_every_ms)
