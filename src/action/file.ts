import type { Readable } from 'node:stream'
import { type Static, type TSchema, Type } from 'typebox'

/** The answer of an action that gives a file: where its bytes are, and what they must hash to. */
export interface FileAnswer {
  key: string
  name: string
  content_type: string
  size_bytes: number
  sha256: string
}

/** The answer of an action that makes what it gives, and stores it nowhere. */
export interface MadeFile {
  name: string
  content_type: string
  /** Where it is known before it is made. */
  size_bytes?: number
  /** What a program is told of it beside its bytes. */
  headers?: Record<string, string>
  /** Once, when it is sent. Whoever does not read the stream to its end destroys it. */
  open(): Promise<Readable>
}

/** Stands in the place of a response schema, and is shown as the file itself in the API's documentation. */
export const FileContent = Type.Unsafe<FileAnswer | MadeFile>({ type: 'string', format: 'binary' })

/** Stands in the place of a response schema where an action answers a record or, where it is asked for, the file made of it. */
export const orFile = <T extends TSchema>(schema: T, ...content_types: string[]) =>
  Type.Unsafe<Static<T> | MadeFile>({ ...schema, [fileTypes]: content_types })
const fileTypes = 'x-file-types'

/** Of which kinds the file can be; none where there is none. */
export const fileTypesOf = (schema: TSchema) => (schema as { [fileTypes]?: string[] })[fileTypes] ?? []

/** How the file of a record is shown. */
export const StoredFile = Type.Object({
  name: Type.String(),
  size: Type.Integer({ description: 'Bytes' }),
  content_type: Type.String(),
  sha256: Type.String(),
})
export type StoredFile = Static<typeof StoredFile>
