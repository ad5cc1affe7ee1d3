import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
  Assignee,
  Body,
  ChangeFields,
  CommonFields,
  Day,
  DayOrMoment,
  DeputyFields,
  Id,
  ImportedFields,
  Nullable,
  OneOf,
  Person,
  ProofFields,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { asOf, Reconstruction } from '#modules/audit'
import { UploadedFiles } from '#modules/uploads'
import { actionStatuses, capaPriorities, capaSources, capaStates, capaTypes, maxActions } from './rules.ts'

const CapaType = OneOf(...capaTypes)
const CapaSource = OneOf(...capaSources)
const CapaPriority = OneOf(...capaPriorities)
const CapaStatus = OneOf(...capaStates)
export const ActionStatus = OneOf(...actionStatuses)

const summaryFields = {
  id: Id,
  number: Type.String(),
  title: Type.String(),
  type: CapaType,
  source: CapaSource,
  priority: CapaPriority,
  status: CapaStatus,
  assigned_to: Nullable(Person),
  due_date: Day,
  overdue: Type.Boolean({
    description: 'The due date has passed in the time zone of the tenant, and the CAPA is not final',
  }),
}

export const CapaSummary = Type.Object({
  ...summaryFields,
  action_counts: Type.Object(
    { open: Type.Integer(), done: Type.Integer(), cancelled: Type.Integer() },
    { description: 'The number of its actions by status; one in progress counts as open' },
  ),
  ...CommonFields,
})
export type CapaSummary = Static<typeof CapaSummary>

const ActionItem = Type.Object({
  id: Id,
  description: Type.String(),
  assigned_to: Person,
  due_date: Day,
  overdue: Type.Boolean(),
  status: ActionStatus,
  evidence: Nullable(Type.String()),
  attachment_ids: Type.Array(Id, { description: 'The files of the CAPA that are evidence of it' }),
  completed_at: Nullable(Timestamp),
  completed_by: Nullable(Person),
  completed_by_name: Nullable(
    Type.String({
      description:
        'The name of the person who completed it before an import, as recorded in the source; then `completed_by` is null',
    }),
  ),
  approved_at: Nullable(Timestamp),
  approved_by: Nullable(Person),
  approved_by_name: Nullable(
    Type.String({
      description:
        'The name of the person who verified it before an import, as recorded in the source; then `approved_by` is null',
    }),
  ),
  revision: Type.Integer({
    description: 'The revision of the action itself, for PUT /api/capa/{id}/actions/{action_id}',
  }),
})
export type ActionItem = Static<typeof ActionItem>
export const ActionShown = Type.Object({ ...ActionItem.properties, you: Allowed })
export type ActionShown = Static<typeof ActionShown>

export const Capa = Type.Object({
  ...CapaSummary.properties,
  ...ImportedFields,
  description: Type.String(),
  root_cause: Nullable(Type.String()),
  adverse_effect_assessment: Nullable(Type.String()),
  original_due_date: Day,
  extension_count: Type.Integer(),
  actions: Type.Array(ActionShown),
  deviation_ids: Type.Array(Id),
  document_ids: Type.Array(Id),
  approved_at: Nullable(Timestamp),
  approved_by: Nullable(Person),
  closed_at: Nullable(Timestamp),
  closed_by: Nullable(Person),
  signature_id: Nullable(Type.Integer({ minimum: 1, description: 'The closure signature' })),
  you: Allowed,
})
export type Capa = Static<typeof Capa>

export const CapaChoice = Type.Object({ as_of: asOf }, { additionalProperties: false })
/** Nobody does anything with a CAPA as it was at an earlier time. */
export const CapaDetails = Type.Object({
  ...Capa.properties,
  actions: Type.Array(Type.Object({ ...ActionItem.properties, you: Type.Optional(Allowed) })),
  you: Type.Optional(Allowed),
  reconstruction: Type.Optional(Reconstruction),
})
export type CapaDetails = Static<typeof CapaDetails>

const Long = Text({ maxLength: 20_000 })
const DueDate = Type.String({ format: 'date', description: 'A day in the time zone of the tenant, today or later' })

