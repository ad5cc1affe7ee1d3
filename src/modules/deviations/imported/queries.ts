import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Severity, State } from '../rules.ts'

export interface ImportedValues {
  number: string
  legacy_number: string | null
  title: string
  description: string
  severity: Severity
  status: State
  category: string | null
  department: string | null
  reported_by: number
  assigned_to: number | null
  investigation: string | null
  due_date: string
  due_notice_on: string | null
  migration_batch_id: number
  /** Days, in the time zone of the tenant. */
  occurred_on: string | null
  detected_on: string
  reported_on: string
  closed_on: string | null
}

export function insertImportedDeviation(
  tx: Tx,
  { occurred_on, detected_on, reported_on, closed_on, ...values }: ImportedValues,
  time_zone: string,
) {
  const beginOf = (day: string) => sql<string>`${day}::timestamp at time zone ${time_zone}`
  return tx
    .insertInto('deviations')
    .values({
      ...values,
      original_due_date: values.due_date,
      occurred_at: occurred_on === null ? null : beginOf(occurred_on),
      detected_at: beginOf(detected_on),
      reported_at: beginOf(reported_on),
      closed_at: closed_on === null ? null : beginOf(closed_on),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
}
