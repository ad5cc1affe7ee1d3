import { type Static, type TSchema, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Day, Id, Nullable, Person, Text } from '#kernel/schema.ts'
import { lateAfterHours } from '#modules/deviations'
import { countedFigures } from './counted.ts'

const maxMonths = 60

const windowFields = {
  date_from: Type.Optional(
    Type.String({ format: 'date', description: 'First day of the window; without it, 89 days before its last' }),
  ),
  date_to: Type.Optional(Type.String({ format: 'date', description: 'Last day of the window; without it, today' })),
}

export const StatsFilter = Type.Object(
  {
    months: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxMonths,
        default: 12,
        description: 'How many months the trends have, this one included',
      }),
    ),
    ...windowFields,
    compare: Type.Optional(
      Type.Literal('previous', { description: 'Also counts the window of the same length that ends the day before' }),
    ),
  },
  { additionalProperties: false },
)
export type StatsFilter = Static<typeof StatsFilter>

const { page, page_size } = PageParams
export const CountedFilter = Type.Object(
  {
    figure: Type.Enum(countedFigures, { description: 'Its place in the statistics' }),
    key: Type.Optional(
      Text({ minLength: 1, maxLength: 200, description: 'Of a figure with several lines: which of them' }),
    ),
    ...windowFields,
    ...{ page, page_size },
  },
  { additionalProperties: false },
)

export const CountedRecord = Type.Object({
  resource_type: Type.Enum(['document', 'deviation', 'capa', 'training_assignment']),
  id: Id,
  number: Type.String(),
  title: Type.String(),
  status: Type.String(),
  person: Type.Union([Person, Type.Null()], { description: 'Whose training it is' }),
  day: Type.Union([Day, Type.Null()], { description: 'The day by which it counts; null where the figure has none' }),
})

const Count = (description: string) => Type.Integer({ description })
const Rate = (numerator: string, denominator: string) =>
  Type.Object(
    { numerator: Type.Integer(), denominator: Type.Integer(), rate: Nullable(Type.Number()) },
    { description: `${numerator} / ${denominator}. Null where the denominator is 0` },
  )
const Days = (description: string) =>
  Type.Object(
    { count: Type.Integer(), mean: Nullable(Type.Number()), median: Nullable(Type.Number()) },
    { description: `Calendar days ${description}: mean and median. Null where there are none` },
  )
const ByKey = (description: string) =>
  Type.Array(Type.Object({ key: Nullable(Type.String()), count: Type.Integer() }), {
    description: `${description}; the most first. Without one: null`,
  })
const Ages = (description: string) =>
  Type.Array(Type.Object({ from_days: Type.Integer(), to_days: Nullable(Type.Integer()), count: Type.Integer() }), {
    description,
  })
const overdueAges = (what: string) =>
  Ages(`${what} by the calendar days since they were due: 1-7, 8-30, 31-60, 61-90, more`)
const Monthly = <P extends Record<string, TSchema>>(counts: P) =>
  Type.Array(Type.Object({ month: Type.String({ description: 'YYYY-MM, where the tenant is' }), ...counts }), {
    description: 'A line for each month, the oldest first, also where nothing happened',
  })

const DocumentStats = Type.Object({
  total: Count('Documents, drafts included'),
  by_status: ByKey('Documents by the status of the version that a reader is shown'),
  by_type: Type.Array(
    Type.Object({
      document_type: Type.Object({ id: Id, name: Type.String() }),
      count: Type.Integer(),
    }),
    { description: 'Documents by type' },
  ),
  versions_total: Count('Versions of all documents'),
  versions_per_document: Rate('Versions', 'documents'),
  created: Count('Documents made in the window'),
  versions_created: Count('Versions made in the window'),
  pending_ageing: Ages(
    'Versions that are being reviewed or approved today, by the calendar days since their submission: 0-7, 8-30, 31-60, 61-90, more',
  ),
  approval_cycle_days: Days('from the last submission to the approval, of versions approved in the window'),
  rejection_rate: Rate('Rounds rejected in the window', 'rounds rejected or approved in the window'),
  pending_approvals: Count('Versions that are being reviewed or approved today'),
  approvals_older_than_7_days: Count('Pending ones that were submitted more than 7 days ago'),
  overdue_reviews: Count('Effective versions whose periodic review was due before today'),
  reviews_due_within_30_days: Count('Effective versions whose periodic review is due from today to 30 days on'),
  review_on_time_rate: Rate(
    'Periodic reviews due in the window and decided by their day',
    'periodic reviews due in the window and before today, decided or not',
  ),
})

