import { type Static, Type } from 'typebox'
import { StoredFile } from '#action/file.ts'
import { PageParams } from '#kernel/paging.ts'
import { Body, Id, Nullable, OneOf, Person, ProofFields, Ref, Timestamp, Words } from '#kernel/schema.ts'

export const removalStatuses = ['requested', 'approved', 'removed', 'rejected', 'withdrawn'] as const
export type RemovalStatus = (typeof removalStatuses)[number]

const { removal: _removal, ...fileFields } = StoredFile.properties

const CopyOut = Type.Object({
  id: Id,
  number: Type.String(),
  status: OneOf('issued', 'recalled', 'lost'),
  holder: Person,
  location: Type.String(),
  due_date: Nullable(Type.String({ format: 'date', description: 'It is to be returned by the end of this day' })),
})

export const FileRemoval = Type.Object({
  id: Id,
  number: Type.String(),
  status: Type.Enum([...removalStatuses], {
    description:
      '`approved`: the file is no longer given out, and its content is being deleted. `removed`: the content is gone from the store',
  }),
  resource_type: OneOf('document', 'deviation', 'capa'),
  resource_id: Id,
  resource_number: Type.String(),
  version: Nullable(Type.String({ description: 'Of a document' })),
  attachment_id: Nullable(Id),
  file: Type.Object(fileFields),
  hides_name: Type.Boolean(),
  copies_out: Type.Array(CopyOut, {
    description:
      'The controlled copies of the version that are not returned or destroyed. The removal does not reach paper: have them returned, and reconcile them',
  }),
  reason: Type.String(),
  requested_by: Person,
  requested_at: Timestamp,
  decided_by: Nullable(Person),
  decided_at: Nullable(Timestamp),
  decision_reason: Nullable(Type.String()),
  removed_at: Nullable(Timestamp),
  disposal: Nullable(
    Type.Object(
      { id: Id, number: Type.String() },
      { description: 'The disposal after the retention period that removed the file. Nobody requested it by itself' },
    ),
  ),
  signature_ids: Type.Array(Id, {
    description: 'The signatures of the request and of its approval, or of the disposal',
  }),
})
export type FileRemoval = Static<typeof FileRemoval>

export const RemovalFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(OneOf(...removalStatuses)),
  },
  { additionalProperties: false },
)
export type RemovalFilter = Static<typeof RemovalFilter>

export const RemovalRequest = Body({
  document_id: Type.Optional(Ref('document')),
  version: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$', examples: ['1.0'] })),
  attachment_id: Type.Optional(Ref('deviation_attachment')),
  reason: Words(2000),
  hides_name: Type.Optional(
    Type.Boolean({ description: 'The name of the file says too much too, so it is shown as `removed file`' }),
  ),
  ...ProofFields,
})
export type RemovalRequest = Static<typeof RemovalRequest>

export const RemovalApproval = Body({ decision_reason: Words(2000), ...ProofFields })
export const RemovalRejection = Body({ decision_reason: Words(2000) })
export const RemovalWithdrawal = Body({ decision_reason: Type.Optional(Words(2000)) })
