import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { messages as shared } from '#kernel/messages.ts'
import { listHolders } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'

export type CaseKind = 'deviation' | 'capa'

export interface CaseRef {
  kind: CaseKind
  id: number
  number: string
}

export interface CaseRecord extends CaseRef {
  status: string
  /** Closed, cancelled or rejected, and so read-only. */
  isOver: boolean
  due_date: string
  revision: number
  /** The author or reporter, and the assignee. */
  people: readonly number[]
}

/** The rules of one kind of record, which its module supplies. */
export interface CaseAccess {
  kind: CaseKind
  /** `/api/deviations` */
  path: string
  permissions: { read: Permission; comment: Permission; change: Permission }
  /** Throws the 404. With `lock` nobody else changes the record until the transaction ends (`for no key update`). */
  find(tx: Tx, id: number, options: { lock: boolean }): Promise<CaseRecord>
  /** Own records take attachments and links without the permission `change`. */
  own?: { permission: Permission; isOf(actor: Actor, record: CaseRecord): boolean }
  /** Stores the new day, counts the extension and the revision, and answers the new revision. */
  moveDueDate(tx: Tx, id: number, due_date: string): Promise<number>
}

/** The noun in a sentence. */
export const nounOf = { deviation: 'deviation', capa: 'CAPA' } as const satisfies Record<CaseKind, string>
/** The column that refers to the record. */
export const columnOf = { deviation: 'deviation_id', capa: 'capa_id' } as const
export const ownerOf = ({ kind, id }: CaseRef) => (kind === 'deviation' ? { deviation_id: id } : { capa_id: id })
export const readPermissionOf = { deviation: 'deviations.read', capa: 'capa.read' } as const

/** The least permission to attach files and links; the record decides the rest. */
export const toWriteIn = ({ own, permissions }: CaseAccess) => own?.permission ?? permissions.change

export function requireReader(actor: Actor, { kind, permissions: { read } }: CaseAccess, id: number) {
  if (!actor.permissions.has(read))
    throw forbidden(shared.permission_required({ permission: read }), { id, number: nounOf[kind] })
}

/** Reads the record, if the actor may. */
export function openCase(tx: Tx, actor: Actor, access: CaseAccess, id: number, { lock = false } = {}) {
  requireReader(actor, access, id)
  return access.find(tx, id, { lock })
}

/** Reads the record, if the actor may add attachments and links. */
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

/** Notifications name the record, so people who may not read it get none. */
export async function filterReadersOf(tx: Tx, kind: CaseKind, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const readers = new Set(await listHolders(tx, readPermissionOf[kind]))
  return [...new Set(ids)].filter(id => readers.has(id))
}
