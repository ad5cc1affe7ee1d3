import { type Static, Type } from 'typebox'
import { type Actor, query } from '#action'
import { PageParams, pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Nullable, OneOf, Page, Person, Timestamp } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { type CaseAccess, openCase } from './base/access.ts'
import { caseKinds } from './base/kinds.ts'
import { findOther } from './link-queries.ts'
import type { LinkedKind } from './link-schema.ts'
import { countHappened, listHappened } from './timeline-queries.ts'
import { type Happened, kinds, titleOf } from './timeline-words.ts'

const TimelineItem = Type.Object({
  at: Timestamp,
  kind: OneOf(...kinds),
  by: Nullable(Person),
  title: Type.String(),
  details: Type.Record(Type.String(), Type.Unknown()),
})
type TimelineItem = Static<typeof TimelineItem>

const TimelineFilter = Type.Object(PageParams, { additionalProperties: false })

export const timeline = (access: CaseAccess) =>
  query({
    summary: `Read the timeline of a ${caseKinds[access.kind].noun}`,
    description: 'Transitions, changes, comments, attachments, links, extensions and signatures, the newest first.',
    permission: caseKinds[access.kind].read,
    input: { params: IdParams, query: TimelineFilter },
    response: Page(TimelineItem),
    async run({ tx, actor }, { params, query }) {
      const record = await openCase(tx, actor, access, params.id)
      const { direction } = parseSort(query.sort, ['at'], { field: 'at', direction: 'desc' })
      return pageOf(
        query,
        async (limit, offset) => {
          const items: TimelineItem[] = []
          for (const each of await listHappened(tx, record, direction, limit, offset))
            items.push(await present(tx, actor, each))
          return items
        },
        () => countHappened(tx, record),
      )
    },
  })

async function present(tx: Tx, actor: Actor, { at, kind, by, details }: Happened): Promise<TimelineItem> {
  const shown = kind === 'linked' || kind === 'unlinked' ? await linkOf(tx, actor, kind, details) : details
  return { at, kind, by, title: titleOf({ kind, details: shown }), details: shown }
}

/** The link as the audit trail has it, without the number of a record that the reader may not read. */
async function linkOf(tx: Tx, actor: Actor, kind: 'linked' | 'unlinked', { changes, reason }: Happened['details']) {
  if (changes === null) return { reason }
  const said = Object.entries(changes as Record<string, { from: unknown; to: unknown }>)
  const link = Object.fromEntries(said.map(([field, { from, to }]) => [field, kind === 'linked' ? to : from]))
  const target = { kind: link.resource_type as LinkedKind, id: link.resource_id as number }
  const isReadable = (await findOther(tx, actor, target)) !== undefined
  return { ...link, resource_number: isReadable ? link.resource_number : null, reason }
}
