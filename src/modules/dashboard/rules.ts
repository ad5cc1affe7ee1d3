import type { Permission } from '#kernel/catalogue.ts'
import type { Message } from '#kernel/message.ts'
import type { Person } from '#kernel/schema.ts'
import type { RepresentedPerson } from '#modules/deputies'
import { printed } from './messages.ts'
import type { Row } from './queries.ts'
import type { Item, ItemSort, Kind, Reason } from './schema.ts'

type People = ReadonlyMap<number, Person>

/** Rows that were found one by one, in the order of a list; rows without a value come last. */
export function sortRows(rows: readonly Row[], { field, direction }: ItemSort): Row[] {
  const way = direction === 'desc' ? -1 : 1
  const compare = (a: string | null, b: string | null) =>
    a === b ? 0 : a === null ? 1 : b === null ? -1 : way * (a < b ? -1 : 1)
  return rows.toSorted((a, b) => compare(a[field], b[field]))
}

type Standing = Pick<Row, 'kind' | 'record_id' | 'part_id' | 'status'>

const linkOf: Record<Kind, (row: Standing) => string> = {
  training_assignment: ({ part_id }) => `/api/training/assignments/${part_id}`,
  deviation: ({ record_id }) => `/api/deviations/${record_id}`,
  capa: ({ record_id }) => `/api/capa/${record_id}`,
  capa_action: ({ record_id }) => `/api/capa/${record_id}`,
  effectiveness_review: ({ record_id, part_id }) => `/api/capa/${record_id}/effectiveness/${part_id}`,
  document_approval: ({ record_id }) => `/api/documents/${record_id}/workflow`,
  document_review: ({ record_id }) => `/api/documents/${record_id}`,
  controlled_copy: ({ part_id }) => `/api/controlled-copies/${part_id}`,
  configuration_change: ({ record_id }) => `/api/configuration-changes/${record_id}`,
  file_removal: ({ record_id }) => `/api/file-removals/${record_id}`,
  disposal: ({ record_id }) => `/api/disposals/${record_id}`,
  document: ({ record_id }) => `/api/documents/${record_id}`,
}

type Task = NonNullable<Item['task']>
interface Next {
  to_do: Message
  task: Task | null
}
const post = (path: string): Task => ({ method: 'POST', path })
const put = (path: string): Task => ({ method: 'PUT', path })

/** The next task of the person responsible, by kind and state; without a request where others have to act. */
function nextOf({ kind, record_id, part_id, status }: Standing): Next {
  switch (kind) {
    case 'training_assignment':
      return {
        to_do: printed.to_do_complete_training(),
        task: post(`/api/training/${record_id}/complete`),
      }
    case 'deviation':
      return nextOfDeviation(record_id, status)
    case 'capa':
      return nextOfCapa(record_id, status)
    case 'capa_action':
      return {
        to_do: printed.to_do_carry_out_action(),
        task: put(`/api/capa/${record_id}`),
      }
    case 'effectiveness_review':
      return status === 'pending_effectiveness'
        ? {
            to_do: printed.to_do_review_effectiveness(),
            task: put(`/api/capa/${record_id}/effectiveness/${part_id}`),
          }
        : { to_do: printed.to_do_await_actions(), task: null }
    case 'document_approval':
      return { to_do: printed.to_do_decide(), task: post(`/api/documents/${record_id}/approve`) }
    case 'document_review':
      return {
        to_do: printed.to_do_review_document(),
        task: post(`/api/documents/${record_id}/periodic-review`),
      }
    case 'controlled_copy':
      return {
        to_do: printed.to_do_return_copy(),
        task: post(`/api/controlled-copies/${part_id}/confirm`),
      }
    case 'document':
      return { to_do: printed.to_do_name_owner(), task: put(`/api/documents/${record_id}`) }
    case 'file_removal':
      return { to_do: printed.to_do_decide(), task: post(`/api/file-removals/${record_id}/approve`) }
    case 'disposal':
      return { to_do: printed.to_do_decide(), task: post(`/api/disposals/${record_id}/approve`) }
    case 'configuration_change':
      return { to_do: printed.to_do_decide(), task: post(`/api/configuration-changes/${record_id}/approve`) }
  }
}

function nextOfDeviation(id: number, status: string): Next {
  const task = put(`/api/deviations/${id}`)
  if (status === 'open') return { to_do: printed.to_do_begin_investigation(), task }
  if (status === 'under_investigation') return { to_do: printed.to_do_investigate(), task }
  return { to_do: printed.to_do_await_closure(), task: null }
}

function nextOfCapa(id: number, status: string): Next {
  const task = put(`/api/capa/${id}`)
  if (status === 'draft') return { to_do: printed.to_do_await_approval(), task: null }
  if (status === 'open') return { to_do: printed.to_do_plan_capa(), task }
  if (status === 'in_progress') return { to_do: printed.to_do_finish_capa(), task }
  return { to_do: printed.to_do_await_effectiveness(), task: null }
}

/** The decision that the caller has to make; `ways` are the transitions that they may take on a deviation. */
function decisionOf({ kind, record_id, part_id, status }: Standing, ways: readonly string[]): Next {
  if (kind === 'deviation')
    return {
      to_do: ways.includes('close') ? printed.to_do_close_or_send_back() : printed.to_do_send_back(),
      task: put(`/api/deviations/${record_id}`),
    }
  if (kind === 'capa') return decisionOfCapa(record_id, status)
  if (kind === 'controlled_copy')
    return {
      to_do: printed.to_do_reconcile_copy(),
      task: post(`/api/controlled-copies/${part_id}/reconcile`),
    }
  return nextOf({ kind, record_id, part_id, status })
}