const DeviationStats = Type.Object({
  opened: Count('Reported in the window, whatever became of them'),
  closed: Count('Closed in the window, and not reopened since'),
  open: Count('Neither closed nor cancelled today'),
  overdue: Count('Open, and due before today'),
  by_status: ByKey('All deviations by status'),
  open_by_severity: ByKey('Open ones by severity'),
  by_severity: ByKey('Reported in the window, by severity'),
  by_category: ByKey('Reported in the window, by category'),
  by_root_cause: ByKey('Reported in the window, by the category of the root cause'),
  by_department: ByKey('Reported in the window, by department'),
  days_to_close: Days('from detection to closure, of those closed in the window'),
  on_time_closure_rate: Rate('Closed in the window by the first due date', 'closed in the window'),
  on_time_closure_rate_extended: Rate(
    'Closed in the window by the due date with its extensions',
    'closed in the window',
  ),
  critical_ratio: Rate('Critical ones reported in the window', 'reported in the window'),
  recurrence_rate: Rate(
    'Closed in the window and happening again: linked as recurrence of an older one, or of the category and root cause of one that was detected in the 12 months before',
    'closed in the window',
  ),
  recurrence_by_category: ByKey('Closed in the window and happening again, by category'),
  late_report_rate: Rate(
    `Reported in the window more than ${lateAfterHours} hours after detection`,
    'reported in the window',
  ),
  extension_rate: Rate('Reported in the window and extended at least once', 'reported in the window'),
  reopen_rate: Rate('Times that one was reopened in the window', 'times that one was closed in the window'),
  ageing: Ages('Open ones by the calendar days since they were reported: 0-7, 8-30, 31-60, 61-90, more'),
  pareto_of_causes: Type.Array(
    Type.Object({
      key: Type.String(),
      count: Type.Integer(),
      cumulative: Rate('This cause and those above it', 'those with a known cause'),
    }),
    { description: 'Reported in the window and with a category of the root cause, the most frequent first' },
  ),
  per_month: Monthly({ opened: Type.Integer(), closed: Type.Integer() }),
})

const openCapas = 'open, in progress or pending effectiveness'
const CapaStats = Type.Object({
  opened: Count('Made in the window, drafts included'),
  closed: Count('Closed in the window'),
  open: Count(`${openCapas} today`),
  overdue: Count('Open, and due before today'),
  overdue_rate: Rate('Overdue', 'open'),
  draft_pending: Count('Drafts that await approval'),
  by_status: ByKey('All CAPAs by status'),
  open_by_type: ByKey('Open ones by type'),
  open_by_source: ByKey('Open ones by source'),
  open_by_priority: ByKey('Open ones by priority'),
  by_source: ByKey('Made in the window, by source'),
  days_to_close: Days(
    'from approval (or, where it began open, from its making) to closure, of those closed in the window',
  ),
  on_time_rate: Rate('Closed in the window by the first due date', 'closed in the window'),
  on_time_rate_extended: Rate('Closed in the window by the due date with its extensions', 'closed in the window'),
  closure_rate: Rate('Closed in the window', 'made in the window'),
  effectiveness_rate: Rate(
    'Effectiveness reviews of the window that found it effective',
    'effectiveness reviews completed in the window',
  ),
  sent_back_rate: Rate(
    'Times in the window that a CAPA was found not effective and went back to work: a closed one is never reopened',
    'times that one was closed or sent back in the window',
  ),
  extension_rate: Rate('Made in the window and extended at least once', 'made in the window'),
  overdue_ageing: overdueAges('Overdue ones'),
  per_month: Monthly({ opened: Type.Integer(), closed: Type.Integer() }),
})

