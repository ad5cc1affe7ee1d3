import { type Static, Type } from 'typebox'
import { type ActionContext, query } from '#action'
import { dayIn } from '#kernel/day.ts'
import { envelope, limits, PageParams, parseSort } from '#kernel/paging.ts'
import { OneOf, Page } from '#kernel/schema.ts'
import { readSettings } from '#modules/accounts'
import { listRepresented } from '#modules/deputies'
import { pendingOf } from './pending.ts'
import { countItems, listItems, peopleOf, type Row, type Wanted } from './queries.ts'
import { peopleById, present, whoseTasks } from './rules.ts'
import { byDueDate, Counts, Item, itemSorts, kinds, Today } from './schema.ts'
import { type Asker, allowed, sources } from './source-queries.ts'

const { page, page_size, sort } = PageParams
const Filter = Type.Object(
  {
    page,
    page_size,
    sort,
    kind: Type.Optional(OneOf(...kinds)),
    yours: Type.Optional(
      Type.Boolean({ description: 'Only items that wait for you; otherwise all that you may read' }),
    ),
  },
  { additionalProperties: false },
)
type Filter = Static<typeof Filter>

const Deadlines = Type.Object({
  ...Today,
  ...Page(Item).properties,
  counts: Type.Object(Counts.properties, { description: 'The number of items of each kind, on all pages' }),
})

type Days = Pick<Wanted, 'from' | 'before'>

async function deadlines(
  { tx, actor, services }: ActionContext<unknown>,
  { kind, yours = false, ...paging }: Filter,
  daysOf: (dayAt: (moment_ms: number) => string) => Days,
): Promise<Static<typeof Deadlines>> {
  const { time_zone } = await readSettings(tx)
  const now = services.clock.now().getTime()
  const dayAt = (moment_ms: number) => dayIn(time_zone, new Date(moment_ms))
  const today = dayAt(now)
  const wanted = { yours, ...daysOf(after_ms => dayAt(now + after_ms)) }
  const represented = await listRepresented({ tx, actor, services })
  const asked = allowed(sources, actor).filter(each => !kind || each.kind === kind)
  const { documents, deviations, draft_capas, capas, controlled_copies, ways } = await pendingOf({
    ...{ tx, actor, services, represented },
  })
  const ids = (rows: readonly Row[]) => rows.map(({ part_id }) => part_id)
  const decides = {
    document_approval: ids(documents),
    deviation: ids(deviations),
    capa: ids([...draft_capas, ...capas]),
    controlled_copy: ids(controlled_copies),
  }
  const asker: Asker = { actor, decides, represented: whoseTasks(represented) }
  const forIds = new Map(documents.map(({ part_id, for_id }) => [part_id, for_id]))
  const rows = await listItems(tx, asked, asker, wanted, {
    ...limits(paging),
    sort: parseSort(paging.sort, itemSorts, byDueDate),
  })
  const counts = await countItems(tx, asked, asker, wanted)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const people = await peopleOf(tx, rows)
  const waysFor = (row: Row) => (asker.decides[row.kind]?.includes(row.part_id) ? ways : undefined)
  const forRow = (row: Row): Row => {
    const for_id = row.kind === 'document_approval' ? forIds.get(row.part_id) : undefined
    return for_id === undefined ? row : { ...row, for_id }
  }
  const items = rows.map(row =>
    present(forRow(row), {
      ...{ today, people, permissions: actor.permissions, ways: waysFor(row) },
      represented: peopleById(represented),
    }),
  )
  return { today, time_zone, ...envelope(items, total, paging), counts }
}

const whose =
  'Training, deviations, CAPAs with their actions and effectiveness reviews, approvals, periodic reviews and recalled controlled copies of documents that the caller may read or has to do, by due date. A day ends at midnight in the time zone of the tenant.'

export const overdueItems = query({
  summary: 'List overdue items',
  description: `${whose} Completed items are not listed.`,
  permission: 'dashboard.read',
  input: { query: Filter },
  response: Deadlines,
  run: (context, { query }) => deadlines(context, query, dayAt => ({ before: dayAt(0) })),
})

const dayMs = 86_400_000

export const approachingDeadlines = query({
  summary: 'List items due within 24 hours',
  description: `${whose} Overdue items are not listed.`,
  permission: 'dashboard.read',
  input: { query: Filter },
  response: Deadlines,
  // A day ends within 24 hours if it is a later day 24 hours from now; asked this way, no clock change can hide a deadline.
  run: (context, { query }) => deadlines(context, query, dayAt => ({ from: dayAt(0), before: dayAt(dayMs) })),
})
