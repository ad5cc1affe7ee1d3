import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { StoredFile } from '#action/file.ts'
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
  saidIn,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { asOf, Reconstruction } from '#modules/audit'
import { FormData } from '#modules/forms'
import { UploadedFiles } from '#modules/uploads'
import { severities, states } from './rules.ts'

export const Severity = OneOf(...severities)
export const State = OneOf(...states)
export const SeverityDecision = Type.Enum(['accepted', 'overridden'], {
  description:
    'The decision about the severity that the rules suggest: `accepted`, or `overridden` with a `severity_reason`',
})

export const Category = OneOf(
  'process',
  'procedure',
  'product',
  'material',
  'equipment',
  'laboratory',
  'cleaning',
  'environmental',
  'documentation',
  'training',
  'supplier',
  'packaging',
  'storage_warehouse',
  'data_integrity',
  'safety',
  'other',
)

const RootCauseCategory = OneOf(
  'human_error',
  'process_failure',
  'equipment_failure',
  'material_issue',
  'supplier_issue',
  'method_procedure_gap',
  'training_gap',
  'documentation_gap',
  'environmental_issue',
  'system_software_issue',
  'data_integrity_issue',
  'unknown_inconclusive',
  'other',
)

const Why = Body({ why: Words(2000), because: Words(2000) })
const Causes = Type.Optional(
  Type.Array(Body({ cause: Words(2000), is_contributing: Type.Optional(Type.Boolean()) }), { maxItems: 50 }),
)
const Fishbone = Body({
  people: Causes,
  process: Causes,
  equipment: Causes,
  materials: Causes,
  environment: Causes,
  management: Causes,
})

export const RootCause = Body({
  method: OneOf('five_whys', 'fishbone', 'other'),
  category: RootCauseCategory,
  summary: Words(10_000),
  steps: Type.Optional(
    Type.Union([Type.Array(Why, { minItems: 1, maxItems: 7 }), Fishbone], {
      description:
        'For `five_whys` the questions with their answers, for `fishbone` the causes in its six categories; other methods have none',
    }),
  ),
})
export type RootCause = Static<typeof RootCause>

const AffectedItem = Body({ kind: OneOf('product', 'batch', 'equipment', 'system', 'other'), identifier: Words(200) })
const AffectedItems = Type.Array(AffectedItem, { maxItems: 100 })

