// doctor --deep: whether the evidence is what it was. It only reads, page by page, in short transactions.
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { platformTenantId } from '#modules/accounts'
import { auditKeys, readTrust, verifyLog } from '#modules/audit'
import { countAllSignatures, listKeyLinks, listSigningKeys, readTrustedKeys, verifyAll } from '#modules/signatures'
import type { Config } from '#platform/config.ts'
import { isSealedByItsKeys } from '#platform/crypto/key-succession.ts'
import { findKeys, keyIdOf, type SigningKey } from '#platform/crypto/signing-key.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { signing } from '../app.ts'
import { digestOf, each, requireSame, type StoredFile } from './backup/files.ts'
import { say } from './command.ts'

/** Several faults of one check, each with a line of its own. */
export class Faults extends Error {
  readonly lines: string[]

  constructor(lines: string[]) {
    super(lines.join('; '))
    this.lines = lines
  }
}

/** So many faults of a check are named, and the others counted. */
const mostNamed = 20
const filesPerPage = 500
export const sampledFiles = 200

interface Deep {
  config: Config
  database: Database
  /** Undefined if the storage fails or does not exist yet. */
  storage: FileStorage | undefined
  /** How many files of each tenant are read. */
  files: number | 'all'
  check(name: string, work: () => Promise<string>): Promise<boolean>
}

interface Tenant {
  id: number
  slug: string
}

export async function examineDeeply(deep: Deep) {
  const { config, database } = deep
  const [signature, audit] = await Promise.all([keysAtHand(config, 'signature'), keysAtHand(config, 'audit')])
  await deep.check('succession of keys', () => checkKeyLinks(deep))
  const tenants = await readOf(database, platformTenantId)(listTenants)
  await deep.check('keys of the audit trail', () => checkAuditKeys(deep, audit, tenants))
  for (const tenant of tenants) {
    await deep.check(`audit trail of ${tenant.slug}`, () => checkTrail(deep, audit, tenant))
    await deep.check(`signatures of ${tenant.slug}`, () => checkSignatures(deep, signature, tenant))
    await deep.check(`files of ${tenant.slug}`, () => checkFiles(deep, tenant))
  }
  for (const what of beyondReach(deep)) say(`-     not examined: ${what}`)
}

const beyondReach = ({ files }: Deep) => [
  ...(files === 'all' ? [] : ['the stored files outside of the sample (--files all reads every file)']),
  'whether a whole audit trail was replaced by another that was signed with its key (audit anchor --check compares what is kept elsewhere)',
  'the details of audit entries that were redacted, entries that are not sealed yet, backups, and the projections that projections check reads',
]

/** The keys of this installation, by which the others are judged; none if they are missing or cannot be read, which is a failure of its own. */
const keysAtHand = async (config: Config, name: 'signature' | 'audit'): Promise<SigningKey[]> => {
  const { inUse, previous } = await findKeys(config.keys, name).catch(() => ({ inUse: undefined, previous: undefined }))
  return [inUse, previous].filter(key => key !== undefined)
}

const readOf =
  (database: Database, tenantId: number) =>
  <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.transaction({ tenantId, userId: null }, 'read only', work, { canRunAgain: true })

const listTenants = (tx: Tx): Promise<Tenant[]> =>
  tx.selectFrom('tenants').select(['id', 'slug']).orderBy('id').execute()

/** Every key has the id that follows from it, and every link is sealed by its keys and told in the audit trail. */
async function checkKeyLinks({ database }: Deep): Promise<string> {
  const [keys, links, told] = await readOf(
    database,
    platformTenantId,
  )(tx => Promise.all([listSigningKeys(tx), listKeyLinks(tx), listToldLinks(tx)]))
  const faults = [
    ...keys
      .filter(({ key_id, public_key }) => keyIdOf(Buffer.from(public_key, 'base64')) !== key_id)
      .map(({ key_id }) => `the key ${key_id} was replaced: its id is not that of this public key`),
    ...links
      .filter(link => !isSealedByItsKeys(link))
      .map(link => `the link from ${link.previous.key_id} to ${link.next.key_id} is not sealed by these keys`),
    ...links
      .filter(({ by_next }) => !told.some(each => each === null || each === by_next))
      .map(link => `the audit trail tells nothing of the link from ${link.previous.key_id} to ${link.next.key_id}`),
  ]
  if (faults.length > 0) throw new Faults(named(faults))
  return `${count(keys.length, 'key')} and ${count(links.length, 'link')} between them, each told in the audit trail of the platform`
}

