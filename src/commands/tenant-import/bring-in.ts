import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { escapeIdentifier } from 'pg'
import type { Recorded } from '#action'
import { platformTenantId, systemActor } from '#modules/accounts'
import { auditSink, epochOf, type PublicHalf, recordKeyRotation, startEpoch, verifyLog } from '#modules/audit'
import { sealKey, sealsOfTenant } from '#modules/identity-providers'
import { projections } from '#modules/projections'
import { exportedTables } from '#modules/tenant-exports'
import { trustedKeys, vouchForImported, withImportedKeys } from '#platform/crypto/key-succession.ts'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { keyIdOf, type SigningKey } from '#platform/crypto/signing-key.ts'
import type { Tx } from '#platform/db/database.ts'
import { idsOfNumber, readNumber } from '#platform/db/id-ranges.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import type { StoredFile } from '../backup/files.ts'
import { txOf, verifySignatures } from '../backup/signatures.ts'
import { begin, fileLinesOf, liftGuards, load, sequencesOf, setSequences, tablesOf } from '../backup/tables.ts'
import { Refusal, say } from '../command.ts'
import { origin } from '../start.ts'
import { copy } from '../storage/copy.ts'
import { type Archive, filesOf, type Row } from './archive.ts'
import { lines, reasons } from './messages.ts'
import { refuseTaken } from './taken.ts'

/** What the installation that takes the tenant in seals with. */
export interface Installation {
  signingKey: SigningKey
  auditKey: PublicHalf
  keys: DerivedKeys
}

interface BringIn extends Installation {
  client: PoolClient
  archive: Archive
}

const advisoryLock = 7_271_004 // any number that nothing else in this database uses
const most_named = 10

/**
 * Loads the tenant and checks all of it in a transaction that is left open: the caller commits it when the files are in the store, or rolls it
 * back. Resolves to the files.
 */
export async function bringIn(bring: BringIn): Promise<StoredFile[]> {
  const { client, archive } = bring
  await begin(client, '')
  await client.query(`select pg_advisory_xact_lock(${advisoryLock})`)
  await refuseWithoutRights(client)
  const putBack = await liftGuards(client)
  await refuseTaken(client, archive)
  await loadRows(bring)
  await addKeys(bring)
  await sealProviders(bring)
  await skipIds(client, archive)
  await putBack()
  const files = await listFiles(client, archive)
  await asApplication(client, archive.manifest.tenant.id, async tx => {
    for (const projection of projections) await projection.rebuild(tx)
    await verifyTrail(tx, archive)
  })
  await verifySeals(bring, files)
  await tell(bring)
  return files
}

async function refuseWithoutRights(client: PoolClient) {
  const { rows } = await client.query<{ may: boolean }>(`select pg_has_role('attest_app', 'member') as may`)
  if (!rows[0]!.may) throw new Refusal(lines.import_owner_rights_missing())
}

/** Within the transaction as the application would: with its rights, and bound to one tenant by row security. */
async function asApplication<T>(client: PoolClient, tenantId: number, work: (tx: Tx) => Promise<T>): Promise<T> {
  const bound = [`app.tenant_id = '${tenantId}'`, `app.user_id = ''`, `app.transaction_id = '${randomUUID()}'`]
  for (const each of ['role attest_app', 'row_security = on', ...bound]) await client.query(`set local ${each}`)
  const result = await work(txOf(client))
  // Deferred constraints are checked now, by the same login.
  await client.query('set constraints all immediate; set constraints all deferred')
  await client.query('reset role; set local row_security = off')
  return result
}

async function loadRows({ client, archive, keys }: BringIn) {
  const { id } = archive.manifest.tenant
  const types = new Map((await tablesOf(client)).map(({ name, columns }) => [name, columns]))
  const typeOf = (table: string, column: string) => types.get(table)!.find(({ name }) => name === column)!.type
  for (const [name, decision] of Object.entries(exportedTables)) {
    const written = writtenBy(name, 'leftOut' in decision ? decision.leftOut : {}, keys)
    const names = [...decision.exported, ...Object.keys(written)]
    let rows = 0
    async function* arrays() {
      for await (const row of archive.rows(name)) {
        rows += 1
        yield JSON.stringify(names.map(column => (written[column] ? written[column](row) : row[column])))
      }
    }
    const columns = names.map(column => ({ name: column, type: typeOf(name, column) }))
    await load(client, { name, columns }, arrays())
    if (rows > 0) say(lines.import_rows({ table: name, rows }))
  }
  // The service reads them, as it does those of new versions.
  await client.query(
    'insert into document_texts (tenant_id, version_id, document_id) select tenant_id, id, document_id from document_versions where tenant_id = $1',
    [id],
  )
}