/** The suggestion of the published rules for a description. */
const Suggestion = {
  severity: Severity,
  confidence: Type.Number({ minimum: 0, maximum: 1 }),
  rationale: Type.String(),
}
export const SuggestionBody = Body({ description: Words(20_000) })
const SaidSuggestion = { ...Suggestion, code: Type.String(), params: Type.Record(Type.String(), Type.Unknown()) }
export const SeveritySuggestion = Type.Object(
  {
    ...SaidSuggestion,
    method: Type.Enum(['model', 'rules'], {
      description: 'The source of the severity: a language model, or the rules alone',
    }),
    by_rules: Type.Object(SaidSuggestion, {
      description:
        'The suggestion of the published rules alone. `severity_decision` decides about this one, and the record keeps it',
      ...saidIn({ text: 'rationale' }),
    }),
  },
  saidIn({ text: 'rationale' }),
)
export type SeveritySuggestion = Static<typeof SeveritySuggestion>
/** The answer that a language model must give. The rationale comes first, so that it is reasoned before it is judged. */
export const ModelJudgement = Type.Object(
  {
    rationale: Words(2000),
    severity: Severity,
    confidence: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'From 0 to 1: the probability that a quality unit would decide the same',
    }),
  },
  { additionalProperties: false },
)
const StoredSuggestion = Type.Object(
  {
    ...Suggestion,
    rules: Type.Array(Type.String()),
    code: Type.Optional(Type.String({ description: 'Left out where the description was changed since' })),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  saidIn({ text: 'rationale' }),
)

const Title = Words(500)
const Description = Words(20_000)
const Long = Nullable(Words(20_000))
const LinkedIds = (resource: string) => Type.Array(Ref(resource), { maxItems: 100, uniqueItems: true })

/** The fields that people enter beside title, description and severity. */
const written = {
  severity_decision: Type.Optional(SeverityDecision),
  severity_reason: Type.Optional(Nullable(Words(2000))),
  category: Type.Optional(Nullable(Category)),
  department: Type.Optional(Nullable(Words(200))),
  occurred_at: Type.Optional(Nullable(Timestamp)),
  detected_at: Type.Optional(Timestamp),
  late_report_reason: Type.Optional(Nullable(Words(2000))),
  affected_items: Type.Optional(AffectedItems),
  immediate_action: Type.Optional(Long),
  impact_assessment: Type.Optional(Long),
  investigation: Type.Optional(Long),
  root_cause: Type.Optional(Nullable(RootCause)),
  no_capa_reason: Type.Optional(Nullable(Words(2000))),
  assigned_to: Type.Optional(Nullable(Ref('user'))),
  form_template_id: Type.Optional(Nullable(Ref('form_template'))),
  form_data: Type.Optional(FormData),
  document_ids: Type.Optional(LinkedIds('document')),
  capa_ids: Type.Optional(LinkedIds('capa')),
}

export const DeviationCreate = Body({
  title: Title,
  description: Description,
  severity: Severity,
  ...written,
  attachment_ids: UploadedFiles,
})
export type DeviationCreate = Static<typeof DeviationCreate>

export const DeviationUpdate = Body({
  title: Type.Optional(Title),
  description: Type.Optional(Description),
  severity: Type.Optional(Severity),
  ...written,
  due_date: Type.Optional(
    Type.String({ format: 'date', description: 'Must be the current due date; to change it, use `extend`' }),
  ),
  status: Type.Optional(
    Type.Enum([...states], { description: 'The state to move it to, once the other fields of the request are set' }),
  ),
  intent: Type.Optional(Words(2000)),
  ...DeputyFields,
  ...ProofFields,
  ...ChangeFields,
})
export type DeviationUpdate = Static<typeof DeviationUpdate>

const Ids = Type.Array(Id)

export const DeviationSummary = Type.Object({
  id: Id,
  number: Type.String(),
  title: Type.String(),
  severity: Severity,
  status: State,
  category: Nullable(Category),
  department: Nullable(Type.String()),
  occurred_at: Nullable(Timestamp),
  detected_at: Timestamp,
  reported_at: Timestamp,
  reported_by: Person,
  assigned_to: Nullable(Person),
  due_date: Day,
  overdue: Type.Boolean({ description: 'Due before today in the time zone of the tenant, and not final' }),
  extension_count: Type.Integer(),
  is_recurrence: Type.Boolean({ description: 'It is linked as a recurrence of an older deviation' }),
  document_ids: Ids,
  capa_ids: Ids,
  closed_at: Nullable(Timestamp),
  ...CommonFields,
})
export type DeviationSummary = Static<typeof DeviationSummary>

export const Deviation = Type.Object({
  ...DeviationSummary.properties,
  ...ImportedFields,
  description: Type.String(),
  severity_suggestion: Nullable(StoredSuggestion),
  severity_decision: Nullable(SeverityDecision),
  severity_reason: Nullable(Type.String()),
  late_report_reason: Nullable(Type.String()),
  affected_items: AffectedItems,
  immediate_action: Nullable(Type.String()),
  impact_assessment: Nullable(Type.String()),
  investigation: Nullable(Type.String()),
  root_cause: Nullable(RootCause),
  no_capa_reason: Nullable(Type.String()),
  original_due_date: Day,
  form_template_id: Nullable(Id),
  form_template_version: Nullable(Type.Integer()),
  form_data: Nullable(FormData),
  attachments: Type.Array(Type.Object({ id: Id, ...StoredFile.properties })),
  closed_by: Nullable(Person),
  transitions: Type.Array(State, {
    description: 'The states that the caller has the permission to move it to from here',
  }),
  you: Allowed,
})
export type Deviation = Static<typeof Deviation>

export const DeviationChoice = Type.Object({ as_of: asOf }, { additionalProperties: false })
/** Nobody does anything with a deviation as it was at an earlier time. */
export const DeviationDetails = Type.Object({
  ...Deviation.properties,
  you: Type.Optional(Allowed),
  reconstruction: Type.Optional(Reconstruction),
})
export type DeviationDetails = Static<typeof DeviationDetails>

export const DeviationFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(AnyOf(State)),
    severity: Type.Optional(AnyOf(Severity)),
    category: Type.Optional(AnyOf(Category)),
    department: Type.Optional(AnyOf(Text({ maxLength: 200 }))),
    assigned_to: Type.Optional(AnyOf(Assignee)),
    reported_by: Type.Optional(AnyOf(Id)),
    document_id: Type.Optional(Id),
    capa_id: Type.Optional(Id),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    reported_from: Type.Optional(DayOrMoment),
    reported_to: Type.Optional(DayOrMoment),
    closed_from: Type.Optional(DayOrMoment),
    closed_to: Type.Optional(DayOrMoment),
    root_cause_category: Type.Optional(AnyOf(RootCauseCategory)),
    overdue: Type.Optional(Type.Boolean()),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type DeviationFilter = Static<typeof DeviationFilter>
