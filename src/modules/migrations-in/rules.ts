import type { Actor } from '#action'
import { type AppError, conflict, forbidden } from '#kernel/errors.ts'
import { messages } from './messages.ts'

/** How days are written in text cells. Without a format of one's own only ISO 8601 is read: a guess would swap days and months. */
export const dateFormats = [
  ...(['YYYY-MM-DD', 'DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD-MM-YYYY', 'YYYY/MM/DD', 'YYYYMMDD'] as const),
] as const
export type DateFormat = (typeof dateFormats)[number]

/** The largest manifest: its rows are read within one request. */
export const maxManifestBytes = 25 * 1024 * 1024

/** In these states nothing of a batch is a record yet. The same as `is_open_migration_batch` of the database. */
export const openStatuses: readonly string[] = ['staging', 'checking', 'checked', 'rehearsing', 'rehearsed']
/** In these its load or its comparison may have stopped before its end. */
const unfinishedStatuses: readonly string[] = ['accepted', 'loading', 'failed', 'reconciling', 'loaded']

export interface BatchState {
  id: number
  number: string
  status: string
  started_by: { id: number }
  /** A job of the batch is queued or running. */
  is_running: boolean
  rows: number
  /** As the last check or rehearsal counted. */
  counts: { error: number } | null
  samples: { differ: number }
}

type Named = Pick<BatchState, 'number'>

export function refuseUnlessIdle({ number, is_running }: Named & Pick<BatchState, 'is_running'>) {
  if (is_running) throw conflict(messages.migration_job_running({ number }))
}

export function refuseUnlessOpen({ number, status }: Named & Pick<BatchState, 'status'>) {
  if (!openStatuses.includes(status)) throw conflict(messages.migration_not_open({ number, status }))
}

export function refuseUnlessStaged({ number, rows }: Named & Pick<BatchState, 'rows'>) {
  if (rows === 0) throw conflict(messages.migration_without_rows({ number }))
}

export function refuseUnlessChecked({ number, status }: Named & Pick<BatchState, 'status'>) {
  if (!['checked', 'rehearsing', 'rehearsed'].includes(status))
    throw conflict(messages.migration_not_checked({ number }))
}

export function refuseErrors({ number, counts }: Named & Pick<BatchState, 'counts'>) {
  const errors = counts?.error ?? 0
  if (errors > 0) throw conflict(messages.migration_has_errors({ number, errors }))
}

export function refuseUnlessRehearsed({ number, status }: Named & Pick<BatchState, 'status'>) {
  if (openStatuses.includes(status) && status !== 'rehearsed')
    throw conflict(messages.migration_not_rehearsed({ number }))
}

/** Who prepares a batch does not judge it. */
export const ownBatchRefusal = (
  { userId }: Pick<Actor, 'userId'>,
  { id, number, started_by }: Pick<BatchState, 'id' | 'number' | 'started_by'>,
): AppError | undefined =>
  started_by.id === userId ? forbidden(messages.migration_own({ number }), { id, number }) : undefined

export function refuseDifferingSamples({ number, samples }: Named & Pick<BatchState, 'samples'>) {
  if (samples.differ > 0) throw conflict(messages.migration_samples_differ({ number, samples: samples.differ }))
}

export function refuseUnlessUnfinished({ number, status }: Named & Pick<BatchState, 'status'>) {
  if (!unfinishedStatuses.includes(status)) throw conflict(messages.migration_nothing_to_continue({ number, status }))
}

export function refuseUnlessLoaded({ number, status }: Named & Pick<BatchState, 'status'>) {
  if (status === 'released') throw conflict(messages.migration_released_already({ number }))
  if (status !== 'loaded') throw conflict(messages.migration_not_loaded({ number, status }))
}

/** ISO 2859-1, table 1: the code letter of general inspection level II, by the largest lot that it is for. */
const letters: readonly (readonly [most: number, code: string])[] = [
  [8, 'A'],
  [15, 'B'],
  [25, 'C'],
  [50, 'D'],
  [90, 'E'],
  [150, 'F'],
  [280, 'G'],
  [500, 'H'],
  [1200, 'J'],
  [3200, 'K'],
  [10_000, 'L'],
  [35_000, 'M'],
  [150_000, 'N'],
  [500_000, 'P'],
  [Number.POSITIVE_INFINITY, 'Q'],
]
/** Table 2-A: the sizes of single samples for normal inspection. */
const sizes: Record<string, number> = {
  ...{ A: 2, B: 3, C: 5, D: 8, E: 13, F: 20, G: 32, H: 50, J: 80, K: 125, L: 200, M: 315, N: 500, P: 800, Q: 1250 },
}

/** How many of so many rows are compared with their source. A lot that is smaller than its sample is compared as a whole. */
export function sampleOf(rows: number): { code: string; size: number } {
  const [, code] = letters.find(([most]) => rows <= most)!
  return { code, size: Math.min(rows, sizes[code]!) }
}
