import type { ActionContext, Actor, PrepareContext } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { Print } from '#kernel/print.ts'
import type { RecordScope } from '#modules/audit'
import type { Now, SignatureRecord } from '#modules/signatures'
import type { Block, Fact } from '#platform/pdf/rendition.ts'

/** A file of a record, as it was stored. */
export interface RecordedFile {
  /** The folder in the dossier, and what the manifest says of the file. */
  folder: string
  of: { version: string } | { attachment_id: number }
  /** The row that names it. */
  row: { version_id: number } | { attachment_id: number }
  key: string
  name: string
  size: number
  sha256: string
}

/** A signature with what was signed as it is now, and the heading that it is printed under. */
export interface RecordedSignature {
  row: SignatureRecord
  now: Now
  heading: Print
}

/** Everything about a record, as its module reads it. */
export interface Subject {
  type: string
  id: number
  number: string
  /** The number as pages print it, where it is more than the number. */
  printed_number?: Print
  title: string
  /** For the heading of each printed page. */
  status: Print
  revision: number | null
  /** Another one after each change of the record. */
  mark: string
  changed_at: string | null
  /** The content of record.json. */
  record: object
  /** The parts beside it, by the names of their files. */
  parts: Record<string, readonly object[]>
  /** On the first page. */
  facts: Fact[]
  /** The pages after it. `altered`: the keys of files that are not as they were stored. */
  pages(altered: ReadonlySet<string>): Block[]
  files: RecordedFile[]
  signatures: RecordedSignature[]
  /** Its entries in the audit trail, without those of its signatures. */
  scope: RecordScope
}

type Reading = Pick<ActionContext<unknown>, 'tx' | 'services'> & { actor: Actor }

/** A kind of record that can be exported, with `P` as the parameters of its routes. */
export interface Kind<P> {
  /** Entries about reading the record, which do not change it. */
  reading: readonly EventName[]
  /** Refuses whoever may not read it. Answers the number and the mark of the record. */
  require(context: Reading, params: P): Promise<{ id: number; number: string; mark: string }>
  read(context: PrepareContext, params: P): Promise<Subject>
}
