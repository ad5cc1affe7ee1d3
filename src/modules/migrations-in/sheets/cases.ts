// What the sheets of deviations and CAPAs share.
import type { BatchFacts, Reference, StagedFile } from '../sheet.ts'
import { messages } from './messages.ts'
import {
  attachedIn,
  type Finding,
  futureDay,
  lower,
  type People,
  unknownPerson,
  unsure,
  userKey,
  wrong,
} from './shared.ts'

interface CaseValues {
  title: string
  description: string
  state: string
  assigned_to: string | null
  due_date: string | null
  closed_on: string | null
  closed_by: string | null
}

const isOver = (state: string) => state === 'closed' || state === 'cancelled'

export const caseReferences = (...people: readonly (string | null)[]): Reference[] =>
  people.flatMap(name => (name === null ? [] : [{ sheet: 'users', key: userKey(name) }]))

export function caseFindings(
  { title, state, assigned_to, due_date, closed_on, closed_by }: CaseValues,
  people: People,
  batch: BatchFacts,
): Finding[] {
  const assignee = people.get(assigned_to)
  return [
    ...(title.length > 500
      ? [wrong('title', messages.staged_text_too_long({ maximum: 500 }), messages.todo_text_too_long())]
      : []),
    ...(assigned_to !== null && !assignee ? [unknownPerson('assigned_to', assigned_to)] : []),
    ...(assignee && !assignee.is_active && !isOver(state)
      ? [
          wrong(
            'assigned_to',
            messages.staged_assignee_inactive({ name: assignee.username }),
            messages.todo_assignee_inactive(),
          ),
        ]
      : []),
    ...(assigned_to === null && !isOver(state)
      ? [unsure('assigned_to', messages.staged_assignee_missing(), messages.todo_assignee_missing())]
      : []),
    ...(due_date === null && !isOver(state)
      ? [wrong('due_date', messages.staged_due_missing(), messages.todo_due_missing())]
      : []),
    ...(due_date !== null && due_date < batch.today && !isOver(state)
      ? [unsure('due_date', messages.staged_overdue({ day: due_date }), messages.todo_overdue())]
      : []),
    ...futureDay('closed_on', closed_on, batch),
    ...(state === 'closed' && closed_on === null
      ? [wrong('closed_on', messages.staged_closed_undated(), messages.todo_closed_undated())]
      : []),
    ...(state !== 'closed' && (closed_on !== null || closed_by !== null)
      ? [
          wrong(
            closed_on !== null ? 'closed_on' : 'closed_by',
            messages.staged_open_and_closed({ state }),
            messages.todo_open_and_closed(),
          ),
        ]
      : []),
    ...(isOver(state) && batch.closed_cases === 'documents'
      ? [wrong('state', messages.staged_closed_as_document(), messages.todo_closed_as_document())]
      : []),
  ]
}

export const caseText = (
  values: CaseValues,
  record: { title: string; description: string; status: string; assignee: string | null; closed_on: string | null },
) =>
  [
    ['title', values.title, record.title],
    ['description', values.description, record.description],
    ['state', values.state, record.status],
    [
      'assigned_to',
      values.assigned_to === null ? null : userKey(values.assigned_to),
      record.assignee && lower(record.assignee),
    ],
    ['closed_on', values.closed_on, record.closed_on],
  ] as const

/** The files that the row names, and those that the record has, by names and hashes. */
export const comparedFiles = (
  values: Record<string, unknown>,
  attached: readonly { name: string; sha256: string }[],
  files: ReadonlyMap<string, StagedFile>,
) => {
  const named = attachedIn(values).map(path => files.get(path))
  const shown = (each: { name: string; sha256: string } | undefined) => each && `${each.name} ${each.sha256}`
  return Array.from(
    { length: Math.max(named.length, attached.length) },
    (_, i) => [`attachment_${i + 1}`, shown(named[i]), shown(attached[i])] as const,
  )
}
