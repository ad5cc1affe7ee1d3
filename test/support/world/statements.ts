// Notes which statements each suite sends to PostgreSQL, where TEST_STATEMENTS names a folder: by that, tools/suites/statements.ts chooses
// which suites are needed to send every statement to another server too. A statement is its text without its values.
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Client } from 'pg'

/** A statement as it was sent first, and the user of the database who sent it. */
export interface Sent {
  text: string
  user: string
}

/** What a process writes: the statements by their digest, and which of them each suite sent. */
export interface Noted {
  statements: Record<string, Sent>
  suites: Record<string, string[]>
}

const statements = new Map<string, Sent>()
const suites = new Map<string, Set<string>>()
/** By the text as it was sent: most are sent often. */
const digests = new Map<string, string>()
let sent = new Set<string>()

/** Lists of values differ in their length alone. */
export const withoutValues = (text: string) =>
  text
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(/\$\d+/g, '$')
    .replace(/\b\d+\b/g, '0')
    .replace(/\s+/g, ' ')
    .replace(/\$(?:::\w+(?:\[\])?)?(?:, \$(?:::\w+(?:\[\])?)?)+/g, '$, …')
    .replace(/(\([^()]*\$[^()]*\))(?:, \1)+/g, '$1, …')

function digestOf({ text, user }: Sent) {
  const key = `${user} ${text}`
  const known = digests.get(key)
  if (known !== undefined) return known
  const digest = createHash('sha1')
    .update(`${user} ${withoutValues(text)}`)
    .digest('base64url')
    .slice(0, 16)
  // Lists of values may be long, and the shortest says as much.
  if (!(text.length >= (statements.get(digest)?.text.length ?? Number.POSITIVE_INFINITY)))
    statements.set(digest, { text, user })
  digests.set(key, digest)
  return digest
}

const insufficient_privilege = '42501'
/** Unless the login has no right to it: that is an attack of a test, and no statement of the service. */
function note(digest: string, answer: unknown) {
  const ofSuite = sent
  if (ofSuite.has(digest)) return
  ofSuite.add(digest)
  // The service's own statements have it beside them: see src/platform/db/statement.ts.
  const told = answer instanceof Promise ? answer : (answer as { answer?: unknown } | undefined)?.answer
  if (told instanceof Promise)
    told.catch((error: { code?: string }) => {
      if (error.code === insufficient_privilege) ofSuite.delete(digest)
    })
}

/** What is sent from now on, `suite` sends. */
export function beginSuite(suite: string) {
  sent = suites.get(suite) ?? new Set()
  suites.set(suite, sent)
}

const folder = process.env.TEST_STATEMENTS
if (folder) {
  // At once: a suite that waits at its top level cannot share a process.
  const pg: typeof import('pg') = createRequire(import.meta.url)('pg')
  const ofService = new WeakSet<object>()
  const { emit } = pg.Pool.prototype
  pg.Pool.prototype.emit = function (this: import('pg').Pool, ...words: [string, ...unknown[]]) {
    if (words[0] === 'connect') ofService.add(words[1] as Client)
    return emit.apply(this, words as never)
  } as typeof emit
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: Client, ...words: Parameters<typeof query>) {
    const [statement] = words as unknown[]
    const text = typeof statement === 'string' ? statement : (statement as { text?: string } | undefined)?.text
    const answer: unknown = query.apply(this, words)
    // A connection of no pool is the test itself, that looks, and so is the superuser.
    if (text && this.user && this.user !== 'postgres' && ofService.has(this))
      note(digestOf({ text, user: this.user }), answer)
    return answer
  } as typeof query
  process.on('exit', () => {
    const noted: Noted = {
      statements: Object.fromEntries(statements),
      suites: Object.fromEntries([...suites].map(([suite, digests]) => [suite, [...digests]])),
    }
    writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(noted))
  })
}
