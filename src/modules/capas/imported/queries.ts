import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { ActionFields } from '../plan.ts'
import type { CapaFields } from '../queries.ts'
import type { CapaState } from '../rules.ts'

export interface ImportedValues extends CapaFields {
  number: string
  legacy_number: string | null
  status: CapaState
  due_date: string
  notice_on: string | null
  migration_batch_id: number
  /** Days, in the time zone of the tenant. */
  opened_on: string
  closed_on: string | null
}

export function insertImportedCapa(tx: Tx, { closed_on, ...values }: ImportedValues, time_zone: string) {
  return tx
    .insertInto('capas')
    .values({
      ...values,
      original_due_date: values.due_date,
      closed_at: closed_on === null ? null : sql<string>`${closed_on}::timestamp at time zone ${time_zone}`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}

export interface ImportedActionValues extends ActionFields {
  capa_id: number
  position: number
  notice_on: string | null
  migration_batch_id: number
  /** Days, in the time zone of the tenant. */
  completed_on: string | null
  completed_by_name: string | null
  approved_on: string | null
  approved_by_name: string | null
}

export function insertImportedAction(
  tx: Tx,
  { completed_on, approved_on, ...values }: ImportedActionValues,
  time_zone: string,
) {
  const beginOf = (day: string | null) =>
    day === null ? null : sql<string>`${day}::timestamp at time zone ${time_zone}`
  return tx
    .insertInto('capa_actions')
    .values({ ...values, completed_at: beginOf(completed_on), approved_at: beginOf(approved_on) })
    .returning('id')
    .executeTakeFirstOrThrow()
}
