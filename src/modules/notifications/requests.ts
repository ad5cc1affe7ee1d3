import type { Permission } from '#kernel/catalogue.ts'
import { requestsOfUsers } from '#modules/accounts'
import { requestsOfCapas, requestsOfReviews } from '#modules/capas'
import { requestsOfConfigurationChanges } from '#modules/configuration'
import { requestsOfCopies } from '#modules/controlled-copies'
import { requestsOfDeviations } from '#modules/deviations'
import { requestsOfDocuments } from '#modules/documents'
import { requestsOfFileRemovals } from '#modules/file-removals'
import { requestsOfDisposals } from '#modules/retention'
import { requestsOfTraining } from '#modules/training'
import type { Tx } from '#platform/db/database.ts'

/** A module answers for the requests about its records. */
export interface Requests {
  /** Required of everyone who is notified of such a record. */
  permission: Permission
  /** Selects the people whom a request of this type still awaits. */
  stillAsks(tx: Tx, type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]>
  /** The workflow of the record says whom it reports to if it is late, so nobody else is told. */
  isReportedByWorkflow?(tx: Tx, type: string, id: number): Promise<boolean>
}

/** The records that a request can be about. */
export const requests: Readonly<Record<string, Requests>> = {
  document: requestsOfDocuments,
  deviation: requestsOfDeviations,
  capa: requestsOfCapas,
  effectiveness_review: requestsOfReviews,
  training_assignment: requestsOfTraining,
  user: requestsOfUsers,
  configuration_change: requestsOfConfigurationChanges,
  controlled_copy: requestsOfCopies,
  file_removal: requestsOfFileRemovals,
  disposal: requestsOfDisposals,
}
