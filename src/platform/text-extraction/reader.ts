import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Ending } from '../files/media-type.ts'
import type { Told } from './extraction.ts'
import { readers } from './readers.ts'
import { Enough, openWriter, reasons, Unreadable } from './writer.ts'

// The process that reads one file: what it may touch is the file (descriptor 3) and what it tells (descriptor 1).
const [ending = '', parent = ''] = process.argv.slice(2)
const file = 3

new Worker(new URL('./watch.ts', import.meta.url), { workerData: { parent: Number(parent) } }).unref()

function tell(told: Told) {
  const line = Buffer.from(`${JSON.stringify(told)}\n`)
  for (let written = 0; written < line.length; ) written += writeSync(1, line, written)
}

const read = await readers[ending as Ending]!()
tell({ ready: true })
let failed: string | null = null
try {
  const writer = openWriter(tell)
  await read(file, writer)
  writer.end()
} catch (error) {
  if (error instanceof Unreadable) failed = error.message
  else if (!(error instanceof Enough)) failed = reasons.damaged
}
tell({ end: { failed } })
// Whatever a library still waits for.
process.exit()
