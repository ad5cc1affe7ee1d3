import type { Ending } from '../files/media-type.ts'
import type { Writer } from './writer.ts'

/** Reads a file that is open in this process. */
export type Reader = (file: number, writer: Writer) => Promise<void>

/** Each in a file of its own, so that reading a table does not load what reads a PDF. */
export const readers: Partial<Record<Ending, () => Promise<Reader>>> = {
  txt: async () => (await import('./formats/plain.ts')).readPlain,
  csv: async () => (await import('./formats/plain.ts')).readRows,
  md: async () => (await import('./formats/plain.ts')).readPlain,
}
