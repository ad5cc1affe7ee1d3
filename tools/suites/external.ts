// Which suites run a second time, on an external PostgreSQL of another major version: those that ask for a database of the run.
// Not those in which that server cannot matter, each for a reason that `npm test` prints with their number.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const helpers = resolve(root, 'test/support')
const asks = /\b(openWorld|cloneDatabase|emptyDatabase)\(/
/** Where the words above are defined. */
const definers = ['world/world.ts', 'world/postgres.ts'].map(name => resolve(helpers, name))

/** By how their names end. Every route and every statement behind it is asked on both servers by test/every-route.test.ts. */
const once: Record<string, string[]> = {
  'another program is what is tested': [
    '.browser.test.ts',
    '.clamav.test.ts',
    '.lemonldap.test.ts',
    '.libreoffice.test.ts',
    '.pgbouncer.test.ts',
    '.poppler.test.ts',
    '.replication.test.ts',
    '.s3.test.ts',
  ],
  'pages are made of what was read': [
    'src/modules/documents/preview.test.ts',
    'src/modules/documents/rendition.test.ts',
    'src/modules/dossiers/dossiers.test.ts',
    'src/modules/templates/starter.test.ts',
  ],
  'HTTP, the log, the error tracker or the disk is what is tested': [
    'test/control-panel.test.ts',
    'test/cors.test.ts',
    'test/error-tracking.test.ts',
    'test/faults/bucket.test.ts',
    'test/log.test.ts',
    'test/openapi.test.ts',
    'test/raw-requests.test.ts',
    'test/status.test.ts',
    'test/stores.test.ts',
  ],
  'our own process is what is killed': [
    'src/commands/backup-killed.test.ts',
    'test/assign-crash.test.ts',
    'test/jobs.test.ts',
    'test/mail.test.ts',
  ],
  'who asks, and whether they may, is decided before a record is read': [
    'test/attacks/access.test.ts',
    'test/attacks/login-timing.test.ts',
    'test/attacks/tokens.test.ts',
  ],
  'chance: more of the same': ['.properties.test.ts'],
}

/** The suites that another major version of the server is most likely to change: migrations, rights, the SQL of each route, locks and search. */
const usual = [
  /\.(external|pgvector)\.test\.ts$/,
  /^src\/platform\/(db|jobs)\//,
  // Those of text are of reading files.
  /^src\/modules\/(search\/(?!text-)|similar\/)/,
  /^test\/(audit-guard|every-route|list-totals|lists-of-tenants|races|schema|upgrade)\.test\.ts$/,
  /^test\/attacks\/(database-accounts|definer-functions)\.test\.ts$/,
]
export const isUsual = (file: string) => usual.some(each => each.test(file))
const inCi = 'in CI and by npm test -- --whole on the external PostgreSQL too'

/**
 * Chooses among `files`, relative to the folder of the project, those to run again, and counts the others by reason. Unless `isWhole`,
 * only those that another server is most likely to change.
 */
export function externalSuites(files: string[], { isWhole }: { isWhole: boolean }) {
  const asking = files.filter(file => asksForDatabase(resolve(root, file)))
  const reasonOf = (file: string) =>
    Object.keys(once).find(reason => once[reason]!.some(end => file.endsWith(end))) ??
    (isWhole || isUsual(file) ? undefined : inCi)
  const left = Map.groupBy(asking, reasonOf)
  const again = left.get(undefined) ?? []
  left.delete(undefined)
  return { again, left: [...left].map(([reason, suites]) => ({ reason: reason!, count: suites.length })) }
}

/** Itself, or by a helper in test/. */
function asksForDatabase(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file) || definers.includes(file) || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (asks.test(text)) return true
  return [...text.matchAll(/from '(#test\/|\.\.?\/)([^']+)'/g)]
    .map(([, start, rest]) => (start === '#test/' ? resolve(helpers, rest!) : resolve(dirname(file), start!, rest!)))
    .filter(target => target.startsWith(`${helpers}/`))
    .some(target => asksForDatabase(target, seen))
}
