// Which suites, run again on another server, send it every statement that all of them sent to the first one.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Noted, Sent } from '#test/world/statements.ts'

/** What the processes of a run noted in `folder`: the digests of the statements by suite, and the statements by their digest. */
export function readNoted(folder: string) {
  const sentBy = new Map<string, Set<string>>()
  const statements = new Map<string, Sent>()
  for (const name of globSync('*.json', { cwd: folder })) {
    const noted: Noted = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    for (const [digest, statement] of Object.entries(noted.statements)) statements.set(digest, statement)
    for (const [suite, digests] of Object.entries(noted.suites))
      sentBy.set(suite, new Set([...(sentBy.get(suite) ?? []), ...digests]))
  }
  return { sentBy, statements }
}

/**
 * Whether a server explains the statement without running it: it then reads it, finds its tables and functions, looks for the rights of
 * the service to them and decides how it would run it. Others do something before they can be explained, or are several.
 */
export const isExplainable = ({ text, user }: Sent) =>
  user === 'attest_app' &&
  /^\s*(select|insert|update|delete|with)\b/i.test(text) &&
  !text
    .replace(/'(?:[^']|'')*'/g, '')
    .trim()
    .slice(0, -1)
    .includes(';')

interface Choice {
  /** Suites that are repeated in any case. */
  always: string[]
  sentBy: Map<string, Set<string>>
  secondsOf(suite: string): number
  /** Whether a statement need not be sent, because the server explains it. */
  isExplained(digest: string): boolean
}

/**
 * Chooses among `suites`, beside `always`, those that are run again on another server: the one first that adds most statements for its
 * time, until all are sent that the server cannot explain, and a second of any suite would add less than one of the others. Gives the
 * statements too that are then to be explained, because no chosen suite sends them.
 */
export function coveringSuites(suites: string[], { always, sentBy, secondsOf, isExplained }: Choice) {
  const of = (suite: string) => sentBy.get(suite) ?? new Set<string>()
  const covered = new Set(always.flatMap(suite => [...of(suite)]))
  const missing = new Set(suites.flatMap(suite => [...of(suite)]).filter(digest => !covered.has(digest)))
  const chosen: string[] = []
  const worthOf = (suite: string) => of(suite).intersection(missing).size / (secondsOf(suite) + start_seconds)
  const best = (among: string[]) => among.reduce((one, other) => (worthOf(other) > worthOf(one) ? other : one))
  for (;;) {
    const unexplained = new Set([...missing].filter(digest => !isExplained(digest)))
    if (missing.size === 0) break
    const needed = unexplained.size > 0 ? suites.filter(suite => !of(suite).isDisjointFrom(unexplained)) : suites
    const next = best(needed)
    if (unexplained.size === 0 && worthOf(next) < least_worth) break
    chosen.push(next)
    for (const digest of of(next)) missing.delete(digest)
  }
  return { chosen, explained: missing }
}

/** What a suite costs beside its tests. */
const start_seconds = 0.5
/** Statements that a second of a suite adds: to have one explained takes a thousandth of that. */
const least_worth = 3