const actionFields = {
  description: Words(4000),
  assigned_to: Ref('user'),
  due_date: Type.Optional(
    Type.String({ format: 'date', description: 'Not later than the due date of the CAPA, which is the default' }),
  ),
}
const NewAction = Body(actionFields)
export const ActionCreate = Body({ ...actionFields, ...DeputyFields, ...ChangeFields })

const FilesOfCapa = Type.Array(Ref('capa_attachment'), {
  maxItems: 100,
  uniqueItems: true,
  description: 'Files that are attached to the CAPA, as evidence beside the text or in its place',
})

const sentFields = {
  description: Type.Optional(actionFields.description),
  assigned_to: Type.Optional(actionFields.assigned_to),
  due_date: actionFields.due_date,
  status: Type.Optional(ActionStatus),
  evidence: Type.Optional(Nullable(Long)),
  attachment_ids: Type.Optional(FilesOfCapa),
}
/** An action with an `id` is changed in the fields that are sent, one without is new, and none is removed. */
const SentAction = Body({ id: Type.Optional(Ref('capa_action')), ...sentFields })
export const ActionUpdate = Body({ ...sentFields, ...DeputyFields, ...ChangeFields })
export const ActionRemoval = Body({ reason: Words(2000), revision: ChangeFields.revision, ...DeputyFields })
export const ActionOrder = Body({
  action_ids: Type.Array(Ref('capa_action'), {
    maxItems: maxActions,
    uniqueItems: true,
    description: 'Every action of the CAPA, in the new order',
  }),
  ...DeputyFields,
  ...ChangeFields,
})
export type SentAction = Static<typeof SentAction>

const maxLinks = 100
const Links = (resource: string) => Type.Array(Ref(resource), { maxItems: maxLinks, uniqueItems: true })

const fields = {
  title: Words(500),
  description: Words(20_000),
  type: CapaType,
  source: CapaSource,
}
const optionalFields = {
  priority: Type.Optional(CapaPriority),
  root_cause: Type.Optional(Nullable(Long)),
  adverse_effect_assessment: Type.Optional(Nullable(Long)),
  assigned_to: Type.Optional(Nullable(Ref('user'))),
  deviation_ids: Type.Optional(Links('deviation')),
  document_ids: Type.Optional(Links('document')),
}

export const CapaCreate = Body({
  ...fields,
  ...optionalFields,
  due_date: Type.Optional(DueDate),
  actions: Type.Optional(Type.Array(NewAction, { maxItems: maxActions })),
  attachment_ids: UploadedFiles,
})
export type CapaCreate = Static<typeof CapaCreate>

export const Signing = { ...ProofFields, intent: Type.Optional(Words(2000)) }

export const CapaUpdate = Body({
  title: Type.Optional(fields.title),
  description: Type.Optional(fields.description),
  type: Type.Optional(fields.type),
  source: Type.Optional(fields.source),
  ...optionalFields,
  due_date: Type.Optional(
    Type.String({
      format: 'date',
      description: 'Must be the current due date; to change it, use POST /api/capa/{id}/extend',
    }),
  ),
  actions: Type.Optional(Type.Array(SentAction, { maxItems: maxActions })),
  status: Type.Optional(CapaStatus),
  ...DeputyFields,
  ...Signing,
  ...ChangeFields,
})
export type CapaUpdate = Static<typeof CapaUpdate>

export const DraftApproval = Body({ comment: Type.Optional(Words(2000)), revision: ChangeFields.revision })
export const DraftRejection = Body({ comment: Words(2000), revision: ChangeFields.revision })

export const CapaFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(AnyOf(CapaStatus)),
    priority: Type.Optional(AnyOf(CapaPriority)),
    type: Type.Optional(AnyOf(CapaType)),
    source: Type.Optional(AnyOf(CapaSource)),
    assigned_to: Type.Optional(AnyOf(Assignee)),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    closed_from: Type.Optional(DayOrMoment),
    closed_to: Type.Optional(DayOrMoment),
    due_from: Type.Optional(Day),
    due_before: Type.Optional(Day),
    overdue: Type.Optional(Type.Boolean()),
    deviation_id: Type.Optional(Id),
    document_id: Type.Optional(Id),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type CapaFilter = Static<typeof CapaFilter>
