// A thread that makes one PDF and ends. Ahead of its work it makes a page as usual: fonts are read and the program is compiled by that, which
// takes longer than most PDFs.
import { parentPort, workerData } from 'node:worker_threads'
import type { Ahead } from '../thread.ts'
import type { PdfJob } from './job.ts'
import { makePdf } from './make.ts'

const usual: PdfJob = {
  source: {
    kind: 'sheets',
    blocks: [
      { kind: 'title', text: 'A page' },
      { kind: 'facts', facts: [['Name', 'Value']] },
    ],
  },
  stamp: { head: { left: 'Left', right: 'Right', below: 'Below' }, foot: { first: 'First', last: 'Last' } },
  info: { title: '', subject: '', author: '', created_at: new Date().toISOString() },
}
// What fails here fails the work as well, which says so.
if ((workerData as Ahead).isAhead) await makePdf(usual).catch(() => {})

/** An error of it is one of the thread. */
async function answer(job: PdfJob) {
  const { bytes, pages } = await makePdf(job)
  // Transferred without a copy.
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
  parentPort!.postMessage({ bytes: own, pages }, [own.buffer as ArrayBuffer])
}
parentPort!.once('message', (job: PdfJob) => void answer(job))
