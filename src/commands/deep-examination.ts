// doctor --deep: whether the evidence is what it was. It only reads, page by page, in short transactions.
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type { Message } from '#kernel/message.ts'
import { platformTenantId } from '#modules/accounts'
import { auditKeys, readTrust, verifyLog } from '#modules/audit'
import { findRemovedKey } from '#modules/file-removals'
import {
  countAllSignatures,
  type FileRemoval,
  judgeRemoval,
  listKeyLinks,
  listRemovalsAfter,
  listSigningKeys,
  readTrustedKeys,
  verifyAll,
} from '#modules/signatures'
import { listArchives } from '#modules/tenant-exports'
import type { Config } from '#platform/config.ts'
import { isSealedByItsKeys } from '#platform/crypto/key-succession.ts'
import { findKeys, keyIdOf, type SigningKey } from '#platform/crypto/signing-key.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import { isFileRemoved } from '#platform/db/expressions.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { trashOf } from '#platform/storage/trash.ts'
import { signing } from '../app.ts'
import { digestOf, each, requireSame, type StoredFile } from './backup/files.ts'
import { Refusal } from './command.ts'
import { lines } from './doctor/messages.ts'
import { faultsOf, type Report } from './doctor/report.ts'

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
  report: Report
}

interface Tenant {
  id: number
  slug: string
}

export async function examineDeeply(deep: Deep) {
  const { config, database, report } = deep
  const [signature, audit] = await Promise.all([keysAtHand(config, 'signature'), keysAtHand(config, 'audit')])
  await report.check(lines.doctor_about_key_links(), () => checkKeyLinks(deep))
  const tenants = await readOf(database, platformTenantId)(listTenants)
  await report.check(lines.doctor_about_audit_keys(), () => checkAuditKeys(deep, audit, tenants))
  for (const tenant of tenants) {
    const of = { tenant: tenant.slug }
    await report.check(lines.doctor_about_trail(of), () => checkTrail(deep, audit, tenant))
    await report.check(lines.doctor_about_signatures(of), () => checkSignatures(deep, signature, tenant))
    await report.check(lines.doctor_about_files(of), () => checkFiles(deep, tenant))
    await checkArchives(deep, tenant)
    await checkRemovals(deep, signature, tenant)
  }
  for (const what of beyondReach(deep)) report.note(lines.doctor_about_not_examined(), what)
}

const beyondReach = ({ files }: Deep) => [
  ...(files === 'all' ? [] : [lines.doctor_beyond_sample()]),
  lines.doctor_beyond_replaced_trail(),
  lines.doctor_beyond_details(),
]

/** The keys of this installation, by which the others are judged; none if they are missing or cannot be read, which is a failure of its own. */
const keysAtHand = async (config: Config, name: 'signature' | 'audit'): Promise<SigningKey[]> => {
  const { inUse, previous } = await findKeys(config.keys, name).catch(() => ({ inUse: undefined, previous: undefined }))
  return [inUse, previous].filter(key => key !== undefined)
}

const readOf =
  (database: Database, tenantId: number) =>
  <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    database.transaction({ tenantId, userId: null }, 'snapshot', work, { canRunAgain: true })

const listTenants = (tx: Tx): Promise<Tenant[]> =>
  tx.selectFrom('tenants').select(['id', 'slug']).orderBy('id').execute()

/** Every key has the id that follows from it, and every link is sealed by its keys and told in the audit trail. */
async function checkKeyLinks({ database }: Deep): Promise<Message> {
  const [keys, links, told] = await readOf(
    database,
    platformTenantId,
  )(tx => Promise.all([listSigningKeys(tx), listKeyLinks(tx), listToldLinks(tx)]))
  const untold = links.filter(({ by_next }) => !told.includes(by_next))
  const redacted = told.filter(each => each === null).length
  const faults = [
    ...keys
      .filter(({ key_id, public_key }) => keyIdOf(Buffer.from(public_key, 'base64')) !== key_id)
      .map(({ key_id }) => lines.doctor_key_replaced({ key: key_id })),
    ...links
      .filter(link => !isSealedByItsKeys(link))
      .map(({ previous, next }) => lines.doctor_key_link_unsealed({ previous: previous.key_id, next: next.key_id })),
    ...(untold.length > redacted ? untold : []).map(({ previous, next }) =>
      lines.doctor_key_link_untold({ previous: previous.key_id, next: next.key_id }),
    ),
  ]
  if (faults.length > 0) throw new Refusal(named(faults))
  return lines.doctor_key_links({ keys: keys.length, links: links.length, told: links.length - untold.length })
}

