import { type Static, Type } from 'typebox'
import { PageParams, type Sort } from '#kernel/paging.ts'
import { Day, Id, Nullable, OneOf, Person, saidIn } from '#kernel/schema.ts'

/** The kinds that have a due date, so that they can be overdue. */
export const kinds = [
  'training_assignment',
  'deviation',
  'capa',
  'capa_action',
  'effectiveness_review',
  'document_approval',
  'document_review',
  'controlled_copy',
] as const
export const pendingKinds = [...kinds, 'configuration_change', 'file_removal', 'disposal', 'document'] as const
export type Kind = (typeof pendingKinds)[number]

export const reasons = [
  'assigned_to_you',
  'yours_to_assign',
  'yours_to_decide',
  'owned_by_you',
  'for_another',
  'readable',
] as const
export type Reason = (typeof reasons)[number]

export const Item = Type.Object(
  {
    kind: OneOf(...pendingKinds),
    id: Id,
    number: Type.String({ description: 'The number of the record' }),
    title: Type.String(),
    status: Type.String(),
    urgency: Nullable(Type.String({ description: 'The severity of a deviation, the priority of a CAPA' })),
    due_date: Nullable(
      Type.String({ format: 'date', description: 'It is due by the end of this day, in the time zone of the tenant' }),
    ),
    is_overdue: Type.Boolean({ description: 'The due date has passed' }),
    person: Nullable(Person),
    is_yours: Type.Boolean({ description: 'The item waits for you' }),
    for: Nullable(Person),
    reason: OneOf(...reasons),
    to_do: Type.String({ description: 'The next task' }),
    code: Type.String({ description: 'Says the next task in any language, with `params`' }),
    params: Type.Record(Type.String(), Type.Unknown()),
    link: Type.String({ description: 'The link to the item' }),
    task: Nullable(
      Type.Object(
        { method: OneOf('POST', 'PUT'), path: Type.String() },
        {
          description:
            'The request that completes the task; null if it is not yours. Where `for` names a person whose deputy you are, it takes their id as `on_behalf_of`',
        },
      ),
    ),
  },
  saidIn({ text: 'to_do' }),
)
export type Item = Static<typeof Item>

/** Today in the time zone of the tenant; items due today are not overdue. */
export const Today = { today: Day, time_zone: Type.String() }

const Count = Type.Integer({ minimum: 0 })
export const Counts = Type.Object(
  Object.fromEntries(kinds.map(kind => [kind, Count])) as Record<(typeof kinds)[number], typeof Count>,
)
export type Counts = Static<typeof Counts>

/** By what the items of a list can be sorted. */
export const itemSorts = ['due_date', 'number', 'title', 'kind', 'status'] as const
export type ItemSort = Sort<(typeof itemSorts)[number]>
export const byDueDate: ItemSort = { field: 'due_date', direction: 'asc' }

const Some = { sort: PageParams.sort, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })) }
/** Limits each list; the counts include all items. */
export const ListFilter = Type.Object(Some, { additionalProperties: false })

export const AssignedItems = Type.Object({
  ...Today,
  training: Type.Array(Item),
  deviations: Type.Array(Item),
  capas: Type.Array(Item, {
    description: 'CAPAs of the person, and their actions and effectiveness reviews in other CAPAs',
  }),
  controlled_copies: Type.Array(Item, { description: 'Recalled copies that the person holds' }),
  counts: Type.Object({ training: Count, deviations: Count, capas: Count, controlled_copies: Count, overdue: Count }),
})

export const UnassignedItems = Type.Object({
  ...Today,
  deviations: Type.Array(Item),
  capas: Type.Array(Item),
  counts: Type.Object({ deviations: Count, capas: Count, overdue: Count }),
})

export const OrphanedItems = Type.Object({
  ...Today,
  deviations: Type.Array(Item),
  capas: Type.Array(Item, { description: 'CAPAs, their actions and their planned effectiveness reviews' }),
  documents: Type.Array(Item, { description: 'Documents whose owner was deactivated, with their periodic reviews' }),
  approvals: Type.Array(Item, {
    description: 'Versions that wait for an approval that too few people are left to give',
  }),
  controlled_copies: Type.Array(Item, { description: 'Controlled copies that people hold who were deactivated' }),
  counts: Type.Object({
    deviations: Count,
    capas: Count,
    documents: Count,
    approvals: Count,
    controlled_copies: Count,
    overdue: Count,
  }),
  is_complete: Type.Boolean({
    description: 'False if only the first waiting versions were checked, because there are too many',
  }),
})

export const PendingApprovals = Type.Object({
  ...Today,
  documents: Type.Array(Item),
  deviations: Type.Array(Item),
  draft_capas: Type.Array(Item),
  capas: Type.Array(Item),
  configuration_changes: Type.Array(Item),
  controlled_copies: Type.Array(Item, {
    description: 'Recalled copies, and those whose holder says what became of them',
  }),
  file_removals: Type.Array(Item),
  disposals: Type.Array(Item),
  counts: Type.Object({
    documents: Count,
    deviations: Count,
    draft_capas: Count,
    capas: Count,
    configuration_changes: Count,
    controlled_copies: Count,
    file_removals: Count,
    disposals: Count,
    overdue: Count,
  }),
  is_complete: Type.Boolean({
    description:
      'False if only the first items by due date were checked, because there are too many; the counts are then of these',
  }),
})
