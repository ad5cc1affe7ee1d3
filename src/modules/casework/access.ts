import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { listHolders } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'

/** The kinds of record that have attachments, comments, links and due dates. */
export type CaseKind = 'deviation' | 'capa'

export interface CaseRef {
  kind: CaseKind
  id: number
  number: string
}

export interface CaseRecord extends CaseRef {
  status: string
  /** Closed, cancelled, rejected: it takes no more files, links and due dates. */
  isOver: boolean
  due_date: string
  revision: number
  /** Who reported it, to whom it is assigned: those whom it concerns. */
  people: readonly number[]
}

/** What is to be known of a kind of record; each module makes one of its own. */
export interface CaseAccess {
  kind: CaseKind
  /** `/api/deviations` */
  path: string
  permissions: { read: Permission; comment: Permission; change: Permission }
  /** Throws the 404. `lock`: nobody else changes it until the transaction ends (`for no key update`). */
  find(tx: Tx, id: number, options: { lock: boolean }): Promise<CaseRecord>
  /** Of what one may attach to and link without `change`, because it is one's own. */
  own?: { permission: Permission; isOf(actor: Actor, record: CaseRecord): boolean }
  /** Writes the new day, counts the extension and the revision, and answers the new revision. */
  moveDueDate(tx: Tx, id: number, due_date: string): Promise<number>
}

/** As sentences call them. */
export const nounOf = { deviation: 'deviation', capa: 'CAPA' } as const satisfies Record<CaseKind, string>
/** The column by which a row of ours says whose it is. */
export const columnOf = { deviation: 'deviation_id', capa: 'capa_id' } as const
export const ownerOf = ({ kind, id }: CaseRef) => (kind === 'deviation' ? { deviation_id: id } : { capa_id: id })
export const readPermissionOf = { deviation: 'deviations.read', capa: 'capa.read' } as const

/** What every attempt to attach to one and to link it needs: who changes nothing gets no further. */
export const toWriteIn = ({ own, permissions }: CaseAccess) => own?.permission ?? permissions.change

export function requireReader(actor: Actor, { kind, permissions: { read } }: CaseAccess, id: number) {
  if (!actor.permissions.has(read))
    throw forbidden(messages.record_permission_required({ permission: read }), { id, number: nounOf[kind] })
}

/** The record, for somebody who may read it. */
export function openCase(tx: Tx, actor: Actor, access: CaseAccess, id: number, { lock = false } = {}) {
  requireReader(actor, access, id)
  return access.find(tx, id, { lock })
}

/** The record, for somebody who may attach to it and link it. */
export async function openToChange(tx: Tx, actor: Actor, access: CaseAccess, id: number, { lock = true } = {}) {
  const record = await openCase(tx, actor, access, id, { lock })
  const { change } = access.permissions
  if (!actor.permissions.has(change) && !access.own?.isOf(actor, record))
    throw forbidden(messages.record_not_own_report({ number: record.number, permission: change }), record)
  return record
}

/** The refusal to change a record that has ended: only a closed deviation can be reopened. */
export const readOnly = ({ kind, number, status }: Pick<CaseRecord, 'kind' | 'number' | 'status'>) =>
  conflict(
    kind === 'deviation' && status === 'closed'
      ? messages.deviation_closed({ number })
      : messages.record_final({ number, status }),
  )

/** Those of these people who may read such records: nobody else is told of one. */
export async function filterReadersOf(tx: Tx, kind: CaseKind, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const readers = new Set(await listHolders(tx, readPermissionOf[kind]))
  return [...new Set(ids)].filter(id => readers.has(id))
}
