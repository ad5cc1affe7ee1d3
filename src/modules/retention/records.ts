import { readSettings } from '#modules/accounts'
import { lockCase } from '#modules/casework'
import { lockDocument } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import type { RetentionRule, ToDispose } from './queries.ts'

/** The retention periods of deviations and CAPAs are settings of the company. */
export async function retentionRule(tx: Tx): Promise<RetentionRule> {
  const { time_zone, retention_years } = await readSettings(tx)
  return { zone: time_zone, years: retention_years }
}

/** Locks the record that a disposal lists, as every command about it does. */
export async function lockRecordOf(tx: Tx, { document_id, deviation_id, capa_id }: ToDispose) {
  if (document_id !== null) await lockDocument(tx, document_id)
  else if (deviation_id !== null) await lockCase(tx, 'deviation', deviation_id)
  else await lockCase(tx, 'capa', capa_id!)
}
