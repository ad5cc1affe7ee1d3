import { type Static, Type } from 'typebox'
import { DisposalNote, StoredFile } from '#action/file.ts'
import { departmentCode } from '#kernel/number-pattern.ts'
import { PageParams } from '#kernel/paging.ts'
import {
  AnyOf,
  Body,
  ChangeFields,
  CommonFields,
  Day,
  DayOrMoment,
  Id,
  ImportedFields,
  importedFrom,
  Nullable,
  OneOf,
  Person,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { asOf, Reconstruction } from '#modules/audit'
import { TrainingGate, TrainingThreshold } from '#modules/workflows'

const versionFields = {
  version: Type.String({ description: 'A label that never changes: 1.0, 1.1, 2.0' }),
  status: Type.String({ description: 'The state of its workflow' }),
  title: Type.String(),
  category: Nullable(Type.String()),
  keywords: Type.Array(Type.String()),
  file_path: Type.String({ description: 'The key of the file in the store' }),
}

const EffectiveDate = Type.String({
  format: 'date',
  description:
    'The day, in the time zone of the tenant, on which the version is to become effective; once it is effective, the day on which it did',
})

/** One line of the list: the effective version where there is one, else the newest. */
export const DocumentSummary = Type.Object({
  id: Id,
  number: Type.String(),
  ...versionFields,
  document_type: Type.Object({ id: Id, name: Type.String() }),
  owner: Person,
  effective_version: Nullable(Type.String()),
  effective_date: Nullable(EffectiveDate),
  review_due_date: Nullable(Day),
  needs_revision: Type.Boolean({
    description: 'The periodic review found so; true until a newer version is effective',
  }),
  pending_version: Nullable(
    Type.Object(
      { version: Type.String(), status: Type.String(), effective_date: Nullable(EffectiveDate) },
      { description: 'A newer version on its way through the workflow' },
    ),
  ),
  disposal: DisposalNote,
  ...CommonFields,
})
export type DocumentSummary = Static<typeof DocumentSummary>

export const RuleNamed = Type.Object({
  kind: Type.String(),
  who: Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Integer())]),
  percent: Type.Optional(Type.Integer()),
})

const PendingRule = Type.Object({
  rule: RuleNamed,
  needed: Type.Integer(),
  given_by: Type.Array(Person),
  open: Type.Boolean({ description: 'Whether a further approval can count for it now' }),
})

/** The workflow of the version under way, else of the one that is shown. */
const Workflow = Type.Object({
  template: Type.Object({ id: Id, name: Type.String(), version: Type.Integer() }),
  version: Type.String(),
  state: Type.String(),
  pending: Type.Array(
    Type.Object({
      transition: Type.String(),
      to: Type.String(),
      mode: Type.String(),
      signature_required: Type.Boolean(),
      due_date: Nullable(Day),
      rules: Type.Array(PendingRule),
    }),
  ),
  transitions: Type.Array(Type.String(), { description: 'The transitions that the caller may take' }),
})

const Content = Type.Object(
  {
    status: OneOf('waiting', 'extracted', 'no_text', 'failed'),
    reason: Nullable(Type.String({ description: 'Why its text is not searched, or not all of it' })),
    pages: Nullable(Type.Integer({ minimum: 0 })),
    language: Nullable(Type.String({ description: 'ISO 639-3, as far as it can be told' })),
    by_ocr: Type.Boolean({ description: 'Read off pictures, some of it or all: letters may be wrong' }),
  },
  { description: 'Whether the text of the file can be searched' },
)
export type Content = Static<typeof Content>

export const PeriodicReview = Type.Object({
  id: Id,
  version: Type.String(),
  due_date: Nullable(Day),
  outcome: OneOf('keep_effective', 'needs_revision', 'make_obsolete'),
  comment: Type.String(),
  reviewer: Person,
  signature_id: Id,
  next_due_date: Nullable(Day),
  decided_at: Timestamp,
})
export type PeriodicReview = Static<typeof PeriodicReview>