function decisionOfCapa(id: number, status: string): Next {
  const path = `/api/capa/${id}`
  if (status === 'draft') return { to_do: printed.to_do_approve_draft(), task: post(`${path}/approve-draft`) }
  if (status === 'pending_effectiveness') return { to_do: printed.to_do_close_capa(), task: put(path) }
  return { to_do: printed.to_do_approve_plan(), task: post(`${path}/approve-plan`) }
}

/** The permission without which the request of a task is refused; what a decision needs is checked where it is listed. */
const permissionFor: Partial<Record<Kind, Permission>> = {
  training_assignment: 'training.complete',
  deviation: 'deviations.create',
  capa: 'capa.update',
  capa_action: 'capa.update',
  effectiveness_review: 'effectiveness.update',
  document_review: 'documents.periodic_review',
  controlled_copy: 'documents.hold_copies',
}

/** A person whose permissions do not suffice is told whom to turn to, instead of a request that is refused. */
function withPermission(kind: Kind, next: Next, permissions: ReadonlySet<Permission>): Next {
  const needed = permissionFor[kind]
  if (next.task === null || needed === undefined || permissions.has(needed)) return next
  if (kind === 'document_review') return { to_do: printed.to_do_have_reviewed(), task: null }
  return { to_do: printed.to_do_have_assigned({ permission: needed }), task: null }
}

/** The request that gives the item to somebody. */
function assignment(row: Row): Next {
  const { kind, record_id, is_yours } = row
  switch (kind) {
    case 'deviation':
      return { to_do: printed.to_do_assign(), task: put(linkOf[kind](row)) }
    case 'effectiveness_review':
      return { to_do: printed.to_do_choose_reviewer(), task: put(linkOf[kind](row)) }
    case 'capa_action':
      return { to_do: printed.to_do_assign_action(), task: put(linkOf[kind](row)) }
    case 'controlled_copy':
      return {
        to_do: printed.to_do_name_holder(),
        task: post(`${linkOf[kind](row)}/transfer`),
      }
    case 'document':
      return nextOf(row)
    case 'document_approval':
      return is_yours
        ? {
            to_do: printed.to_do_name_approvers(),
            task: post(`/api/documents/${record_id}/configure-approval`),
          }
        : { to_do: printed.to_do_have_approvers_named(), task: null }
    default:
      return { to_do: printed.to_do_assign(), task: put(`/api/capa/${record_id}`) }
  }
}

interface Reader {
  today: string
  people: People
  permissions: ReadonlySet<Permission>
  /** The transitions that they may take on a deviation; given where the item awaits their decision. */
  ways?: readonly string[] | undefined
  /** The item is nobody's, or of somebody who has left, and they may assign it. */
  isToAssign?: boolean
  /** The people for whom they act as a deputy. */
  represented?: People
}

/** The ids of those whose tasks the reader does. */
export const whoseTasks = (represented: readonly RepresentedPerson[]) =>
  represented.filter(({ scopes }) => scopes.includes('tasks')).map(({ userId }) => userId)

export const peopleById = (represented: readonly RepresentedPerson[]): People =>
  new Map(represented.map(({ userId: id, username, fullName: full_name }) => [id, { id, username, full_name }]))

const assignedKinds: readonly Kind[] = [
  'deviation',
  'capa',
  'capa_action',
  'effectiveness_review',
  'document_review',
  'controlled_copy',
]

/** The person for whom the reader does or decides it as their deputy. */
function personFor(
  { kind, is_yours, person_id, for_id }: Row,
  { represented, ways, isToAssign }: Reader,
): Person | null {
  if (for_id !== undefined) return represented?.get(for_id) ?? null
  if (!is_yours || ways || isToAssign || person_id === null || !assignedKinds.includes(kind)) return null
  return represented?.get(person_id) ?? null
}

function nextFor(row: Row, { ways, permissions, isToAssign }: Reader): Next {
  if (isToAssign) return assignment(row)
  return ways ? decisionOf(row, ways) : withPermission(row.kind, nextOf(row), permissions)
}

export function present(row: Row, reader: Reader): Item {
  const { today, people } = reader
  const { record_id, part_id, person_id, for_id: _for, ...shown } = row
  const forPerson = personFor(row, reader)
  const { kind, is_yours, due_date } = shown
  const { to_do, task } = nextFor(row, reader)
  const ofDocument = kind === 'document_approval' || kind === 'document_review' || kind === 'document'
  return {
    ...shown,
    id: ofDocument ? record_id : part_id,
    person: (person_id !== null && people.get(person_id)) || null,
    is_overdue: due_date !== null && due_date < today,
    for: forPerson,
    reason: forPerson ? 'for_another' : reasonOf(row, reader),
    ...{ to_do: to_do.text, code: to_do.code, params: to_do.params },
    link: linkOf[kind](row),
    task: is_yours ? task : null,
  }
}

function reasonOf({ kind, is_yours }: Pick<Row, 'kind' | 'is_yours'>, { ways, isToAssign }: Reader): Reason {
  if (isToAssign) return 'yours_to_assign'
  if (ways) return 'yours_to_decide'
  if (!is_yours) return 'readable'
  return kind === 'document_review' ? 'owned_by_you' : 'assigned_to_you'
}
