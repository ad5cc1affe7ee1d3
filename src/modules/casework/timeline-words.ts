import type { Person } from '#kernel/schema.ts'

export const kinds = [
  'moved',
  'changed',
  'commented',
  'attached',
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

const words = (name: unknown) => String(name).replaceAll('_', ' ')
const nouns: Record<string, string> = { document: 'a document', deviation: 'a deviation', capa: 'a CAPA' }
const linked = ({ resource_type, resource_number }: Happened['details']) =>
  resource_number ?? nouns[String(resource_type)]

/** What happened, in words. */
const titles: Record<Kind, (details: Happened['details']) => string> = {
  moved: ({ from, to }) => (from === null ? `Begun as ${words(to)}` : `Moved from ${words(from)} to ${words(to)}`),
  changed: ({ changes }) => `Changed: ${changed(changes)}`,
  commented: () => 'Commented',
  attached: ({ file_name }) => `Attached ${file_name}`,
  linked: details => `Linked to ${linked(details)} (${words(details.relation)})`,
  unlinked: details => `Link to ${linked(details)} taken away (${words(details.relation)})`,
  extension_requested: ({ from_date, to_date }) => `Asked for ${to_date} as due date in the place of ${from_date}`,
  extension_decided: ({ status, from_date, to_date }) =>
    status === 'approved' ? `Due date moved from ${from_date} to ${to_date}` : `${to_date} refused as due date`,
  signed: ({ signature_type }) => `Signed: ${words(signature_type)}`,
  review_planned: () => 'Effectiveness review planned',
  review_changed: ({ changes }) => `Effectiveness review changed: ${changed(changes)}`,
  review_completed: () => 'Effectiveness review completed',
}

const changed = (changes: unknown) =>
  Object.keys(changes as object)
    .filter(field => field !== 'revision')
    .map(words)
    .join(', ') || 'nothing that is shown'

export const titleOf = ({ kind, details }: Pick<Happened, 'kind' | 'details'>) => titles[kind](details)
