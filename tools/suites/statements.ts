// Which suites, run again on another server, send it every statement that all of them sent to the first one.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Noted } from '#test/world/statements.ts'

/** What the processes of a run noted in `folder`: the digests of the statements by suite, and the statements by their digest. */
export function readNoted(folder: string) {
  const sentBy = new Map<string, Set<string>>()
  const statements = new Map<string, string>()
  for (const name of globSync('*.json', { cwd: folder })) {
    const noted: Noted = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    for (const [digest, statement] of Object.entries(noted.statements)) statements.set(digest, statement)
    for (const [suite, digests] of Object.entries(noted.suites))
      sentBy.set(suite, new Set([...(sentBy.get(suite) ?? []), ...digests]))
  }
  return { sentBy, statements }
}

/**
 * Chooses among `suites`, beside `always`, those that together send what all of `suites` send: the one first that adds most statements
 * for its time (`secondsOf`, in seconds).
 */
export function coveringSuites(
  suites: string[],
  {
    always,
    sentBy,
    secondsOf,
  }: { always: string[]; sentBy: Map<string, Set<string>>; secondsOf(suite: string): number },
): string[] {
  const of = (suite: string) => sentBy.get(suite) ?? new Set<string>()
  const covered = new Set(always.flatMap(suite => [...of(suite)]))
  const missing = new Set(suites.flatMap(suite => [...of(suite)]).filter(digest => !covered.has(digest)))
  const chosen: string[] = []
  while (missing.size > 0) {
    const worthOf = (suite: string) => of(suite).intersection(missing).size / (secondsOf(suite) + start_seconds)
    const best = suites.reduce((one, other) => (worthOf(other) > worthOf(one) ? other : one))
    chosen.push(best)
    for (const digest of of(best)) missing.delete(digest)
  }
  return chosen
}

/** What a suite costs beside its tests. */
const start_seconds = 0.5
