import type { Tx } from '#platform/db/database.ts'
import { listNames } from './name-queries.ts'
import type { findEntry } from './queries.ts'
import type { AuditEntry } from './schema.ts'

type Stored = NonNullable<Awaited<ReturnType<typeof findEntry>>>

/**
 * Adds the full names that people had when the entries were written. An entry does not hold the name, so it is taken from the trail: the
 * next change of the name says what it was before, and without a later change it is the present one.
 */
export async function withFullNames(tx: Tx, entries: readonly Stored[]): Promise<AuditEntry[]> {
  const named = entries.filter(isNamed)
  const people = named.length === 0 ? [] : await listNames(tx, ...rangeOf(named))
  const byId = new Map(people.map(person => [person.id, person]))
  return entries.map(entry => {
    const person = isNamed(entry) ? byId.get(entry.user.id!) : undefined
    return { ...entry, user: { ...entry.user, ...(person ? nameAt(person, entry.id) : unnamed) } } as AuditEntry
  })
}

const unnamed = { full_name: null, full_name_as_of: null }

/** A redacted entry has no username, and a full name would identify the person again. */
const isNamed = ({ user }: Stored) => user.id !== null && user.username !== null

const rangeOf = (entries: readonly Stored[]): [number[], number] => [
  [...new Set(entries.map(({ user }) => user.id!))],
  Math.min(...entries.map(({ id }) => id)),
]

function nameAt({ full_name, changes }: Awaited<ReturnType<typeof listNames>>[number], id: number) {
  const next = changes.find(change => change.id >= id)
  if (!next) return { full_name, full_name_as_of: 'entry' as const }
  return next.is_redacted
    ? { full_name, full_name_as_of: 'now' as const }
    : { full_name: next.previous, full_name_as_of: 'entry' as const }
}
