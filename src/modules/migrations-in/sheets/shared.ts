import type { Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import type { BatchFacts, Checked, Column, Difference, Planned, RowMessage, StagedFile, StagedRow } from '../sheet.ts'
import { help, messages } from './messages.ts'
import { findPeople } from './queries.ts'

export interface Finding extends RowMessage {
  isError: boolean
}

/** What keeps a row from being loaded. */
export const wrong = (column: string, message: Message, todo: Message): Finding => ({
  ...{ isError: true, column, message, todo },
})
/** What a person should look at, and may leave as it is. */
export const unsure = (column: string, message: Message, todo: Message): Finding => ({
  ...{ isError: false, column, message, todo },
})

export const judged = (findings: readonly Finding[], planned: Planned): Checked => ({
  status: findings.some(({ isError }) => isError) ? 'error' : findings.length > 0 ? 'warning' : 'ok',
  messages: findings.map(({ message, todo, column }) => ({ message, todo, ...(column !== undefined && { column }) })),
  planned,
})

type Shown = string | number | readonly string[] | null | undefined
const shownAs = (value: Shown): string | null =>
  value === null || value === undefined || value === ''
    ? null
    : Array.isArray(value)
      ? value.length === 0
        ? null
        : value.join('; ')
      : String(value)

/** The values of a record that are not those of its row. */
export const differing = (pairs: readonly (readonly [column: string, row: Shown, record: Shown])[]): Difference[] =>
  pairs.flatMap(([column, row, record]) => {
    const [one, other] = [shownAs(row), shownAs(record)]
    return one === other ? [] : [{ column, row: one, record: other }]
  })

/** A row whose record is gone differs as a whole. */
export const missing = (key: string): Difference[] => [{ column: 'id', row: key, record: null }]

/** Keys are made of rows that lack a required cell, too. */
export const plainKey = (text: string | null) => (text ?? '').trim()
export const lower = (text: string | null) => plainKey(text).toLowerCase()
export const userKey = lower
export const groupKey = lower

export interface KnownPerson {
  /** Null before the row of the person is loaded. */
  id: number | null
  username: string
  is_active: boolean
}

/** People whom rows name: those of the tenant, and those that the batch brings in. */
export class People {
  readonly #known = new Map<string, KnownPerson>()

  private constructor() {}

  static async find<R>(
    tx: Tx,
    batch: BatchFacts,
    rows: readonly { values: R }[],
    namesIn: (values: R) => readonly (string | null)[],
  ): Promise<People> {
    const names = rows.flatMap(({ values }) => namesIn(values))
    const asked = [...new Set(names.filter(name => name !== null).map(userKey))]
    const people = new People()
    if (asked.length === 0) return people
    for (const [key, { values }] of await batch.find('users', asked))
      people.#known.set(key, { id: null, username: String(values.username), is_active: values.active !== 'no' })
    for (const { id, username, is_active } of await findPeople(tx, asked))
      people.#known.set(userKey(username), { id, username, is_active })
    return people
  }

  get(name: string | null): KnownPerson | undefined {
    return name === null ? undefined : this.#known.get(userKey(name))
  }

  /** After the check and the load of its row, a person is there. */
  require(name: string): { id: number; username: string } {
    const found = this.get(name)
    if (found?.id == null) throw new Error(`the user ${name} of a checked row is missing`)
    return { id: found.id, username: found.username }
  }
}

export const unknownPerson = (column: string, name: string) =>
  wrong(column, messages.staged_person_unknown({ name }), messages.todo_person_unknown())

/** A day that cannot lie ahead, such as that of a closure. */
export const futureDay = (column: string, day: string | null, { today }: BatchFacts): Finding[] =>
  day !== null && day > today ? [wrong(column, messages.staged_day_ahead({ day }), messages.todo_day_ahead())] : []

/** Days that follow each other. */
export const inOrder = (
  [earlier, first]: readonly [column: string, day: string | null],
  [later, second]: readonly [column: string, day: string | null],
): Finding[] =>
  first !== null && second !== null && second < first
    ? [wrong(later, messages.staged_days_reversed({ earlier, first, later, second }), messages.todo_days_reversed())]
    : []

export const attachmentColumns: readonly Column[] = ([1, 2, 3] as const).map(n => ({
  ...{ name: `attachment_${n}`, kind: 'file', takes: true, takesLegacy: true, help: help.help_attachment() },
  aliases: [`Attachment ${n}`, `Anhang ${n}`],
}))

/** The files that a row attaches, in their order. */
export const attachedIn = (values: Record<string, unknown>): string[] =>
  attachmentColumns.flatMap(({ name }) => (typeof values[name] === 'string' ? [values[name] as string] : []))

export const asStored = ({ file_key, name, file_size, content_type, sha256 }: StagedFile) => ({
  ...{ file_key, file_name: name, file_size, content_type, sha256 },
})

/** Where a row has the same number as another record of its kind. */
export function numberFindings(
  number: string,
  found: { number: string } | undefined,
  { keep_numbers }: BatchFacts,
): Finding[] {
  if (number.length > 100 || /[\p{Cc}]/u.test(number))
    return [wrong('number', messages.staged_number_unfit({ number }), messages.todo_number_unfit())]
  return found && keep_numbers
    ? [wrong('number', messages.staged_number_taken({ number }), messages.todo_number_taken())]
    : []
}

/** The number that a row keeps, and the one of before where it gets a new one. */
export const numbersOf = (number: string, { keep_numbers }: BatchFacts) =>
  keep_numbers ? { number, legacy_number: null } : { number: null, legacy_number: number }

export const callsBy = (record: { number: string; legacy_number: string | null }) =>
  record.legacy_number ?? record.number

/** The page of rows with what was found for each by its id. */
export const byId = <T extends { id: number }>(rows: readonly T[]) => new Map(rows.map(row => [row.id, row]))

export const idsOf = (rows: readonly StagedRow[]) => rows.map(({ resource_id }) => resource_id!)
