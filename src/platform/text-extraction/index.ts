import { open } from 'node:fs/promises'
import type { Ending } from '../files/media-type.ts'
import { openGate } from '../gate.ts'
import { collect } from './collect.ts'
import type { Extraction } from './extraction.ts'
import { readInProcess } from './process.ts'
import { readers } from './readers.ts'
import { sentences } from './writer.ts'

export type { Block, Extraction } from './extraction.ts'

/** Grows with what would be read otherwise than before. */
export const extractor_version = 1

export interface TextWorks {
  /** Never throws for what the file is; throws for what the machine is. Some at a time are read, others wait for their turn. */
  extract(file: { path: string; ending: Ending }, signal?: AbortSignal): Promise<Extraction>
  canRead(ending: Ending): boolean
}

const notRead: Extraction = { status: 'no_text', reason: sentences.notRead, pages: null, by_ocr: false, blocks: [] }

/** Each takes a core, and up to the memory of `limits`. */
const at_once = 2

export function openTextWorks(): TextWorks {
  const turn = openGate({ at_once, waiting: Number.POSITIVE_INFINITY, detail: 'never: everybody may wait' })

  async function extract({ path, ending }: { path: string; ending: Ending }, signal?: AbortSignal) {
    const collected = collect()
    const file = await open(path, 'r')
    try {
      const ended = await readInProcess(file, ending, collected.tell, signal)
      return collected.extraction(ended)
    } finally {
      await file.close()
    }
  }

  const canRead = (ending: Ending) => ending in readers
  return {
    canRead,
    extract: (file, signal) =>
      turn(async () => {
        signal?.throwIfAborted()
        return canRead(file.ending) ? extract(file, signal) : notRead
      }),
  }
}
