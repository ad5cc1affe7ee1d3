import { type Actor, nameOfPerson } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { conflict, forbidden, notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { messages as shared } from '#kernel/messages.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { type CaseKind, type CaseRef, caseKinds } from './kinds.ts'
import { lockRecord } from './record-queries.ts'

export interface CaseRecord extends CaseRef {
  status: string
  /** Closed, cancelled or rejected, and so read-only. */
  isOver: boolean
  due_date: string
  revision: number
  /** The author or reporter, and the assignee. */
  people: readonly number[]
  assigned_to: number | null
}

/** A record as its module finds it. */
type FoundCase = Omit<CaseRecord, 'kind' | 'isOver'>

/** The rules of one kind of record, which its module supplies. */
export interface CaseAccess {
  kind: CaseKind
  /** `/api/deviations` */
  path: string
  permissions: { comment: Permission; change: Permission }
  find(tx: Tx, id: number): Promise<FoundCase | undefined>
  isOver(status: string): boolean
  /** Own records take attachments and links without the permission `change`. */
  own?: { permission: Permission; isOf(actor: Actor, record: CaseRecord): boolean }
  /** Stores the new day, counts the extension and the revision, and answers the new revision. */
  moveDueDate(tx: Tx, id: number, due_date: string): Promise<number>
}

/** The least permission to attach files and links; the record decides the rest. */
export const toWriteIn = ({ own, permissions }: CaseAccess) => own?.permission ?? permissions.change

export function requireReader(actor: Actor, kind: CaseKind, id: number) {
  const { read, noun } = caseKinds[kind]
  if (!actor.permissions.has(read))
    throw forbidden(shared.permission_required({ permission: read }), { id, number: noun })
}

/** Locks a record until the transaction ends, or throws the 404: every command about it begins so, and decides on current values. */
export async function lockCase(tx: Tx, kind: CaseKind, id: number) {
  if (!(await lockRecord(tx, kind, id))) throw notFound(caseKinds[kind].name)
}

/** Reads the record, if the actor may. */
export async function openCase(
  tx: Tx,
  actor: Actor,
  { kind, find, isOver }: CaseAccess,
  id: number,
  { lock = false } = {},
): Promise<CaseRecord> {
  requireReader(actor, kind, id)
  if (lock) await lockCase(tx, kind, id)
  const found = await find(tx, id)
  if (!found) throw notFound(caseKinds[kind].name)
  return { ...found, kind, isOver: isOver(found.status) }
}

/** A deputy does what is assigned to the person for whom they act, and nothing else in that person's name. */
export function requireAssignedTo(
  { standsInFor: person }: Actor,
  record: Pick<CaseRef, 'id' | 'number'>,
  assignees: readonly (number | null | undefined)[],
) {
  if (person && !assignees.includes(person.userId))
    throw denied(
      record,
      messages.record_not_assigned_to_person({ number: record.number, person: nameOfPerson(person) }),
    )
}

/** Reads the record, if the actor may add attachments and links. */
export async function openToChange(tx: Tx, actor: Actor, access: CaseAccess, id: number, { lock = true } = {}) {
  const record = await openCase(tx, actor, access, id, { lock })
  requireAssignedTo(actor, record, [record.assigned_to])
  requireChanger(actor, access, record)
  return record
}

/** The actor may add attachments and links to this record. */
export function requireChanger(actor: Actor, access: CaseAccess, record: CaseRecord) {
  const { change } = access.permissions
  if (!actor.permissions.has(change) && !access.own?.isOf(actor, record))
    throw forbidden(messages.record_not_own_report({ number: record.number, permission: change }), record)
}

export function requireOpen(record: CaseRecord) {
  if (record.isOver) throw readOnly(record)
}

/** The refusal to change a record that has ended: only a closed deviation can be reopened. */
export const readOnly = ({ kind, number, status }: Pick<CaseRecord, 'kind' | 'number' | 'status'>) =>
  conflict(
    kind === 'deviation' && status === 'closed'
      ? messages.deviation_closed({ number })
      : messages.record_final({ number, status }),
  )

/** The refusal of a person, which the audit trail keeps with the record. */
export const denied = ({ id, number }: Pick<CaseRef, 'id' | 'number'>, message: Message) =>
  forbidden(message, { id, number })
