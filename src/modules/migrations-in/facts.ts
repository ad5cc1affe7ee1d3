import { dayIn } from '#kernel/day.ts'
import type { Tx } from '#platform/db/database.ts'
import { type BatchRow, findFilesByPath, findRowsByKey } from './queries.ts'
import { type AnySheet, type BatchFacts, type SheetName, type StagedFile, type StagedRow, sheetNames } from './sheet.ts'
import { sheets } from './sheets/index.ts'

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The sheets that the batch has rows for, each after those that it needs. */
export function sheetsOf({ sheets: staged }: Pick<BatchRow, 'sheets'>): AnySheet[] {
  const there = sheetNames.flatMap(name => (staged[name] && sheets[name] ? [sheets[name]] : []))
  const ordered: AnySheet[] = []
  const add = (sheet: AnySheet) => {
    if (ordered.includes(sheet)) return
    for (const name of sheet.needs) {
      const needed = there.find(each => each.name === name)
      if (needed) add(needed)
    }
    ordered.push(sheet)
  }
  for (const sheet of there) add(sheet)
  return ordered
}

/** Look-ups of a batch for its sheets, within a step. */
export function factsOf(tx: Tx, batch: BatchRow, { now, time_zone }: { now: Date; time_zone: string }): BatchFacts {
  const { id, number, source_system: source, settings, started_by } = batch
  const { keep_numbers, training_counts, closed_cases } = settings
  return {
    ...{ id, number, source, keep_numbers, training_counts, closed_cases, time_zone, now },
    started_by: started_by.id,
    today: dayIn(time_zone, now),
    sheets: sheetsOf(batch).map(({ name }) => name),
    async find(sheet: SheetName, keys: readonly string[]) {
      const found = new Map<string, StagedRow>()
      if (keys.length === 0) return found
      for (const row of await findRowsByKey(tx, id, sheet, keys)) if (!found.has(row.key)) found.set(row.key, row)
      return found
    },
    async files(paths: readonly string[]) {
      const found = new Map<string, StagedFile>()
      if (paths.length === 0) return found
      for (const { row_id: _, ...file } of await findFilesByPath(tx, id, paths))
        found.set(file.path, { ...file, name: nameOf(file.path) })
      return found
    },
  }
}
