import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, Id, Nullable, OneOf, Person, ProofFields, Timestamp, Words } from '#kernel/schema.ts'

export const exportStatuses = ['in_progress', 'ready', 'failed', 'expired', 'deleted'] as const
export type ExportStatus = (typeof exportStatuses)[number]

/** The parts of an archive, in the order in which they are made. */
export const exportSteps = ['records', 'tables', 'files', 'signatures', 'trail', 'pages'] as const
export type ExportStep = (typeof exportSteps)[number]

/** What is in an archive, as its manifest says it too. */
export const Contents = Type.Object({
  records: Type.Record(Type.String(), Type.Integer(), { description: 'How many records, by their type' }),
  files: Type.Integer({ description: 'Files of records, each once' }),
  files_bytes: Type.Integer(),
  files_missing: Type.Integer({ description: 'Files that the store does not have, or not as they were stored' }),
  files_removed: Type.Integer({ description: 'Files whose content two people removed' }),
  signatures: Type.Integer(),
  signatures_valid: Type.Integer(),
  audit_entries: Type.Integer(),
})
export type Contents = Static<typeof Contents>

const Download = Type.Object({ at: Timestamp, user: Person })

export const TenantExport = Type.Object({
  id: Id,
  status: Type.Enum([...exportStatuses], {
    description:
      '`ready`: the archive can be downloaded until `expires_at`. `expired`, `deleted`: it is gone, and the row stays',
  }),
  reason: Type.String(),
  requested_by: Person,
  requested_at: Timestamp,
  progress: Nullable(
    Type.Object(
      { step: OneOf(...exportSteps), done: Type.Integer(), total: Type.Integer() },
      { description: 'Of an export in progress; null until it is begun' },
    ),
  ),
  snapshot_at: Nullable(
    Type.String({ format: 'date-time', description: 'The records are as they were at this moment' }),
  ),
  bytes: Nullable(Type.Integer({ description: 'The size of the archive' })),
  sha256: Nullable(Type.String({ description: 'Of the archive' })),
  manifest_sha256: Nullable(Type.String({ description: 'Of `manifest.json` in it, which has the hash of each file' })),
  contents: Nullable(Contents),
  completed_at: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  removed_at: Nullable(Timestamp),
  removed_by: Nullable(Person),
})
export type TenantExport = Static<typeof TenantExport>

export const TenantExportDetails = Type.Object({
  ...TenantExport.properties,
  downloads: Type.Array(Download, {
    description: 'Who downloaded the archive or a part of it, the latest first; at most 100',
  }),
})
export type TenantExportDetails = Static<typeof TenantExportDetails>

export const ExportRequest = Body({ reason: Words(2000), ...ProofFields })
export type ExportRequest = Static<typeof ExportRequest>

export const ExportFilter = Type.Object(
  { ...PageParams, status: Type.Optional(OneOf(...exportStatuses)) },
  { additionalProperties: false },
)
export type ExportFilter = Static<typeof ExportFilter>
