import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { ReaderOutput } from './extraction.ts'
import { type Readable, readers } from './readers.ts'
import { Enough, openWriter, reasons, Unreadable } from './writer.ts'

// A process that reads one file (descriptor 3) and writes its findings (descriptor 1).
const [ending = '', parent = '', maxPdfPages = ''] = process.argv.slice(2)
const file = 3

new Worker(new URL('./watch.ts', import.meta.url), { workerData: { parent: Number(parent) } }).unref()

function emit(output: ReaderOutput) {
  const line = Buffer.from(`${JSON.stringify(output)}\n`)
  for (let written = 0; written < line.length; ) written += write(line, written)
}

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Writes a part if the pipe is full because the service is busy. */
function write(line: Buffer, from: number): number {
  try {
    return writeSync(1, line, from)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
    Atomics.wait(pause, 0, 0, 1)
    return 0
  }
}

const read = await readers[ending as Readable]!()
emit({ ready: true })
/** The reason why the file cannot be read, or not to its end. */
async function reasonOf(work: () => void | Promise<void>): Promise<string | null> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Unreadable) return error.message
    if (!(error instanceof Enough)) return reasons.damaged
  }
  return null
}

const writer = openWriter(emit)
const failed = await reasonOf(() => read(file, writer, { maxPdfPages: Number(maxPdfPages) }))
// Writes the last block, also after a failure.
await reasonOf(() => writer.end())
emit({ end: { failed } })
// Ends although a library may still wait for something.
process.exit()
