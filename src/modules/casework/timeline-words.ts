import type { Person } from '#kernel/schema.ts'

export const kinds = [
  'moved',
  'changed',
  'plan_approved',
  'commented',
  'attached',
  'file_removed',
  'linked',
  'unlinked',
  'extension_requested',
  'extension_decided',
  'signed',
  'review_planned',
  'review_changed',
  'review_completed',
] as const
export type Kind = (typeof kinds)[number]

export interface Happened {
  at: string
  kind: Kind
  by: Person | null
  details: Record<string, unknown>
}

const text = (value: unknown) => String(value)
const words = (name: unknown) => text(name).replaceAll('_', ' ')
const nouns: Record<string, string> = { document: 'a document', deviation: 'a deviation', capa: 'a CAPA' }
const linked = ({ resource_type, resource_number, relation }: Happened['details']) =>
  resource_type === undefined
    ? 'a redacted record'
    : `${resource_number === null ? nouns[text(resource_type)] : text(resource_number)} (${words(relation)})`
const days = ({ from_date, to_date }: Happened['details']) => ({ from: text(from_date), to: text(to_date) })

/** The title of each kind of event. */
const titles: Record<Kind, (details: Happened['details']) => string> = {
  moved: ({ from, to }) => (from === null ? `Created as ${words(to)}` : `Moved from ${words(from)} to ${words(to)}`),
  changed: ({ changes }) => `Changed: ${changed(changes)}`,
  plan_approved: () => 'Plan approved',
  commented: () => 'Commented',
  attached: ({ file_name }) => `Attached ${text(file_name)}`,
  file_removed: () => 'Removed the content of an attached file',
  linked: details => `Linked to ${linked(details)}`,
  unlinked: details => `Removed the link to ${linked(details)}`,
  extension_requested: details => `Requested an extension from ${days(details).from} to ${days(details).to}`,
  extension_decided: details =>
    details.status === 'approved'
      ? `Due date extended from ${days(details).from} to ${days(details).to}`
      : `Extension to ${days(details).to} rejected`,
  signed: ({ signature_type }) => `Signed: ${words(signature_type)}`,
  review_planned: () => 'Effectiveness review planned',
  review_changed: ({ changes }) => `Effectiveness review changed: ${changed(changes)}`,
  review_completed: () => 'Effectiveness review completed',
}

/** An entry without changes was redacted. */
const changed = (changes: unknown) =>
  changes === null
    ? 'redacted'
    : Object.keys(changes as object)
        .filter(field => field !== 'revision')
        .map(words)
        .join(', ') || 'no visible field'

export const titleOf = ({ kind, details }: Pick<Happened, 'kind' | 'details'>) => titles[kind](details)
