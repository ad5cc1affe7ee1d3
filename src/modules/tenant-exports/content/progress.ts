import type { ExportStep } from '../schema.ts'

export interface Progress {
  step: ExportStep
  done: number
  total: number
}

/** How far an export is. `advance` throws where it is to stop. */
export interface Track {
  begin(step: ExportStep, total: number): void
  advance(by?: number): void
}

export function trackProgress(signal: AbortSignal): Track & { now(): Progress } {
  let progress: Progress = { step: 'records', done: 0, total: 0 }
  return {
    begin(step, total) {
      signal.throwIfAborted()
      progress = { step, done: 0, total }
    },
    advance(by = 1) {
      signal.throwIfAborted()
      progress.done += by
    },
    now: () => ({ ...progress }),
  }
}
