import { open } from 'node:fs/promises'
import type { Ending } from '../files/media-type.ts'
import { openGate } from '../gate.ts'
import { because, collect, collectRows } from './collect.ts'
import type { Extraction, SheetOfCells } from './extraction.ts'
import { findOcr, isPicture, type Ocr } from './ocr.ts'
import { readBlankPages, readPicture } from './pictures.ts'
import { type Means, readInProcess } from './process.ts'
import { readers } from './readers.ts'
import { sentences } from './writer.ts'

export type { Block, Cell, Extraction, SheetOfCells } from './extraction.ts'

/** Increased whenever texts would be extracted differently. */
export const extractor_version = 1

export interface TextExtractor {
  /** Throws only for a fault of the machine, never for one of the file. A few files are read at a time, and others wait. */
  extract(file: { path: string; ending: Ending }, signal?: AbortSignal): Promise<Extraction>
  canRead(ending: Ending): boolean
  /** The rows of a workbook, or the reason why they cannot be read; of a part of them nothing is known. */
  readRows(path: string, signal?: AbortSignal): Promise<{ sheets: SheetOfCells[] } | { failed: string }>
}

const notRead: Extraction = { status: 'no_text', reason: sentences.notRead, pages: null, by_ocr: false, blocks: [] }

/** Each takes a core and up to the memory of `limits`. */
const at_once = 2

export function openTextExtractor({ ocr = findOcr(), ...means }: { ocr?: Ocr | null } & Means = {}): TextExtractor {
  const turn = openGate({ at_once, waiting: Number.POSITIVE_INFINITY })

  async function extract(path: string, ending: Ending, signal?: AbortSignal): Promise<Extraction> {
    const collected = collect()
    const file = await open(path, 'r')
    try {
      const ended = await readInProcess(file, ending, collected.emit, { ...means, signal })
      return await readBlankPages(ocr, path, collected.blank, collected.extraction(ended), signal)
    } finally {
      await file.close()
    }
  }

  async function readRows(path: string, signal?: AbortSignal) {
    const collected = collectRows()
    const file = await open(path, 'r')
    try {
      const ended = await readInProcess(file, 'xlsx-rows', collected.emit, { ...means, signal })
      const failed = ended === 'by itself' ? collected.failed() : because[ended]
      return failed === null ? { sheets: collected.sheets } : { failed }
    } finally {
      await file.close()
    }
  }

  return {
    readRows: (path, signal) => turn(0, () => readRows(path, signal)),
    canRead: ending => ending in readers || (isPicture(ending) && ocr !== null),
    extract: ({ path, ending }, signal) =>
      // The queue of files decides whose file is next.
      turn(0, async () => {
        signal?.throwIfAborted()
        if (isPicture(ending)) return readPicture(ocr, path, signal)
        return ending in readers ? extract(path, ending, signal) : notRead
      }),
  }
}