/** What the import itself writes into columns that stayed behind, and that are not to have their default. */
function writtenBy(table: string, leftOut: object, keys: DerivedKeys): Record<string, (row: Row) => string> {
  const fixed = Object.entries(leftOut as Record<string, { importedAs?: string }>).flatMap(
    ([column, { importedAs }]) => (importedAs === undefined ? [] : [[column, () => importedAs] as const]),
  )
  if (table !== 'identity_provider_keys') return Object.fromEntries(fixed)
  // A provider's key counts by the seal of the installation, and its row is never changed again.
  const seal = ({ tenant_id, provider_id, issuer, jwk_sha256 }: Row) =>
    sealKey(keys, {
      ...{ tenant_id: Number(tenant_id), provider_id: Number(provider_id), issuer: issuer!, jwk_sha256: jwk_sha256! },
    })
  return { ...Object.fromEntries(fixed), seal: row => `\\x${seal(row).toString('hex')}` }
}

/** The keys by which the tenant's signatures count: those that the keys in use of the other installation lead to. */
async function addKeys({ client, archive, signingKey }: BringIn) {
  const { tenant } = archive.manifest
  const halves = new Map<string, PublicHalf>()
  const known = (id: string | null | undefined) => halves.get(id!)!
  for await (const { key_id, public_key } of archive.rows('signing_keys'))
    if (keyIdOf(Buffer.from(public_key!, 'base64')) === key_id)
      halves.set(key_id!, { key_id: key_id!, public_key: public_key! })
  const links = []
  for await (const row of archive.rows('signing_key_links'))
    if (known(row.previous_key_id) && known(row.next_key_id))
      links.push({
        ...{ previous: known(row.previous_key_id), next: known(row.next_key_id) },
        ...{ by_previous: row.by_previous ?? null, by_next: row.by_next! },
      })
  const imported = []
  for await (const row of archive.rows('imported_signing_keys'))
    if (known(row.key_id) && known(row.vouched_by))
      imported.push({
        ...{ tenant: row.tenant_id!, key: known(row.key_id), voucher: known(row.vouched_by) },
        ...{ export_sha256: row.export_sha256!, seal: row.seal! },
      })
  const trusted = withImportedKeys(trustedKeys([archive.list.keys.signing.public_key], links), imported)
  const export_sha256 = archive.digest
  for (const key of halves.values()) {
    await insertKey(client, 'signing_keys', key)
    if (!trusted.has(key.public_key)) continue
    const { seal } = vouchForImported({ tenant: String(tenant.id), key, export_sha256 }, signingKey)
    await client.query(
      'insert into imported_signing_keys (tenant_id, key_id, vouched_by, export_sha256, seal) values ($1, $2, $3, $4, $5)',
      [tenant.id, key.key_id, signingKey.key_id, export_sha256, seal],
    )
  }
  for await (const { key_id, public_key } of archive.rows('audit_keys'))
    await insertKey(client, 'audit_keys', { key_id: key_id!, public_key: public_key! })
}

/** A key that is known here already stays what it is. */
const insertKey = (client: PoolClient, table: 'signing_keys' | 'audit_keys', { key_id, public_key }: PublicHalf) =>
  client.query(
    `insert into ${table} (key_id, public_key, imported_at) values ($1, $2, clock_timestamp()) on conflict do nothing`,
    [key_id, public_key],
  )

/** Providers and links to accounts count by a seal of the installation. Rows of other tenants stay as they are. */
async function sealProviders({ client, archive, keys }: BringIn) {
  for (const { table, id, seal } of await sealsOfTenant(txOf(client), keys, archive.manifest.tenant.id))
    await client.query(`update ${table} set seal = $1 where id = $2`, [seal, id])
}

