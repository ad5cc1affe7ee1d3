import type { ActionContext } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { conflict } from '#kernel/errors.ts'
import { listHolders, listPeople } from '#modules/accounts'
import { MAX_NOTIFIED, requireAssignable } from '#modules/casework'
import { requireReadable, trainingNeeded } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { managing } from './access.ts'
import { messages } from './messages.ts'
import { findUsername } from './queries.ts'

/** What the holder of a copy needs: they read the document, and can say what became of the copy. */
export const holderPermissions: readonly Permission[] = ['documents.read', 'documents.hold_copies']

/** Whoever works by a copy may have the file of the document, on paper as on a screen. */
export async function requireHolder(
  context: ActionContext<unknown>,
  document: { id: number; number: string },
  holder_id: number,
  { isInUse }: { isInUse: boolean },
) {
  const { tx, actor } = context
  await requireAssignable(tx, [holder_id], holderPermissions)
  if (!isInUse) return
  const person = (await listPeople(tx)).find(({ userId }) => userId === holder_id)!
  const view = await requireReadable(tx, actor, document.id)
  if (await trainingNeeded(context, person, view))
    throw conflict(
      messages.controlled_copy_holder_not_trained({
        number: document.number,
        username: await findUsername(tx, holder_id),
      }),
    )
}

/** The people who reconcile copies. */
export const listManagers = async (tx: Tx) => (await listHolders(tx, managing)).slice(0, MAX_NOTIFIED)
