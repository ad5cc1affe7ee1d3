// A thread that makes one PDF and ends.
import { parentPort, workerData } from 'node:worker_threads'
import type { PdfJob } from './job.ts'
import { makePdf } from './make.ts'

const { bytes, pages } = await makePdf(workerData as PdfJob)
// Transferred without a copy.
const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
parentPort!.postMessage({ bytes: own, pages }, [own.buffer as ArrayBuffer])