/** The seals of the links that entries tell of; null for an entry whose detail was redacted. */
const listToldLinks = async (tx: Tx) =>
  (
    await sql<{ by_next: string | null }>`
      select changes #>> '{by_next,to}' as by_next from audit_entries
      where action in ('signing_key.rotated', 'signing_key.confirmed') and outcome = 'success'`.execute(tx)
  ).rows.map(({ by_next }) => by_next)

async function checkAuditKeys({ database }: Deep, held: SigningKey[], tenants: readonly Tenant[]): Promise<string> {
  const keys = await auditKeys(database)
  if (keys.length === 0) return 'there is none yet'
  if (held.length === 0) throw new Error('not examined, because no key of the audit trail is at hand')
  const unknown = new Map(keys.map(({ key_id, public_key }) => [key_id, public_key]))
  for (const { id } of tenants) {
    const { isTrusted } = await readOf(database, id)(tx => readTrust(tx, held))
    for (const [key_id, public_key] of unknown)
      if (isTrusted(public_key) && keyIdOf(Buffer.from(public_key, 'base64')) === key_id) unknown.delete(key_id)
  }
  if (unknown.size > 0)
    throw new Faults(
      [...unknown.keys()].map(key_id => `no audit trail tells of the key ${key_id}: find out who added or replaced it`),
    )
  return `${count(keys.length, 'key')}, each at hand or told in an audit trail`
}

/** The entries of each page are hashed between transactions. */
async function checkTrail({ database }: Deep, held: SigningKey[], { id }: Tenant): Promise<string> {
  let waiting = 0
  const read = readOf(database, id)
  const sealed = await read(tx => tx.selectFrom('audit_checkpoints').select('size').limit(1).executeTakeFirst())
  if (sealed && held.length === 0) throw new Error('not examined, because no key of the audit trail is at hand')
  const { failures, warnings, checked } = await verifyLog({ read, held, tellWaiting: entries => (waiting = entries) })
  const placed = ({ seq, entry_id, sentence }: (typeof failures | typeof warnings)[number]) =>
    [...(entry_id === null ? [] : [`entry ${entry_id}`]), ...(seq === null ? [] : [`place ${seq}`]), sentence].join(
      ': ',
    )
  for (const warning of warnings.slice(0, mostNamed)) say(`-     to be explained: ${placed(warning)}`)
  if (failures.length > 0) throw new Faults(named(failures.map(placed)))
  const found = `${count(checked.entries, 'sealed entry', 'sealed entries')} and ${count(checked.checkpoints, 'checkpoint')} verified`
  const open = waiting === 0 ? '' : `; ${waits(waiting)} not verified`
  return `${found}${open}`
}

async function checkSignatures({ database, storage }: Deep, held: SigningKey[], { id }: Tenant): Promise<string> {
  const read = readOf(database, id)
  const expected = await read(countAllSignatures)
  if (expected === 0) return 'there are none'
  if (!storage) throw new Error(`${expected} not examined, because the storage fails`)
  if (held.length === 0) throw new Error(`${expected} not examined, because no key of signatures is at hand`)
  const trusted = await read(tx => readTrustedKeys(tx, held))
  const faults = new Named()
  let verified = 0
  for await (const { id: signature, of, failed } of verifyAll({ read, storage, signing, trusted })) {
    verified += 1
    if (failed.length > 0) faults.add(`signature ${signature} on ${of}: ${failed.join('; ')}`)
  }
  // The service may go on signing meanwhile.
  if (verified < expected)
    faults.add(`${expected - verified} signatures name a key that is missing, and were not verified`)
  faults.throwIfAny()
  return `${verified} of ${Math.max(verified, expected)} verified, each by its nine checks`
}