/** The seals of the links that entries tell of; null for an entry whose detail was redacted. */
const listToldLinks = async (tx: Tx) =>
  (
    await sql<{ by_next: string | null }>`
      select changes #>> '{by_next,to}' as by_next from audit_entries
      where action in ('signing_key.rotated', 'signing_key.confirmed') and outcome = 'success'`.execute(tx)
  ).rows.map(({ by_next }) => by_next)

async function checkAuditKeys({ database }: Deep, held: SigningKey[], tenants: readonly Tenant[]): Promise<Message> {
  const keys = await auditKeys(database)
  if (keys.length === 0) return lines.doctor_audit_keys_none()
  if (held.length === 0) throw new Refusal(lines.doctor_audit_key_absent())
  const unknown = new Map(keys.map(({ key_id, public_key }) => [key_id, public_key]))
  for (const { id } of tenants) {
    const { isTrusted } = await readOf(database, id)(tx => readTrust(tx, held))
    for (const [key_id, public_key] of unknown)
      if (isTrusted(public_key) && keyIdOf(Buffer.from(public_key, 'base64')) === key_id) unknown.delete(key_id)
  }
  if (unknown.size > 0) throw new Refusal([...unknown.keys()].map(key => lines.doctor_audit_key_untold({ key })))
  return lines.doctor_audit_keys({ count: keys.length })
}

/** The entries of each page are hashed between transactions. */
async function checkTrail({ database, report }: Deep, held: SigningKey[], { id }: Tenant): Promise<Message> {
  let waiting = 0
  const read = readOf(database, id)
  const sealed = await read(tx => tx.selectFrom('audit_checkpoints').select('size').limit(1).executeTakeFirst())
  if (sealed && held.length === 0) throw new Refusal(lines.doctor_audit_key_absent())
  const { failures, warnings, checked } = await verifyLog({ read, held, tellWaiting: entries => (waiting = entries) })
  const placed = ({ seq, entry_id, sentence }: (typeof failures | typeof warnings)[number]) =>
    lines.doctor_trail_fault({ entry: entry_id, place: seq, fault: sentence })
  for (const warning of warnings.slice(0, mostNamed)) report.note(lines.doctor_about_to_explain(), placed(warning))
  if (failures.length > 0) throw new Refusal(named(failures.map(placed)))
  const { entries, checkpoints } = checked
  return waiting === 0
    ? lines.doctor_trail({ entries, checkpoints })
    : lines.doctor_trail_waiting({ entries, checkpoints, waiting })
}

async function checkSignatures({ database, storage }: Deep, held: SigningKey[], { id }: Tenant): Promise<Message> {
  const read = readOf(database, id)
  const expected = await read(countAllSignatures)
  if (expected === 0) return lines.doctor_none()
  if (!storage) throw new Refusal(lines.doctor_storage_failing({ count: expected }))
  if (held.length === 0) throw new Refusal(lines.doctor_signing_key_absent({ count: expected }))
  const trusted = await read(tx => readTrustedKeys(tx, held))
  const faults = new Named()
  let verified = 0
  let without = 0
  for await (const { id: signature, of, failed, removed } of verifyAll({ read, storage, signing, trusted })) {
    verified += 1
    if (failed.length > 0) faults.add(lines.doctor_signature_fault({ id: signature, of, faults: failed }))
    if (removed.length > 0) without += 1
  }
  // The service may go on signing meanwhile.
  if (verified < expected) faults.add(lines.doctor_signatures_without_key({ count: expected - verified }))
  faults.throwIfAny()
  const found = { verified, of: Math.max(verified, expected) }
  return without > 0 ? lines.doctor_signatures_of_removed({ ...found, without }) : lines.doctor_signatures(found)
}

async function checkFiles({ database, storage, files }: Deep, { id }: Tenant): Promise<Message> {
  const read = readOf(database, id)
  const tables = await read(tablesWithFiles)
  const all = await read(tx => countFiles(tx, tables))
  if (all === 0) return lines.doctor_none()
  if (!storage) throw new Refusal(lines.doctor_storage_failing({ count: all }))
  const faults = new Named()
  let read_files = 0
  await each(files === 'all' ? everyFile(read, tables) : sampleOf(read, tables, files), async file => {
    await compareFile(storage, file).catch((error: Error) => faults.add(...faultsOf(error)))
    read_files += 1
  })
  faults.throwIfAny()
  const found = { read: read_files, of: Math.max(read_files, all) }
  return read_files < all ? lines.doctor_files_sampled(found) : lines.doctor_files(found)
}

