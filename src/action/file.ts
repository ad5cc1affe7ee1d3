import type { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'
import { gone } from '#kernel/errors.ts'
import { Day, Id, Nullable, Person, Timestamp } from '#kernel/schema.ts'
import { messages } from './messages.ts'

/** The answer of an action that gives a stored file: its key in the store, and the hash that its bytes must have. */
export interface FileAnswer {
  key: string
  name: string
  content_type: string
  size_bytes: number
  sha256: string
  /** A browser may show it instead of saving it. */
  is_inline?: boolean
  /** For so long one reading of a large file counts: see `requireIntact`. */
  verified_for_ms?: number
}

/** The answer of an action that makes a file and does not store it. */
export interface MadeFile {
  name: string
  content_type: string
  /** Undefined where it is not known before the file is made. */
  size_bytes?: number
  /** A browser may show it instead of saving it. */
  is_inline?: boolean
  /** More headers of the answer, for programs. */
  headers?: Record<string, string>
  /** Called once, when the file is sent. A reader that stops before the end destroys the stream. */
  open(): Promise<Readable>
}

/** In place of a response schema: the API's documentation shows the file itself. */
export const FileContent = Type.Unsafe<FileAnswer | MadeFile>({ type: 'string', format: 'binary' })

/** In place of a response schema: the action answers a record or, on request, a file made of it. */
export const orFile = <T extends TSchema>(schema: T, ...content_types: string[]) =>
  Type.Unsafe<Static<T> | MadeFile>({ ...schema, [fileTypes]: content_types })
const fileTypes = 'x-file-types'

/** The content types that the file can have; empty for an action without one. */
export const fileTypesOf = (schema: TSchema) => (schema as { [fileTypes]?: string[] })[fileTypes] ?? []

/** The record of the disposal of a version, in every answer that lists it. */
export const DisposalNote = Nullable(
  Type.Object(
    { id: Id, number: Type.String(), disposed_on: Day },
    { description: 'Only where it was disposed of after its retention period: its content is gone' },
  ),
)

/** The file of a record in an answer. */
export const StoredFile = Type.Object({
  name: Type.String(),
  size: Type.Integer({ description: 'Bytes' }),
  content_type: Type.String(),
  sha256: Type.String(),
  removal: Type.Optional(
    Type.Object(
      {
        ...{ id: Id, decided_at: Timestamp, requested_by: Person, decided_by: Person, reason: Type.String() },
        disposal: Nullable(
          Type.Object(
            { id: Id, number: Type.String() },
            { description: 'The record of the disposal, where the content was disposed of after its retention period' },
          ),
        ),
      },
      { description: 'Only where two people removed the content: the file cannot be downloaded any more' },
    ),
  ),
})
export type StoredFile = Static<typeof StoredFile>

/** The refusal to give out a file that two people removed or disposed of. */
export function fileGone({
  decided_at,
  requested_by,
  decided_by,
  reason,
  disposal,
}: NonNullable<StoredFile['removal']>) {
  const by = {
    removed_at: decided_at,
    requested_by: requested_by.full_name ?? requested_by.username,
    decided_by: decided_by.full_name ?? decided_by.username,
  }
  return gone(
    disposal ? messages.file_disposed({ ...by, number: disposal.number }) : messages.file_removed({ ...by, reason }),
  )
}
