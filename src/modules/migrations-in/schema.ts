import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
  Body,
  ChangeFields,
  Id,
  Nullable,
  OneOf,
  Person,
  ProofFields,
  Said,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { dateFormats } from './rules.ts'
import { columnKinds, sheetNames } from './sheet.ts'

export const batchStatuses = [
  ...(['staging', 'checking', 'checked', 'rehearsing', 'rehearsed', 'accepted', 'loading'] as const),
  ...(['failed', 'reconciling', 'loaded', 'released', 'discarded'] as const),
] as const
export const BatchStatus = OneOf(...batchStatuses)
export type BatchStatus = Static<typeof BatchStatus>

export const rowStatuses = ['new', 'ok', 'warning', 'error', 'loaded', 'verified', 'differs'] as const
export const RowStatus = OneOf(...rowStatuses)
export type RowStatus = Static<typeof RowStatus>

export const fileKinds = ['manifest', 'content'] as const
export const sampleFindings = ['ok', 'differs'] as const
export const SheetName = OneOf(...sheetNames)

const Count = Type.Integer({ minimum: 0 })
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })

const Columns = Type.Record(
  Type.String({ maxLength: 40 }),
  Type.Record(Type.String({ maxLength: 60 }), Nullable(Words(200)), { maxProperties: 60 }),
  {
    maxProperties: 20,
    description:
      'The heading for a column by sheet, where it is not the name of the column or one of its other names; null leaves the column out: `{"documents": {"number": "SOP-Nr."}}`',
  },
)

export const Settings = Type.Object({
  keep_numbers: Type.Boolean({
    description:
      'The old number becomes the number of the record; otherwise a new one is given, and the old one is kept beside it',
  }),
  training_counts: Type.Boolean({ description: 'Imported completions count for training gates' }),
  closed_cases: {
    ...OneOf('records', 'documents'),
    description: 'Closed deviations and CAPAs become closed records, or documents',
  },
  date_format: {
    ...OneOf(...dateFormats),
    description: 'How days are written in text cells. A real date of a spreadsheet is always read',
  },
  columns: Columns,
})
export type Settings = Static<typeof Settings>

export const SettingsChange = Body({
  keep_numbers: Type.Optional(Settings.properties.keep_numbers),
  training_counts: Type.Optional(Settings.properties.training_counts),
  closed_cases: Type.Optional(Settings.properties.closed_cases),
  date_format: Type.Optional(Settings.properties.date_format),
  columns: Type.Optional(Columns),
})
export type SettingsChange = Static<typeof SettingsChange>

const Title = Words(200)
const Source = Words(200)
export const BatchCreate = Body({ title: Title, source_system: Source, settings: Type.Optional(SettingsChange) })
export const BatchUpdate = Body({
  title: Type.Optional(Title),
  source_system: Type.Optional(Source),
  settings: Type.Optional(SettingsChange),
  ...ChangeFields,
})

export const ManifestForm = Body({
  sheet: Type.Optional({
    ...SheetName,
    description: 'For a CSV: the sheet that it is. Without it the name of the file says so, as `documents.csv` does',
  }),
})
export const FilesForm = Body({})

const Counts = Type.Object(
  Object.fromEntries(rowStatuses.map(status => [status, Count])) as Record<(typeof rowStatuses)[number], typeof Count>,
)

const MappedColumn = Type.Object({
  name: Type.String(),
  kind: OneOf(...columnKinds),
  is_required: Type.Boolean(),
  choices: Type.Array(Type.String()),
  help: Said,
  heading: Nullable(Type.String({ description: 'The heading that the column is read from' })),
  is_mapped_by_hand: Type.Boolean(),
})

const SheetOfBatch = Type.Object({
  name: SheetName,
  manifest: Type.String({ description: 'The name of the file that it is from' }),
  headings: Type.Array(Type.String()),
  columns: Type.Array(MappedColumn),
  unread_headings: Type.Array(Type.String(), { description: 'Headings that no column is read from' }),
  missing: Type.Array(Type.String(), { description: 'Required columns without a heading' }),
  rows: Count,
  counts: Counts,
})

const JobOfBatch = Type.Object({
  id: Id,
  kind: OneOf('migration.check', 'migration.rehearse', 'migration.load', 'migration.reconcile'),
  status: OneOf('queued', 'running', 'completed', 'failed'),
  total: Count,
  done: Count,
  skipped: Count,
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  error: Nullable(Type.String()),
})

const Step = Type.Object({ by: Person, at: Timestamp, signature_id: Id })

const Reconciliation = Type.Object({
  records: Count,
  differences: Count,
  files: Count,
  damaged_files: Count,
  sha256: Sha256,
  at: Timestamp,
})
export type Reconciliation = Static<typeof Reconciliation>

const summary = {
  id: Id,
  number: Type.String(),
  title: Type.String(),
  source_system: Type.String(),
  status: BatchStatus,
  started_by: Person,
  started_at: Timestamp,
  rows: Count,
  counts: Counts,
  job: Nullable(JobOfBatch),
  accepted: Nullable(Step),
  released: Nullable(Step),
  updated_at: Timestamp,
  revision: Type.Integer(),
}
export const BatchSummary = Type.Object(summary)