const Compliance = Type.Object({
  required: Count(
    'Pairs of an active person and an active program assigned to them; waived and cancelled ones are none',
  ),
  trained: Count(
    'Required pairs in which the person is trained today: completed, verified where required, and still valid',
  ),
  overdue: Count('Required pairs with an open assignment that was due before today'),
  rate: Nullable(Type.Number({ description: 'trained / required' })),
})
const TrainingStats = Type.Object({
  assigned: Count('Assigned in the window'),
  completed: Count('Completed in the window'),
  open: Count('Assigned or in progress today'),
  overdue: Count('Open, and due before today'),
  due_soon: Count('Open, and due from today to 7 days on'),
  overdue_ageing: overdueAges('Overdue ones'),
  on_time_rate: Rate('Completed in the window by the due date', 'completed in the window'),
  first_attempt_pass_rate: Rate('First attempts of the window that passed', 'first attempts in the window'),
  compliance_rate: Rate(
    'Pairs in which the person is trained today',
    'pairs of an active person and an active program required of them',
  ),
  curriculum_completion: Rate(
    'Pairs of a person and a curriculum of theirs in all of whose programs they are trained or excused',
    'pairs of an active person and an active curriculum of theirs',
  ),
  by_program: Type.Array(
    Type.Object({
      program: Type.Object({ id: Id, number: Type.String(), title: Type.String() }),
      compliance: Compliance,
    }),
    { description: 'The compliance by active program, the lowest rate first, 100 at most' },
  ),
  by_group: Type.Array(Type.Object({ group: Type.Object({ id: Id, name: Type.String() }), compliance: Compliance }), {
    description:
      'The compliance of the members of each group in everything required of them, the lowest rate first, 100 at most',
  }),
  per_month: Monthly({ assigned: Type.Integer(), completed: Type.Integer() }),
})

const Block = <T extends TSchema>(schema: T, permission: string) =>
  Type.Union([schema, Type.Null()], { description: `Null without the permission ${permission}` })

/** The figures that the window decides; the others are of today, and have no earlier ones. */
export const figuresOfWindow = {
  documents: ['created', 'versions_created', 'approval_cycle_days', 'rejection_rate', 'review_on_time_rate'],
  deviations: [
    'opened',
    'closed',
    'by_severity',
    'by_category',
    'by_root_cause',
    'by_department',
    'pareto_of_causes',
    'days_to_close',
    'on_time_closure_rate',
    'on_time_closure_rate_extended',
    'critical_ratio',
    'recurrence_rate',
    'recurrence_by_category',
    'late_report_rate',
    'extension_rate',
    'reopen_rate',
  ],
  capas: [
    'opened',
    'closed',
    'by_source',
    'days_to_close',
    'on_time_rate',
    'on_time_rate_extended',
    'closure_rate',
    'effectiveness_rate',
    'sent_back_rate',
    'extension_rate',
  ],
  training: ['assigned', 'completed', 'on_time_rate', 'first_attempt_pass_rate'],
} as const
const Previous = Type.Object({
  window: Type.Object({ date_from: Day, date_to: Day }),
  documents: Block(Type.Pick(DocumentStats, figuresOfWindow.documents), 'documents.read'),
  deviations: Block(Type.Pick(DeviationStats, figuresOfWindow.deviations), 'deviations.read'),
  capas: Block(Type.Pick(CapaStats, figuresOfWindow.capas), 'capa.read'),
  training: Block(Type.Pick(TrainingStats, figuresOfWindow.training), 'training.read_all'),
})
export type Previous = Static<typeof Previous>

export const Stats = Type.Object({
  window: Type.Object({ date_from: Day, date_to: Day, time_zone: Type.String() }),
  today: Day,
  documents: Block(DocumentStats, 'documents.read'),
  creation_trends: Monthly({
    documents: Nullable(Type.Integer()),
    versions: Nullable(Type.Integer()),
    deviations: Nullable(Type.Integer()),
    capas: Nullable(Type.Integer()),
    assignments: Nullable(Type.Integer()),
  }),
  deviations: Block(DeviationStats, 'deviations.read'),
  capas: Block(CapaStats, 'capa.read'),
  training: Block(TrainingStats, 'training.read_all'),
  previous: Type.Union([Previous, Type.Null()], {
    description: 'With `compare=previous`: the figures of the window before that do not depend on today',
  }),
  lists: Type.Array(
    Type.Object({
      figure: Type.String({ description: 'Its place in this answer, such as `deviations.critical_ratio.numerator`' }),
      key: Nullable(
        Type.String({ description: 'Of a figure with several lines: its `key`, type, `from_days` or `month`' }),
      ),
      list: Type.String({ description: 'The request; its `total` is the figure' }),
    }),
    {
      description:
        'The lists behind the figures. Without one: what counts pairs of people and programs or curricula, lines without a key, and documents for a person who may not read all of them',
    },
  ),
})
export type Stats = Static<typeof Stats>