/** Exports of everything: with `--files all` their content too. One that a restore did not bring back is no fault, because backups have none. */
async function checkArchives({ database, storage, files, report }: Deep, { id, slug }: Tenant) {
  const archives = storage ? await readOf(database, id)(listArchives) : []
  if (archives.length === 0) return
  await report.check(lines.doctor_about_archives({ tenant: slug }), async () => {
    const faults = new Named()
    let found = 0
    for (const { key, size_bytes, sha256 } of archives) {
      const stored = await storage!.stat(key)
      if (!stored) continue
      found += 1
      const compared =
        files === 'all'
          ? compareFile(storage!, { key, sha256, size_bytes })
          : Promise.resolve().then(() =>
              requireSame(`the file ${key}`, { sha256, bytes: stored.size_bytes }, { sha256, bytes: size_bytes }),
            )
      await compared.catch((error: Error) => faults.add(...faultsOf(error)))
    }
    faults.throwIfAny()
    const counted = { found, of: archives.length }
    return files === 'all' ? lines.doctor_archives_read(counted) : lines.doctor_archives(counted)
  })
}

async function compareFile(
  storage: FileStorage,
  { key, sha256, size_bytes }: Pick<StoredFile, 'key' | 'sha256' | 'size_bytes'>,
) {
  const source = await storage.open(key)
  try {
    requireSame(`the file ${key}`, await digestOf(source), { sha256, bytes: size_bytes })
  } finally {
    source.destroy()
  }
}

/** Says of each removed file who removed it and why, and compares the record with the seals and with the store. */
async function checkRemovals({ database, storage, report }: Deep, held: SigningKey[], { id, slug }: Tenant) {
  const read = readOf(database, id)
  const about = lines.doctor_about_removals({ tenant: slug })
  const trusted = await read(tx => readTrustedKeys(tx, held))
  let said = 0
  for (let after = 0; ; ) {
    const page = await read(tx => listRemovalsAfter(tx, after, filesPerPage))
    for (const removal of page) {
      const { isGenuine, statement } = judgeRemoval(removal, trusted)
      const isThere = storage !== undefined && (await isStillThere(read, storage, removal))
      if (!isGenuine) report.fail(about, [lines.doctor_removal({ id: removal.id, statement })])
      else if (isThere) report.fail(about, [lines.doctor_removal_content_there({ id: removal.id, statement })])
      else if (said++ < mostNamed)
        report.note(
          about,
          storage === undefined
            ? lines.doctor_removal_without_storage({ id: removal.id, statement })
            : lines.doctor_removal({ id: removal.id, statement }),
        )
    }
    if (page.length < filesPerPage) break
    after = page.at(-1)!.id
  }
  if (said > mostNamed) report.note(about, lines.doctor_more({ count: said - mostNamed }))
}

async function isStillThere(read: Read, storage: FileStorage, removal: FileRemoval): Promise<boolean> {
  const key = await read(tx => findRemovedKey(tx, removal.id))
  if (key === undefined) return false
  return ((await storage.stat(key)) ?? (await storage.stat(trashOf(key)))) !== undefined
}

/** Two people did not remove it, and no record took it from an imported batch: then it is a file of the record. */
const isKept = (table: string) =>
  table === 'document_versions'
    ? sql`not ${isFileRemoved(table, 'version_id')}`
    : table === 'attachments'
      ? sql`not ${isFileRemoved(table, 'attachment_id')}`
      : table === 'migration_files'
        ? sql`file_key is not null`
        : sql`true`

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
    tables.map(table => sql`select ${columns} from ${sql.table(table)} where ${isKept(table)}`),
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
          select ${columns} from ${sql.table(table)} where id > ${after} and ${isKept(table)} order by id limit ${filesPerPage}`.execute(
          tx,
        ),
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
  readonly #named: Message[] = []
  #more = 0

  add(...faults: readonly Message[]) {
    for (const fault of faults)
      if (this.#named.length < mostNamed) this.#named.push(fault)
      else this.#more += 1
  }

  throwIfAny() {
    const more = this.#more > 0 ? [lines.doctor_more({ count: this.#more })] : []
    if (this.#named.length > 0) throw new Refusal([...this.#named, ...more])
  }
}

const named = (faults: readonly Message[]) =>
  faults.length > mostNamed
    ? [...faults.slice(0, mostNamed), lines.doctor_more_at_least({ count: faults.length - mostNamed })]
    : faults