export const Document = Type.Object({
  ...DocumentSummary.properties,
  ...ImportedFields,
  description: Nullable(Type.String()),
  department: Nullable(
    Type.String({ description: 'The code of the department that it was uploaded for; it never changes' }),
  ),
  training: Type.Object(
    { gate: TrainingGate, threshold: TrainingThreshold, is_own: Type.Boolean() },
    { description: 'The training gate; `is_own`: it differs from that of the document type' },
  ),
  file: StoredFile,
  content: Content,
  last_review: Nullable(PeriodicReview),
  workflow: Workflow,
})
export type Document = Static<typeof Document>

/** Fields that the audit trail does not keep are missing in a document as of an earlier time. */
export const DocumentDetails = Type.Object({
  ...Document.properties,
  training: Type.Optional(Document.properties.training),
  content: Type.Optional(Content),
  workflow: Type.Optional(Workflow),
  reconstruction: Type.Optional(Reconstruction),
})
export type DocumentDetails = Static<typeof DocumentDetails>

const Title = Words(500)
const Category = Text({ maxLength: 200 })
const Description = Text({ maxLength: 10_000 })

const PlannedDate = Type.String({
  format: 'date',
  description:
    'The day, in the time zone of the tenant, on which the version is to become effective; today or none is as soon as it is approved',
})

export const TrainingImpact = Type.Enum(['reassign_all', 'open_only', 'none'], {
  description:
    'Who must read the new version: everybody who is assigned to it (`reassign_all`, the default of a major change), only people who have not completed an earlier version (`open_only`, the default of a minor one), or nobody because of the change (`none`). Open assignments are moved to the new version in any case',
})

const optionalFormFields = {
  category: Type.Optional(Category),
  description: Type.Optional(Description),
  keywords: Type.Optional(Type.String({ format: 'plain-text', maxLength: 2000, description: 'Separated by commas' })),
  effective_date: Type.Optional(PlannedDate),
}

/** A department as it stands in numbers. */
export const Department = Type.String({
  pattern: departmentCode,
  examples: ['QA'],
  description: 'The code of the department that the document is of: needed where the numbers of its type name it',
})

/** DOC-01. */
export const UploadForm = Body({
  title: Title,
  document_type: Ref('document_type'),
  department: Type.Optional(Department),
  ...optionalFormFields,
})

/** A field that is left out is taken from the version before. */
export const VersionForm = Body({
  change_type: OneOf('major', 'minor'),
  change_reason: Words(2000),
  training_impact: Type.Optional(TrainingImpact),
  title: Type.Optional(Title),
  ...optionalFormFields,
})

export const DocumentUpdate = Body({
  title: Type.Optional(Title),
  category: Type.Optional(Nullable(Category)),
  description: Type.Optional(Nullable(Description)),
  keywords: Type.Optional(Type.Array(Words(100), { maxItems: 50 })),
  owner_id: Type.Optional(Ref('user')),
  effective_date: Type.Optional(Nullable(PlannedDate)),
  training_gate: Type.Optional(Nullable(TrainingGate)),
  training_threshold: Type.Optional(Nullable(TrainingThreshold)),
  ...ChangeFields,
})

export const DocumentFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(AnyOf(Text({ maxLength: 40 }))),
    document_type: Type.Optional(AnyOf(Id)),
    category: Type.Optional(AnyOf(Text({ maxLength: 200 }))),
    keywords: Type.Optional(AnyOf(Text({ maxLength: 100 }))),
    owner_id: Type.Optional(AnyOf(Id)),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    review_due_from: Type.Optional(Day),
    review_due_before: Type.Optional(Day),
    overdue_review: Type.Optional(
      Type.Literal(true, { description: 'Those whose periodic review was due before today' }),
    ),
    needs_revision: Type.Optional(Type.Boolean()),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type DocumentFilter = Static<typeof DocumentFilter>