/** Where both installations draw from one range, the next ids are behind those that came. */
async function skipIds(client: PoolClient, archive: Archive) {
  const { id: tenantId } = archive.manifest.tenant
  const { first, last } = idsOfNumber((await readNumber(client)) ?? 0)
  const next = new Map((await sequencesOf(client)).map(each => [each.name, BigInt(each.next)]))
  const behind: { name: string; next: string }[] = []
  for (const [table, { key }] of Object.entries(exportedTables)) {
    if (key[0] !== 'id') continue
    const { rows } = await client.query<{ name: string; most: string | null }>(
      `select split_part(pg_get_serial_sequence($1, 'id'), '.', 2) as name, (select max(id)::text from ${escapeIdentifier(table)}
        where ${table === 'tenants' ? 'id' : 'tenant_id'} = $2 and id between ${first} and ${last}) as most`,
      [`public.${table}`, tenantId],
    )
    const [{ name, most }] = rows as [{ name: string; most: string | null }]
    if (most !== null && BigInt(most) >= next.get(name)!) behind.push({ name, next: String(BigInt(most) + 1n) })
  }
  await setSequences(client, behind)
}

/** Each under the part of the store that is the tenant's: no other tenant's file can be named. */
async function listFiles(client: PoolClient, archive: Archive): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for await (const line of fileLinesOf(client, await tablesOf(client), archive.manifest.tenant.id)) {
    const file = JSON.parse(line) as StoredFile
    if (!file.key.startsWith(`${archive.manifest.tenant.id}/`))
      throw new Refusal(lines.import_path_foreign({ path: file.key }))
    if (!archive.hasFile(file.sha256)) throw new Refusal(lines.import_file_missing({ path: `files/${file.sha256}` }))
    files.push(file)
  }
  return files
}

/** By the key that the export names as its own: what it and its rotations did not sign is refused. */
async function verifyTrail(tx: Tx, archive: Archive) {
  const { failures, checked } = await verifyLog({
    read: work => work(tx),
    held: [archive.list.keys.audit],
    tellWaiting: () => {},
  })
  if (failures.length > 0)
    throw new Refusal([
      lines.import_trail_invalid(),
      ...failures
        .slice(0, most_named)
        .map(({ entry_id, sentence }) => lines.import_trail_fault({ entry: entry_id ?? null, fault: sentence })),
    ])
  const { entries, checkpoints } = checked
  say(lines.import_trail_valid({ entries, checkpoints }))
}

async function verifySeals({ client, archive, signingKey }: BringIn, files: readonly StoredFile[]) {
  const { id } = archive.manifest.tenant
  const storage = filesOf(archive, new Map(files.map(({ key, sha256 }) => [key, sha256])))
  const { count, voided } = await verifySignatures(client, storage, signingKey, id)
  const expected = archive.list.tables.find(({ name }) => name === 'signatures')!.rows
  if (count !== expected) throw new Refusal(lines.import_signatures_unverified({ count: expected - count }))
  say(lines.import_signatures_valid({ count, voided }))
}

/** Both trails tell of the import. The tenant's goes on in a new tree, which names the last one. */
async function tell({ client, archive, auditKey }: BringIn) {
  const { tenant, snapshot_at, audit_trail } = archive.manifest
  const installation = archive.manifest.installation?.id ?? null
  const { origin: audit_origin, size: audit_size, root: audit_root } = audit_trail
  const reason = reasons.reason_imported({
    ...{ installation, manifest_sha256: archive.digest, snapshot_at },
  }).text
  const { id, ...named } = tenant
  const after = {
    ...named,
    installation,
    manifest_sha256: archive.digest,
    snapshot_at,
    audit_origin,
    audit_size,
    audit_root,
  }
  const imported: Recorded = { event: 'tenant.imported', id, after, reason, outcome: 'success' }
  await asApplication(client, id, async tx => {
    const anchored =
      audit_root === null ? undefined : { epoch: epochOf(audit_origin), size: audit_size, root: audit_root }
    await startEpoch(tx, { reason, anchored })
    const recorded: Recorded[] = []
    const before = archive.list.keys.audit
    if (before.key_id !== auditKey.key_id) {
      const record = (event: Recorded['event'], of: number | null, more: Partial<Recorded> = {}) =>
        recorded.push({ ...more, event, id: of, outcome: 'success' })
      await recordKeyRotation({ tx, record: record as never }, auditKey, { before, reason })
    }
    await auditSink(tx, { actor: systemActor(id), origin, services: undefined as never }, [...recorded, imported])
  })
  await asApplication(client, platformTenantId, tx =>
    auditSink(tx, { actor: systemActor(platformTenantId), origin, services: undefined as never }, [imported]),
  )
}

/** Files that are there already, because an earlier import was stopped, stay. */
export async function copyIn(archive: Archive, storage: FileStorage, files: readonly StoredFile[]): Promise<void> {
  const source = filesOf(archive, new Map(files.map(({ key, sha256 }) => [key, sha256])))
  for (const file of files) await copy(source, storage, file)
}
