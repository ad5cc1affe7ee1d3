import { conflict, forbidden, invalidField } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import type { ControlledCopy } from './schema.ts'
import { isOpen, type Outcome } from './states.ts'

/** A transition of a document recalls all copies of the version at once, so there are not more than that takes some seconds. */
export const maxOpenCopies = 500

export const daysToReturn = 14

type Copy = Pick<
  ControlledCopy,
  'id' | 'number' | 'status' | 'version' | 'prints' | 'holder' | 'confirmed_at' | 'confirmed_by'
>

export function requireOpen({ number, status }: Copy) {
  if (!isOpen(status)) throw conflict(messages.controlled_copy_over({ number, status }))
}

const requirePrinted = ({ number, prints }: Copy) => {
  if (prints === 0) throw conflict(messages.controlled_copy_never_printed({ number }))
}

const refuseConfirmed = ({ number, confirmed_at }: Copy) => {
  if (confirmed_at !== null) throw conflict(messages.controlled_copy_already_confirmed({ number }))
}

export function requirePrintable(copy: Copy, isEffective: boolean, reason: string | undefined) {
  const { number, version, status, prints } = copy
  if (!isEffective) throw conflict(messages.controlled_copy_version_over({ number, version }))
  if (status !== 'issued') throw conflict(messages.controlled_copy_not_in_use({ number, status }))
  refuseConfirmed(copy)
  if (prints > 0 && reason === undefined)
    throw invalidField('reason', messages.controlled_copy_reprint_reason_required({ number }))
}

export function requireRecallable(copy: Copy) {
  requireOpen(copy)
  if (copy.status === 'recalled') throw conflict(messages.controlled_copy_already_recalled({ number: copy.number }))
}

export function requireTransferable(copy: Copy, holder_id: number) {
  requireOpen(copy)
  refuseConfirmed(copy)
  if (copy.holder.id === holder_id) throw conflict(messages.controlled_copy_same_holder({ number: copy.number }))
}

/** `person`: the one for whom the holder's word is given, which is their own or their deputy's. */
export function requireConfirmable(
  copy: Copy,
  person: number | null,
  { outcome, comment }: { outcome: Outcome; comment?: string },
) {
  const { id, number, holder } = copy
  if (holder.id !== person) throw forbidden(messages.controlled_copy_not_holder({ number }), { id, number })
  requireOpen(copy)
  refuseConfirmed(copy)
  requirePrinted(copy)
  if (outcome !== 'returned' && comment === undefined)
    throw invalidField('comment', messages.controlled_copy_comment_required({ outcome }))
}

/** A lost copy can be found. Nobody reconciles a copy that they hold, or for whose holder they have spoken. */
export function requireReconcilable(copy: Copy, actorId: number | null, outcome: Outcome) {
  const { id, number, status, holder, confirmed_by } = copy
  if (holder.id === actorId || confirmed_by?.id === actorId)
    throw forbidden(messages.controlled_copy_own_reconciliation({ number }), { id, number })
  if (!isOpen(status) && status !== 'lost') throw conflict(messages.controlled_copy_over({ number, status }))
  if (status === 'lost' && outcome === 'lost') throw conflict(messages.controlled_copy_already_lost({ number }))
  requirePrinted(copy)
}
