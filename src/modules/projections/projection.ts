import type { Recorded } from '#action'
import type { Tx } from '#platform/db/database.ts'

/** The records that a transaction changed. The audit guard refuses a changed row whose record no event names, so none is missing. */
export interface ChangedRecords {
  /** The ids of the changed records of a type, such as `document`: what stands before the dot of an event's name. */
  idsOf(resource: string): number[]
  recorded: readonly Recorded[]
}

/** Rows that are derived from records: search indexes, counts, marks. They can be made again from the records at any time. */
export interface Projection {
  /** Its name at the command line and in the report of a check. */
  name: string
  /** Brings the rows of these records up to date, in the transaction that changed the records. */
  update(tx: Tx, changed: ChangedRecords): Promise<void>
  /** Makes all rows of the transaction's tenant again. */
  rebuild(tx: Tx): Promise<void>
  /** Comparing reads every text or entry again, so `doctor` leaves it to `projections check`. */
  isSlowToCompare?: true
  /** Short descriptions of the rows that differ from the records of the transaction's tenant; none where all is well. */
  findDrift(tx: Tx): Promise<string[]>
}