export const VersionLabel = Type.String({ pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$', examples: ['1.0'] })
export const VersionChoice = Type.Object({ version: Type.Optional(VersionLabel) }, { additionalProperties: false })
export const DetailsChoice = Type.Object({ ...VersionChoice.properties, as_of: asOf }, { additionalProperties: false })

export const DownloadChoice = Type.Object(
  {
    ...VersionChoice.properties,
    rendition: Type.Optional(OneOf('original', 'signed', 'preview')),
    purpose: Type.Optional(
      Type.Enum(['download', 'view'], {
        description:
          '`view`: opened to be read, and shown by a browser. It is recorded as document.viewed, once for each person, version and day',
      }),
    ),
  },
  { additionalProperties: false },
)
export type DownloadChoice = Static<typeof DownloadChoice>

export const VersionParams = Type.Object({ id: Id, version: VersionLabel })

/** GET /api/documents/{id}/versions/{version}/text. */
export const VersionText = Type.Object({
  ...Content.properties,
  version: Type.String(),
  pages: Type.Array(
    Type.Object({
      number: Nullable(Type.Integer({ description: 'Null for a file without pages, such as a Word file' })),
      paragraphs: Type.Array(
        Type.Object({
          heading: Nullable(Type.String({ description: 'The nearest heading above' })),
          text: Type.String(),
        }),
      ),
    }),
  ),
})
export type VersionText = Static<typeof VersionText>

export const DocumentVersion = Type.Object({
  id: Id,
  ...versionFields,
  description: Nullable(Type.String()),
  change_type: OneOf('major', 'minor'),
  change_reason: Nullable(Type.String()),
  training_impact: TrainingImpact,
  file: StoredFile,
  content: Content,
  round: Type.Integer(),
  created_at: Timestamp,
  created_by: Person,
  submitted_at: Nullable(Timestamp),
  approved_at: Nullable(Timestamp),
  effective_at: Nullable(Timestamp),
  effective_date: Nullable(EffectiveDate),
  imported: Nullable(
    Type.Object(
      {
        ...importedFrom,
        label: Nullable(Type.String({ description: 'The label in the system before, where it was another one' })),
        ended_on: Nullable({ ...Day, description: 'The day on which it was superseded or made obsolete' }),
      },
      { description: 'Null where no migration imported it' },
    ),
  ),
})
export type DocumentVersion = Static<typeof DocumentVersion>

/** FLOW-02: transitions and decisions in the order in which they happened. */
export const HistoryEntry = Type.Object({
  kind: OneOf('transition', 'decision', 'decision_withdrawn', 'delegation', 'delegation_ended'),
  occurred_at: Timestamp,
  version: Type.String(),
  round: Type.Integer(),
  transition: Type.String(),
  from: Nullable(Type.String()),
  to: Nullable(Type.String()),
  trigger: Nullable(OneOf('user', 'automatic', 'migration')),
  decision: Nullable(OneOf('approve', 'reject')),
  is_void: Type.Boolean({
    description: 'A decision that no longer counts, because the version was sent back or the approval taken back',
  }),
  signature_id: Nullable(Id),
  user: Nullable(Person),
  comment: Nullable(Type.String()),
  delegation: Nullable(
    Type.Object({ from: Person, to: Person }, { description: 'Who delegated the approval to whom' }),
  ),
  on_behalf_of: Nullable(Person),
})
export type HistoryEntry = Static<typeof HistoryEntry>

export const HistoricalApproval = Type.Object({
  id: Id,
  version: Type.String(),
  person_name: Type.String({ description: 'As recorded in the source: perhaps nobody of today' }),
  person_role: Nullable(Type.String()),
  approved_on: Nullable(Day),
  meaning: Type.String(),
  evidence: Nullable(Type.String()),
  evidence_file: Nullable(
    Type.Object({ name: Type.String(), size: Type.Integer(), content_type: Type.String(), sha256: Type.String() }),
  ),
  batch: Type.Object(
    {
      id: Id,
      number: Type.String(),
      source: Type.String(),
      accepted_at: Timestamp,
      accepted_by: Person,
      signature_id: Nullable(Id),
    },
    { description: 'The migration that imported it, and who accepted that' },
  ),
})
export type HistoricalApproval = Static<typeof HistoricalApproval>

export const HistoricalApprovalParams = Type.Object({ id: Id, approval_id: Id })
