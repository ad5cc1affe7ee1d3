import { type Static, Type } from 'typebox'
import { StoredFile } from '#action/file.ts'
import { Body, Id, Nullable, Ref, Text, Timestamp } from '#kernel/schema.ts'
import { lifetimeHours, mostForRecord } from './rules.ts'

export const Upload = Type.Object({
  id: Id,
  file: StoredFile,
  description: Nullable(Type.String()),
  created_at: Timestamp,
  expires_at: Type.String({
    format: 'date-time',
    description: `The file is erased then, ${lifetimeHours} hours after it came, unless a record uses it`,
  }),
})
export type Upload = Static<typeof Upload>

export const UploadForm = Body({ description: Type.Optional(Text({ maxLength: 2000 })) })

/** In a request that makes a record: its files. */
export const UploadedFiles = Type.Optional(
  Type.Array(Ref('upload'), {
    maxItems: mostForRecord,
    uniqueItems: true,
    description: 'Ids of your own files from POST /api/uploads, which become attachments of the new record',
  }),
)
