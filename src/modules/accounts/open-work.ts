// The open work that a person leaves behind when their account is deactivated. The modules of the records supply the kinds of it.
import { type Static, Type } from 'typebox'
import type { ActionContext } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { Id } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'

export const workKinds = [
  'deviation',
  'capa',
  'capa_action',
  'effectiveness_review',
  'document',
  'document_approval',
  'controlled_copy',
  'service_account',
] as const

/** An open item. `record_id` is the record with the number; `id` is that of the action, the review or the version. */
export interface OpenItem {
  id: number
  record_id: number
  number: string
  title: string
  status: string
  due_date: string | null
}

export interface HandedOver {
  from: number
  to: number
  reason: string
}

/** How one kind of work is found and handed over. */
export interface WorkOfKind {
  kind: (typeof workKinds)[number]
  /** Whoever takes the work holds all of these permissions. */
  needs: readonly Permission[]
  /** The open items of the person in the order of their ids, beginning after one of them. */
  list(tx: Tx, userId: number, page: { after: number; limit: number }): Promise<OpenItem[]>
  count(tx: Tx, userId: number): Promise<number>
  /** Locks the item and gives it to another person, with its audit entry. Answers false if the item is no longer open or theirs; throws a refusal if this person may not do the work. */
  give(context: ActionContext<unknown>, item: OpenItem, change: HandedOver): Promise<boolean>
}

/** The background job that hands the work over. */
export const HandOver = Type.Object({
  id: Id,
  href: Type.String({ description: 'The path for its progress' }),
  total: Type.Integer({ minimum: 0 }),
})
type HandOver = Static<typeof HandOver>

declare module '#action/definitions.ts' {
  interface Services {
    /** Starts the hand-over of the open work of a deactivated user; null if nothing is open, or if nobody is named who takes it. */
    startHandOver(
      context: ActionContext<unknown>,
      leaver: { id: number },
      change: { successor_id: number | undefined; reason: string | null },
    ): Promise<HandOver | null>
  }
}
