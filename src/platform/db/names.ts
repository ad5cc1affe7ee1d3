// Records by number and title: the conditions of a query, and what `named_records` finds by them.
import { type AliasedRawBuilder, sql } from 'kysely'
import { contains, type DisposalNote } from './expressions.ts'

/** A query: each of its words is in the number or the title of what it finds, and the whole decides the order. */
export interface SoughtName {
  /** `number` is a regular expression of PostgreSQL, `title` and `beginning` (of a word) are patterns of `like`. */
  words: ({ number: string; title: string } | { number: string; beginning: string })[]
  whole: { number: string; title: string }
}

/** In a regular expression every sign that somebody typed stands for itself. */
const literal = (text: string) => text.replace(/[^\p{L}\p{N}\s]/gu, sign => `\\${sign}`)

/** Fewer letters are sought at the beginning of a word, which a trigram index can answer. */
const fewLetters = 3

/** `2026-3` and `dev 2026 3` are in DEV-2026-0003: zeros before a number, and what separates its parts, do not count. */
function numberPattern(text: string): string {
  const parts = text.match(/\p{L}+|\d+/gu) ?? []
  const isDigits = (part: string | undefined) => part !== undefined && /^\d/.test(part)
  const pattern = parts
    .map((part, i) => {
      const gap = i === 0 ? '' : isDigits(part) && isDigits(parts[i - 1]) ? '[^[:alnum:]]+' : '[^[:alnum:]]*'
      return `${gap}${isDigits(part) ? `0*${part.replace(/^0+(?=\d)/, '')}` : part}`
    })
    .join('')
  if (parts.length === 0) return literal(text)
  return isDigits(parts[0]) ? `(^|[^0-9])${pattern}` : pattern
}

const patternOf = (word: string): SoughtName['words'][number] =>
  word.length < fewLetters && /^\p{L}+$/u.test(word)
    ? { number: `^${word}`, beginning: `${word}%` }
    : { number: numberPattern(word), title: contains(word) }

export const soughtName = (q: string): SoughtName => ({
  words: q.trim().split(/\s+/).map(patternOf),
  whole: { number: numberPattern(q), title: q.trim() },
})

export type NamedKind = 'document' | 'deviation' | 'capa' | 'training_program' | 'user'

export interface NamedRecord {
  id: number
  /** The number of a record, or the username of a person. */
  number: string
  title: string
  status: string
  /** The smaller, the nearer to what was sought. */
  place: number
  /** Of a document that was disposed of. */
  disposal?: DisposalNote | null
}

/** The documents that somebody may read: those in a state of these kinds, and their own. */
interface Readable {
  kinds: readonly string[]
  userId: number | null
}

/** The nearest records of one kind by their name, as a table `n`; the caller joins them and selects those that the person may read. */
export const namedRecords = (
  kind: NamedKind,
  sought: SoughtName,
  most: number | null,
  readable?: Readable,
): AliasedRawBuilder<{ record_id: number; place: number }, 'n'> =>
  sql<{
    record_id: number
    place: number
  }>`named_records(${kind}, ${JSON.stringify(sought)}::jsonb, ${most}, ${readable?.kinds ?? null}, ${readable?.userId ?? null})`.as(
    'n',
  )