export const Batch = Type.Object({
  ...summary,
  settings: Settings,
  sheets: Type.Array(SheetOfBatch),
  ignored_sheets: Type.Array(Type.String(), { description: 'Sheets of the manifests that are no part of an import' }),
  files: Type.Object({
    count: Count,
    bytes: Count,
    unused: Type.Integer({ minimum: 0, description: 'Files that no row names, as the last check found' }),
  }),
  content_revision: Type.Integer({ minimum: 1 }),
  manifest_sha256: Nullable(Sha256),
  files_sha256: Nullable(Sha256),
  report_sha256: Nullable(Sha256),
  samples: Type.Object({ proposed: Count, done: Count, differ: Count }),
  reconciliation: Nullable(Reconciliation),
  release_remarks: Nullable(Type.String()),
  discarded: Nullable(Type.Object({ by: Person, at: Timestamp, reason: Type.String() })),
  you: Allowed,
})
export type Batch = Static<typeof Batch>

export const BatchFilter = Type.Object(
  { ...PageParams, status: Type.Optional(AnyOf(BatchStatus)), q: Type.Optional(Text({ maxLength: 200 })) },
  { additionalProperties: false },
)
export type BatchFilter = Static<typeof BatchFilter>

const Finding = Type.Object({
  column: Nullable(Type.String()),
  message: Said,
  code: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
  todo: Said,
})

const Sample = Type.Object({
  by: Person,
  at: Timestamp,
  finding: OneOf(...sampleFindings),
  comment: Nullable(Type.String()),
})

export const Row = Type.Object({
  id: Id,
  sheet: SheetName,
  line: Type.Integer({ minimum: 1 }),
  key: Nullable(Type.String()),
  status: RowStatus,
  messages: Type.Array(Finding),
  values: Nullable(Type.Record(Type.String(), Type.Unknown(), { description: 'As they were read from the cells' })),
  planned: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The record exactly as it would be, once the row is checked',
    }),
  ),
  record: Nullable(Type.Object({ type: Type.String(), id: Id, link: Nullable(Type.String()) })),
  differences: Type.Array(
    Type.Object({ column: Type.String(), row: Nullable(Type.String()), record: Nullable(Type.String()) }),
  ),
  is_proposed_sample: Type.Boolean(),
  sample: Nullable(Sample),
})
export type Row = Static<typeof Row>

export const RowFilter = Type.Object(
  {
    ...PageParams,
    sheet: Type.Optional(SheetName),
    status: Type.Optional(AnyOf(RowStatus)),
    q: Type.Optional(Text({ maxLength: 200, description: 'In the key' })),
    is_sampled: Type.Optional(Type.Boolean()),
    is_proposed: Type.Optional(
      Type.Boolean({ description: 'Proposed for the comparison with the source, as in the sample plan' }),
    ),
  },
  { additionalProperties: false },
)
export type RowFilter = Static<typeof RowFilter>

export const RowParams = Type.Object({ id: Id, row_id: Id })

export const StagedFileItem = Type.Object({
  id: Id,
  kind: OneOf(...fileKinds),
  path: Type.String(),
  size: Count,
  content_type: Type.String(),
  sha256: Sha256,
  is_legacy: Type.Boolean({ description: 'A type that uploads refuse: it is kept as it is, as an attachment' }),
  uploaded_at: Timestamp,
  uploaded_by: Person,
})
export const FileFilter = Type.Object(
  { ...PageParams, kind: Type.Optional(OneOf(...fileKinds)), q: Type.Optional(Text({ maxLength: 200 })) },
  { additionalProperties: false },
)
export type FileFilter = Static<typeof FileFilter>

export const FilesTaken = Type.Object({
  taken: Type.Integer({ minimum: 0, description: 'Files that are kept now' }),
  replaced: Type.Integer({ minimum: 0, description: 'Of these, files of the same path as one before' }),
  refused: Type.Array(Type.Object({ path: Type.String(), message: Said, code: Type.String() })),
  revision: Type.Integer(),
})

export const SamplePlan = Type.Object({
  level: Type.Literal('II', { description: 'The general inspection level of ISO 2859-1' }),
  sheets: Type.Array(
    Type.Object({
      sheet: SheetName,
      rows: Count,
      code: Type.String({ description: 'The code letter of the sample size' }),
      size: Count,
      done: Count,
      row_ids: Type.Array(Id, { description: 'The rows that are proposed, in the order of their lines' }),
    }),
  ),
})

export const SampleRequest = Body({
  finding: { ...OneOf(...sampleFindings), description: 'Whether the record as it would be agrees with the source' },
  comment: Type.Optional({ ...Words(2000), description: 'Required with `differs`' }),
})

export const Acceptance = Body({
  report_sha256: {
    ...Sha256,
    description: 'The hash of the report that you read. If anything changed since, the answer is 409',
  },
  intent: Type.Optional(Words(2000)),
  ...ProofFields,
})
export const Release = Body({
  intent: Type.Optional(Words(2000)),
  remarks: Type.Optional({
    ...Words(2000),
    description: 'Required where records differ from their rows: why, and how each difference is resolved',
  }),
  ...ProofFields,
})
export const Discard = Body({ reason: Words(2000) })
export const Continue = Body({ revision: ChangeFields.revision })

export const ReportFilter = Type.Object(
  { format: Type.Optional(OneOf('json', 'csv', 'pdf')) },
  { additionalProperties: false },
)
