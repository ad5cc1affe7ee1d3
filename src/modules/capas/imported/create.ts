// CAPAs that a migration imports: open ones in their state, closed ones as closed before the migration. Effectiveness reviews are
// planned anew.
import type { ActionContext } from '#action'
import { readSettings } from '#modules/accounts'
import { addHistory, caseReasons } from '#modules/casework'
import { moveSeriesBehind, seriesOf, takeNumber } from '#platform/db/numbers.ts'
import { noticeOf } from '../rules.ts'
import { loadCapa, recorded } from '../view.ts'
import { type ImportedValues, insertImportedCapa } from './queries.ts'

/** The states that a CAPA can be imported in. */
export const importedCapaStates = ['open', 'in_progress', 'pending_effectiveness', 'closed', 'cancelled'] as const

interface ImportedCapa extends Omit<ImportedValues, 'number' | 'notice_on'> {
  /** The number of before, which it keeps; null for a new one. */
  number: string | null
  closed_by_name: string | null
  from: { batch: string; source: string }
}

export async function addImportedCapa(
  context: ActionContext<unknown>,
  { number: kept, closed_by_name, from, ...values }: ImportedCapa,
  { today, time_zone }: { today: string; time_zone: string },
): Promise<{ id: number; number: string }> {
  const { tx, record } = context
  const { number_patterns } = await readSettings(tx)
  const number = kept ?? (await takeNumber(tx, seriesOf({ number_pattern: number_patterns.capa }, { today })))
  if (kept !== null) await moveSeriesBehind(tx, kept)
  const { status, due_date, legacy_number, opened_on, closed_on } = values
  // A day that is over notifies nobody: the list of overdue CAPAs shows it.
  const notice_on = [noticeOf(due_date), due_date].find(day => day > today) ?? null
  const { id } = await insertImportedCapa(tx, { ...values, number, notice_on }, time_zone)
  await addHistory(
    tx,
    { kind: 'capa', id, number },
    {
      ...{ transition: 'migrated', from_status: null, to_status: status },
      reason: caseReasons.reason_case_migrated({ ...from, closed_on, closed_by: closed_by_name }).text,
    },
  )
  const work = await loadCapa(context, id)
  record('capa.migrated', id, {
    number,
    after: {
      ...{ ...recorded(work), status, revision: work.row.revision, legacy_number, opened_on },
      ...{ closed_at: work.row.closed_at, closed_by_name, ...from },
    },
  })
  return { id, number }
}
