import type { WorkOfKind } from '#modules/accounts'
import { workOnActions, workOnCapas, workOnReviews } from '#modules/capas'
import { heldCopies } from '#modules/controlled-copies'
import { workOnDeviations } from '#modules/deviations'
import { namedApprovals, ownership } from '#modules/documents'
import { ownedServices } from '#modules/service-accounts'
import type { Tx } from '#platform/db/database.ts'

/** In this order they are listed and handed over. The training of a deactivated user is cancelled instead: nobody learns for another. */
export const kindsOfWork: readonly WorkOfKind[] = [
  workOnDeviations,
  workOnCapas,
  workOnActions,
  workOnReviews,
  ownership,
  namedApprovals,
  heldCopies,
  ownedServices,
]

export async function countOpen(tx: Tx, userId: number) {
  const counts = {} as Record<WorkOfKind['kind'], number>
  for (const { kind, count } of kindsOfWork) counts[kind] = await count(tx, userId)
  return { counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) }
}
