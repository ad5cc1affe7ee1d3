// The contract between a batch and its sheets. A batch stages, checks, rehearses, loads and compares rows; a sheet says what a row is.
import type { ActionContext } from '#action'
import type { Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'

/** In the order in which a batch is loaded where `needs` leaves a choice. */
export const sheetNames = [
  'users',
  'groups',
  'members',
  'documents',
  'versions',
  'approvals',
  'curricula',
  'training',
  'deviations',
  'capas',
  'capa_actions',
  'links',
] as const
export type SheetName = (typeof sheetNames)[number]

/** `date` is a day (YYYY-MM-DD), `moment` an ISO 8601 moment in UTC, `list` texts apart by semicolons, `file` a path among the files. */
export const columnKinds = ['text', 'long_text', 'date', 'moment', 'integer', 'choice', 'list', 'file'] as const
export type ColumnKind = (typeof columnKinds)[number]

export interface Column {
  name: string
  kind: ColumnKind
  required?: boolean
  /** Of a `choice`: compared without regard to case, and stored as here. */
  choices?: readonly string[]
  /**
   * Of a `file`: the record takes the file for its own, as a version does. After the load the batch no longer keeps it, so only one row may name
   * it. A file that stays with the batch, such as the scan of an approval, may be named by many.
   */
  takes?: true
  /** Of a `file`: types that uploads refuse are taken too, because the file is only kept as an attachment. */
  takesLegacy?: true
  /** One sentence under the column in the template. */
  help: Message
  /** Other headings by which the column is found, in English or German. */
  aliases?: readonly string[]
}

/** What stands in a row, read by the kind of its column. An empty cell is null, and an empty list has no items. */
export type Value = string | number | readonly string[] | null
export type Values = Record<string, Value>

/** A finding about a row: what is wrong, and what to do about it. Both are said in the reader's language. */
export interface RowMessage {
  message: Message
  todo: Message
  column?: string
}

/** A row as it is staged. */
export interface StagedRow<V extends Values = Values> {
  id: number
  sheet: SheetName
  /** Its line in the manifest, counted from 1 with the header. */
  line: number
  key: string
  values: V
  planned: Planned | null
  /** The record that it became. Null before its load; in a rehearsal it is the record that will be undone. */
  resource_type: string | null
  resource_id: number | null
}

/** The record exactly as it would be: fields by their names in the API. */
export type Planned = Readonly<Record<string, unknown>>

export interface Checked {
  status: 'ok' | 'warning' | 'error'
  messages: readonly RowMessage[]
  planned: Planned | null
}

/** A file of the batch, received, inspected and scanned for viruses. */
export interface StagedFile {
  id: number
  path: string
  /** The last part of the path. */
  name: string
  /** The key in the store. A row that takes the file gives it to its record. */
  file_key: string
  sha256: string
  file_size: number
  content_type: string
  /** A type that uploads refuse (.doc, .xls, .msg, .dwg): it is kept as it is, only as an attachment. */
  is_legacy: boolean
}

export interface Loaded {
  resource_type: string
  resource_id: number
}

/** A value of the record that is not that of its row; both as a reader sees them. */
export interface Difference {
  column: string
  row: string | null
  record: string | null
}

export interface BatchSettings {
  /** `keep` the old number as the number of the document, or give a new one and keep the old as its legacy number. */
  keep_numbers: boolean
  /** Imported completions count for training gates. */
  training_counts: boolean
  /** Closed deviations and CAPAs become closed records, or documents. */
  closed_cases: 'records' | 'documents'
}

/** The facts of a batch that its sheets use. */
export interface BatchFacts extends BatchSettings {
  id: number
  number: string
  source: string
  /** Who began the batch, and is recorded as who loads it. */
  started_by: number
  time_zone: string
  /** The day and moment of this step. */
  today: string
  now: Date
  /** The sheets that have rows. */
  sheets: readonly SheetName[]
  /** The staged rows of a sheet by key; those that are not staged are missing. One statement. */
  find(sheet: SheetName, keys: readonly string[]): Promise<Map<string, StagedRow>>
  /** The files by path; those that are not there are missing. One statement. */
  files(paths: readonly string[]): Promise<Map<string, StagedFile>>
}

/** A row of another sheet, or of the same sheet before this one, that has to be loaded first where the batch has it. */
export interface Reference {
  sheet: SheetName
  key: string
}

export interface Sheet<V extends Values = Values> {
  name: SheetName
  /** The sheets that are loaded before this one. */
  needs: readonly SheetName[]
  columns: readonly Column[]
  help: Message
  /** Unique within the batch and sheet. Its parts are joined by `keyOf`. */
  key(values: V): string
  /** The rows without which this one cannot be loaded: a rehearsal loads them with it. */
  references(values: V): readonly Reference[]
  /**
   * Judges a page of rows by what is staged and what is in the database, and writes nothing. The answers are in the order of the rows.
   * Kinds, choices, required columns, duplicates of a key, and files that are missing or taken twice have been checked.
   */
  check(tx: Tx, rows: readonly StagedRow<V>[], batch: BatchFacts): Promise<readonly Checked[]>
  /**
   * Makes the records of a page of rows, in few statements, and records what happened (`context.record`) with `provenance`. A refusal
   * (AppError) undoes the page; then its rows are tried one by one, so that the refused one can be named. Notifies nobody.
   */
  load(context: ActionContext<unknown>, rows: readonly StagedRow<V>[], batch: BatchFacts): Promise<readonly Loaded[]>
  /** Reads the records back and compares each value, and the SHA-256 of each file that a record names, with the row. */
  compare(tx: Tx, rows: readonly StagedRow<V>[], batch: BatchFacts): Promise<readonly (readonly Difference[])[]>
}

/** A sheet of any columns, as the registry holds it. */
// biome-ignore lint/suspicious/noExplicitAny: each sheet has values of its own
export type AnySheet = Sheet<any>

/** Joins the parts of a key, such as the number of a document and the label of a version. */
export const keyOf = (...parts: readonly (string | null)[]) => parts.map(part => part ?? '').join(' | ')

/** The origin of a record for its audit entry: spread it into `after`. */
export const provenance = (row: Pick<StagedRow, 'sheet' | 'line'>, batch: Pick<BatchFacts, 'number' | 'source'>) => ({
  batch: batch.number,
  sheet: row.sheet,
  line: row.line,
  source: batch.source,
})
