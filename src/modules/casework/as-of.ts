import type { ActionContext } from '#action'
import { notFound } from '#kernel/errors.ts'
import { momentOf, type RecordedEvent, replay, requireBeginning } from '#modules/audit'
import { type CaseKind, caseKinds } from './base/kinds.ts'
import type { Linked } from './link-queries.ts'
import type { Relation } from './link-schema.ts'

/** The fields of a record that never change. */
interface Unchanging {
  number: string
  created_at: string
  original_due_date: string
  legacy_number: string | null
  imported: { batch: string; source: string } | null
}

interface ThenOf<Row, State> {
  kind: CaseKind
  id: number
  find(): Promise<Row | undefined>
  isOver(status: State): boolean
}

/** Rebuilds the fields that every kind of record has, and answers the events for the others. */
export async function caseAsOf<Row extends Unchanging, State extends string>(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  as_of: string,
  { kind, id, find, isOver }: ThenOf<Row, State>,
) {
  const { at, today } = await momentOf(context, as_of)
  const row = await find()
  const was = row && (await replay(context.tx, { resource_type: kind, resource_id: id }, at))
  const created = was?.events.find(({ action }) => action === `${kind}.created` || action === `${kind}.migrated`)
  if (!was || !created) throw notFound(caseKinds[kind].name)
  requireBeginning(was.events)
  const changed = was.events.findLast(({ changes }) => changes.revision) ?? created
  const links = linksIn(was.events)
  const status = was.get<State>('status')
  const due_date = was.get<string>('due_date')
  const isClosed = status === 'closed'
  // The source says when it was closed, and by nobody who signed it here.
  const isClosedBefore = created.action === `${kind}.migrated` && was.since('status') === created.at
  const fields = {
    id,
    number: row.number,
    legacy_number: row.legacy_number,
    imported: row.imported,
    title: was.get<string>('title'),
    description: was.get<string>('description'),
    status,
    due_date,
    original_due_date: row.original_due_date,
    overdue: due_date < today && !isOver(status),
    extension_count: was.events.filter(
      ({ action, changes }) => action === `${kind}.extension_decided` && changes.decision?.to === 'approved',
    ).length,
    document_ids: linkedIds(links, 'document'),
    created_at: row.created_at,
    created_by: created.by,
    updated_at: changed.at,
    updated_by: changed.by,
    closed_at: isClosed ? (was.get<string | null>('closed_at') ?? was.since('status')) : null,
    closed_by: isClosed && !isClosedBefore ? was.by('status') : null,
    revision: was.get<number>('revision'),
  }
  return { at, today, row, was, created, links, fields }
}

interface RecordedLink {
  resource_type: Linked['kind']
  resource_id: number
  relation: Relation
}

/** The links of a record by the events in its own audit trail. */
function linksIn(events: readonly RecordedEvent[]): RecordedLink[] {
  const links = new Map<string, RecordedLink>()
  for (const { action, changes } of events) {
    const side = action.endsWith('.linked') ? 'to' : action.endsWith('.unlinked') ? 'from' : undefined
    if (!side) continue
    const link = Object.fromEntries(
      Object.entries(changes).map(([name, each]) => [name, each[side]]),
    ) as unknown as RecordedLink
    const key = `${link.resource_type} ${link.resource_id}`
    if (side === 'to') links.set(key, link)
    else links.delete(key)
  }
  return [...links.values()]
}

export const linkedIds = (links: readonly RecordedLink[], kind: Linked['kind']): number[] =>
  links
    .filter(({ resource_type }) => resource_type === kind)
    .map(({ resource_id }) => resource_id)
    .sort((a, b) => a - b)
