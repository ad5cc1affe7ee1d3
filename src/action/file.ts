import { Type } from 'typebox'

/** The answer of an action that gives a file: where its bytes are, and what they must hash to. */
export interface FileAnswer {
  key: string
  name: string
  content_type: string
  size_bytes: number
  sha256: string
}

/** Stands in the place of a response schema, and is shown as the file itself in the API's documentation. */
export const FileContent = Type.Unsafe<FileAnswer>({ type: 'string', format: 'binary' })
