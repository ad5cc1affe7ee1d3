import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, Day, Id, Nullable, OneOf, Person, ProofFields, Ref, Text, Timestamp, Words } from '#kernel/schema.ts'

export const recordKinds = ['document', 'deviation', 'capa'] as const
export type RecordKind = (typeof recordKinds)[number]
export const holdStatuses = ['active', 'lifted'] as const
export const disposalStatuses = ['proposed', 'approved', 'completed', 'rejected', 'withdrawn'] as const
export type DisposalStatus = (typeof disposalStatuses)[number]
export const outcomes = ['listed', 'disposed', 'kept'] as const
/** Why a record may not be disposed of now, as `disposal_obstacle()` and `case_disposal_obstacle()` of the database say it. */
export const obstacles = ['in_use', 'on_hold', 'referenced', 'copies_out', 'removal_requested', 'no_files'] as const

const Numbered = Type.Object({ id: Id, number: Type.String() })
const RetentionYears = Type.Integer({
  description: 'The retention period of the document type, or that of deviations or CAPAs in the settings',
})
const EndedOn = Type.String({
  format: 'date',
  description:
    'The day, in the time zone of the company, on which the version became superseded, obsolete or cancelled, or on which the deviation or CAPA was closed, cancelled or rejected',
})
const RetentionUntil = Type.String({ format: 'date', description: 'The last day on which it must be kept' })

export const DueRecord = Type.Object({
  kind: OneOf(...recordKinds),
  id: Id,
  number: Type.String(),
  version: Nullable(Type.String({ description: 'Of a document' })),
  title: Type.String(),
  document_type: Nullable(Type.Object({ id: Id, name: Type.String() })),
  record_status: Type.String({ description: 'The state of its workflow' }),
  ended_on: EndedOn,
  retention_years: RetentionYears,
  retention_until: RetentionUntil,
  files_total: Type.Integer({ description: 'The files that a disposal of it destroys' }),
  obstacle: Nullable(
    Type.Enum([...obstacles], {
      description:
        'Why it may not be disposed of now: it is in use, under legal hold, named by an open deviation, CAPA or training, has controlled copies that are not returned, a removal of a file of it is requested, or it has no file that could be destroyed',
    }),
  ),
  holds: Type.Array(Numbered, { description: 'The legal holds on it' }),
  disposal: Nullable(Type.Object({ ...Numbered.properties }, { description: 'The open disposal that lists it' })),
})
export type DueRecord = Static<typeof DueRecord>

export const DueFilter = Type.Object(
  {
    ...PageParams,
    kind: Type.Optional(OneOf(...recordKinds)),
    document_type: Type.Optional(Id),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
    can_be_disposed: Type.Optional(
      Type.Boolean({ description: 'Those without an obstacle that no open disposal lists, or all others' }),
    ),
  },
  { additionalProperties: false },
)
export type DueFilter = Static<typeof DueFilter>

export const DisposedFile = Type.Object({
  version_id: Nullable(Id),
  attachment_id: Nullable(Id),
  name: Type.String(),
  sha256: Type.String(),
  file_size: Type.Integer({ description: 'Bytes' }),
})

export type DisposedFile = Static<typeof DisposedFile>

const DisposalRecord = Type.Object({
  id: Id,
  kind: OneOf(...recordKinds),
  record_id: Id,
  record_number: Type.String(),
  version: Nullable(Type.String({ description: 'Of a document' })),
  title: Type.String(),
  type_name: Nullable(Type.String({ description: 'The document type' })),
  record_status: Type.String({ description: 'The state of its workflow' }),
  ended_on: EndedOn,
  retention_years: RetentionYears,
  retention_until: RetentionUntil,
  files: Type.Array(DisposedFile),
  status: Type.Enum([...outcomes], {
    description:
      '`disposed`: its `files` are no longer given out, and are being deleted or gone; a deviation or a CAPA stays without them. `kept`: it was not disposed of, for `kept_reason`',
  }),
  disposed_at: Nullable(Timestamp),
  kept_reason: Nullable(Type.String()),
})
export type DisposalRecord = Static<typeof DisposalRecord>

export const DisposalSummary = Type.Object({
  id: Id,
  number: Type.String(),
  status: Type.Enum([...disposalStatuses], {
    description: '`approved`: it is being carried out. `completed`: each record was disposed of, or kept for a reason',
  }),
  reason: Type.String(),
  records_total: Type.Integer(),
  records_disposed: Type.Integer(),
  records_kept: Type.Integer(),
  files_pending: Type.Integer({ description: 'Files that are no longer given out and not deleted from the store yet' }),
  proposed_by: Person,
  proposed_at: Timestamp,
  decided_by: Nullable(Person),
  decided_at: Nullable(Timestamp),
  decision_reason: Nullable(Type.String()),
  completed_at: Nullable(Timestamp),
  signature_ids: Type.Array(Id, { description: 'The signatures of the proposal and of its approval' }),
})
export type DisposalSummary = Static<typeof DisposalSummary>

