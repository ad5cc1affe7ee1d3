// Actions of CAPAs that a migration imports, with who did them as the source has it.
import type { ActionContext } from '#action'
import { isActionOver, isOver, noticeOf } from '../rules.ts'
import { loadCapa, recorded } from '../view.ts'
import { type ImportedActionValues, insertImportedAction } from './queries.ts'

interface ImportedAction extends Omit<ImportedActionValues, 'notice_on'> {
  from: { batch: string; source: string }
}

/** Of a CAPA that the same batch imported: it need not be open any more. */
export async function addImportedAction(
  context: ActionContext<unknown>,
  { from, ...values }: ImportedAction,
  { today, time_zone }: { today: string; time_zone: string },
): Promise<{ id: number }> {
  const { tx, record } = context
  const before = await loadCapa(context, values.capa_id)
  // A day that is over notifies nobody: the list of overdue actions shows it.
  const isDue = !isOver(before.row.status) && !isActionOver(values.status)
  const notice_on = isDue ? ([noticeOf(values.due_date), values.due_date].find(day => day > today) ?? null) : null
  const { id } = await insertImportedAction(tx, { ...values, notice_on }, time_zone)
  const after = await loadCapa(context, values.capa_id)
  record('capa.action_migrated', values.capa_id, {
    number: after.row.number,
    before: { actions: recorded(before).actions },
    after: { actions: recorded(after).actions, ...from },
  })
  return { id }
}
