// Deviations that a migration imports: open ones in their state, closed ones as closed before the migration.
import type { ActionContext } from '#action'
import { addHistory, caseReasons } from '#modules/casework'
import { moveCounterBehind, positionIn, takeNumber } from '#platform/db/numbers.ts'
import { type ImportedValues, insertImportedDeviation } from './queries.ts'
import { noticeOf } from '../rules.ts'
import { recorded, requireDeviation } from '../view.ts'

/** The states that a deviation can be imported in. */
export const importedDeviationStates = [
  'open',
  'under_investigation',
  'pending_approval',
  'closed',
  'cancelled',
] as const

interface ImportedDeviation extends Omit<ImportedValues, 'number' | 'due_notice_on'> {
  /** The number of before, which it keeps; null for a new one. */
  number: string | null
  closed_by_name: string | null
  from: { batch: string; source: string }
}

export async function addImportedDeviation(
  context: ActionContext<unknown>,
  { number: kept, closed_by_name, from, ...values }: ImportedDeviation,
  { today, time_zone }: { today: string; time_zone: string },
): Promise<{ id: number; number: string }> {
  const { tx, record } = context
  const year = kept?.match(/^DEV-(\d{4})-/)?.[1] ?? today.slice(0, 4)
  const [series, prefix] = [`deviation:${year}`, `DEV-${year}`]
  const number = kept ?? (await takeNumber(tx, series, prefix))
  const position = kept === null ? undefined : positionIn(kept, prefix)
  if (position !== undefined) await moveCounterBehind(tx, series, position)
  const { status, due_date } = values
  // A day that is over notifies nobody: the list of overdue deviations shows it.
  const due_notice_on = [noticeOf(due_date), due_date].find(day => day > today) ?? null
  const { id } = await insertImportedDeviation(tx, { ...values, number, due_notice_on }, time_zone)
  await addHistory(
    tx,
    { kind: 'deviation', id, number },
    {
      ...{ transition: 'migrated', from_status: null, to_status: status },
      reason: caseReasons.reason_case_migrated({ ...from, closed_on: values.closed_on, closed_by: closed_by_name })
        .text,
    },
  )
  const row = await requireDeviation(context, id)
  record('deviation.migrated', id, {
    number,
    after: {
      ...{ ...recorded(row), status, reported_by: row.reported_by.username, legacy_number: values.legacy_number },
      ...{ closed_at: row.closed_at, closed_by_name, ...from },
    },
  })
  return { id, number }
}