export const Disposal = Type.Object({ ...DisposalSummary.properties, records: Type.Array(DisposalRecord) })
export type Disposal = Static<typeof Disposal>

export const DisposalFilter = Type.Object(
  { ...PageParams, status: Type.Optional(OneOf(...disposalStatuses)) },
  { additionalProperties: false },
)
export type DisposalFilter = Static<typeof DisposalFilter>

export const mostRecords = 200
export const DisposalProposal = Body({
  versions: Type.Optional(
    Type.Array(
      Body({
        document_id: Ref('document'),
        version: Type.String({ pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$', examples: ['1.0'] }),
      }),
      { maxItems: mostRecords },
    ),
  ),
  deviation_ids: Type.Optional(Type.Array(Ref('deviation'), { maxItems: mostRecords })),
  capa_ids: Type.Optional(Type.Array(Ref('capa'), { maxItems: mostRecords })),
  reason: Words(2000),
  ...ProofFields,
})
export type DisposalProposal = Static<typeof DisposalProposal>

export const DisposalApproval = Body({ decision_reason: Words(2000), ...ProofFields })
export const DisposalRejection = Body({ decision_reason: Words(2000) })
export const DisposalWithdrawal = Body({ decision_reason: Type.Optional(Words(2000)) })

export const LegalHold = Type.Object({
  id: Id,
  number: Type.String(),
  scope: Type.Enum(['record', 'document_type', 'record_kind', 'affected_item', 'department'], {
    description:
      'A hold on an affected item or a department holds the deviations about it, and the documents and CAPAs that they link',
  }),
  record: Nullable(
    Type.Object({
      kind: OneOf(...recordKinds),
      id: Id,
      number: Type.String(),
      title: Nullable(Type.String({ description: 'Null for a record that the caller may not read' })),
    }),
  ),
  document_type: Nullable(Type.Object({ id: Id, name: Type.String() })),
  record_kind: Nullable(OneOf(...recordKinds)),
  affected_item: Nullable(Type.String()),
  department: Nullable(Type.String()),
  reason: Type.String(),
  status: OneOf(...holdStatuses),
  placed_by: Person,
  placed_at: Timestamp,
  lifted_by: Nullable(Person),
  lifted_at: Nullable(Timestamp),
  lift_reason: Nullable(Type.String()),
  signature_id: Nullable(Id),
})
export type LegalHold = Static<typeof LegalHold>

export const HoldFilter = Type.Object(
  { ...PageParams, status: Type.Optional(OneOf(...holdStatuses)) },
  { additionalProperties: false },
)
export type HoldFilter = Static<typeof HoldFilter>

export const HoldPlacement = Body({
  document_id: Type.Optional(Ref('document')),
  deviation_id: Type.Optional(Ref('deviation')),
  capa_id: Type.Optional(Ref('capa')),
  document_type_id: Type.Optional(Ref('document_type')),
  record_kind: Type.Optional(OneOf(...recordKinds)),
  affected_item: Type.Optional(Words(200)),
  department: Type.Optional(Words(200)),
  reason: Words(2000),
})
export type HoldPlacement = Static<typeof HoldPlacement>

export const HoldLifting = Body({ lift_reason: Words(2000), ...ProofFields })

const HoldNote = Type.Object({ id: Id, number: Type.String(), placed_at: Timestamp })

const holdsOfRecord = Type.Array(HoldNote, { description: 'The active legal holds on it' })

export const CaseRetention = Type.Object({
  retention_years: Nullable(RetentionYears),
  ended_on: Nullable(EndedOn),
  retention_until: Nullable(Day),
  is_past: Type.Boolean({ description: 'The retention day is over' }),
  files_total: Type.Integer({ description: 'Attached files that are there' }),
  holds: holdsOfRecord,
  disposals: Type.Array(
    Type.Object({
      id: Id,
      number: Type.String(),
      disposed_at: Timestamp,
      files_total: Type.Integer({ description: 'The files that it disposed of' }),
    }),
    { description: 'The disposals of its attached files. The record, its signatures and the audit trail stay' },
  ),
})

export const DocumentRetention = Type.Object({
  retention_years: Nullable(RetentionYears),
  holds: holdsOfRecord,
  versions: Type.Array(
    Type.Object({
      version: Type.String(),
      ended_on: Nullable(EndedOn),
      retention_until: Nullable(Day),
      is_past: Type.Boolean({ description: 'The retention day is over' }),
      disposal: Nullable(
        Type.Object({ id: Id, number: Type.String(), disposed_at: Timestamp }, { description: 'Once disposed of' }),
      ),
    }),
    { description: 'Those that the caller may read; a version that is in use or under way has no retention day' },
  ),
})
export type DocumentRetention = Static<typeof DocumentRetention>