async function checkFiles({ database, storage, files }: Deep, { id }: Tenant): Promise<string> {
  const read = readOf(database, id)
  const tables = await read(tablesWithFiles)
  const all = await read(tx => countFiles(tx, tables))
  if (all === 0) return 'there are none'
  if (!storage) throw new Error(`${all} not examined, because the storage fails`)
  const faults = new Named()
  let done = 0
  await each(files === 'all' ? everyFile(read, tables) : sampleOf(read, tables, files), async file => {
    await compareFile(storage, file).catch((error: Error) => faults.add(error.message))
    done += 1
  })
  faults.throwIfAny()
  return `${done} of ${Math.max(done, all)} read, each with its recorded size and SHA-256${done < all ? ': a random sample' : ''}`
}

async function compareFile(storage: FileStorage, { key, sha256, size_bytes }: StoredFile) {
  const source = await storage.open(key)
  try {
    requireSame(`the file ${key}`, await digestOf(source), { sha256, bytes: size_bytes })
  } finally {
    source.destroy()
  }
}

/** Any table with these columns has files, and an id. */
const tablesWithFiles = async (tx: Tx) =>
  (
    await sql<{ name: string }>`
      select c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attname in ('id', 'file_key', 'sha256', 'file_size')
      group by c.relname having count(*) = 4 order by 1`.execute(tx)
  ).rows.map(({ name }) => name)

const columns = sql`id, file_key as key, sha256, file_size as size_bytes`
const union = (tables: readonly string[]) =>
  sql.join(
    tables.map(table => sql`select ${columns} from ${sql.table(table)}`),
    sql` union all `,
  )

/** All rows are read for it, which takes longer than a request may. */
const takeTime = (tx: Tx) => sql`set local statement_timeout = '1h'`.execute(tx)

async function countFiles(tx: Tx, tables: readonly string[]): Promise<number> {
  await takeTime(tx)
  return (await sql<{ n: number }>`select count(*) as n from (${union(tables)}) f`.execute(tx)).rows[0]!.n
}

type Read = ReturnType<typeof readOf>

async function* everyFile(read: Read, tables: readonly string[]): AsyncGenerator<StoredFile> {
  for (const table of tables)
    for (let after = 0; ; ) {
      const { rows } = await read(tx =>
        sql<StoredFile & { id: number }>`
          select ${columns} from ${sql.table(table)} where id > ${after} order by id limit ${filesPerPage}`.execute(tx),
      )
      yield* rows
      if (rows.length < filesPerPage) break
      after = rows.at(-1)!.id
    }
}

/** Another sample each time, so that in the end every file is read. */
async function* sampleOf(read: Read, tables: readonly string[], limit: number): AsyncGenerator<StoredFile> {
  const seed = randomInt(2 ** 31)
  yield* await read(async tx => {
    await takeTime(tx)
    const { rows } = await sql<StoredFile>`
      select key, sha256, size_bytes from (${union(tables)}) f order by hashtextextended(key, ${seed}::bigint) limit ${limit}`.execute(
      tx,
    )
    return rows
  })
}

/** Faults, of which the first are named and the others counted, so that a million of them take no memory. */
class Named {
  readonly #lines: string[] = []
  #more = 0

  add(line: string) {
    if (this.#lines.length < mostNamed) this.#lines.push(line)
    else this.#more += 1
  }

  throwIfAny() {
    if (this.#lines.length > 0) throw new Faults([...this.#lines, ...(this.#more > 0 ? [`${this.#more} more`] : [])])
  }
}

const named = (lines: readonly string[]) =>
  lines.length > mostNamed ? [...lines.slice(0, mostNamed), `${lines.length - mostNamed} or more besides`] : [...lines]

const waits = (n: number) =>
  n === 1 ? '1 waits to be sealed, and was' : `${n === 100 ? '100 or more' : n} wait to be sealed, and were`

const count = (n: number, one: string, several = `${one}s`) => `${n} ${n === 1 ? one : several}`
