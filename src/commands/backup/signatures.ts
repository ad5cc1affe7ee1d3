import { Kysely, PostgresDialect } from 'kysely'
import type { PoolClient } from 'pg'
import type { Message } from '#kernel/message.ts'
import {
  entryOfSignature,
  evidenceOfSignature,
  listImportedKeys,
  type Now,
  readRecordNow,
  readTrustedOfInstallation,
  removalsOfVersions,
  type Signable,
  type SignedRow,
  verifySignature,
} from '#modules/signatures'
import { withImportedKeys } from '#platform/crypto/key-succession.ts'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import type { Tx } from '#platform/db/database.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { signing } from '../../app.ts'
import { Refusal } from '../command.ts'
import { lines } from './messages.ts'
import { fetch } from './tables.ts'

/** `without`: those whose signed file two people removed, which was not compared. */
interface Verified {
  count: number
  voided: number
  without: number
}

/**
 * SIG-02 for the signatures of every tenant, or of one. Resolves to their numbers. Without `held`, a key of the service, it is not examined whose the
 * keys of the signatures are.
 */
export async function verifySignatures(
  client: PoolClient,
  storage: Pick<FileStorage, 'open'>,
  held: Held,
  tenantId?: number,
): Promise<Verified> {
  const tx = txOf(client)
  const trustedBy = await trustOf(client, tx, held)
  const hasRemovals = await isThere(client, 'file_removals')
  const hasEvidence = await isThere(client, 'signature_evidence')
  const verified: Verified = { count: 0, voided: 0, without: 0 }
  const broken: Message[] = []
  for await (const { row, version } of fetch(
    client,
    everySignature({ hasEvidence, tenantId }),
    (each: { row: SignedRow & { id: number; tenant_id: number }; version: Signable | null }) => each,
  )) {
    verified.count += 1
    if (row.void) verified.voided += 1
    const now: Now = version
      ? { version, removals: hasRemovals ? await removalsOfVersions(tx, [version.version_id]) : [] }
      : await readRecordNow(tx, signing.records, row, { hasRemovals })
    const { checks } = await verifySignature(storage, row, now, {
      at: new Date(),
      trusted: await trustedBy(row.tenant_id),
    })
    if (checks.some(({ was_removed }) => was_removed)) verified.without += 1
    const why = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
    if (why.length === 0) continue
    const of = [row.record_number, row.document_version].filter(Boolean).join(' ')
    broken.push(lines.backup_signature_invalid({ id: row.id, of, reasons: why }))
    if (broken.length === 10) break
  }
  if (broken.length > 0) throw new Refusal([lines.backup_signatures_invalid(), ...broken])
  return verified
}

type Held = Pick<SigningKey, 'key_id' | 'public_key'> | undefined

type Trusted = ReadonlySet<string> | undefined

/** The keys that count for a tenant. A backup of an earlier version has no links between its keys, or none of imported tenants. */
async function trustOf(client: PoolClient, tx: Tx, held: Held): Promise<(tenantId: number) => Promise<Trusted>> {
  if (!held || !(await isThere(client, 'signing_key_links'))) return async () => undefined
  const ofAll = await readTrustedOfInstallation(tx, [held])
  if (!(await isThere(client, 'imported_signing_keys'))) return async () => ofAll
  let last: { tenantId: number; trusted: Trusted } | undefined
  return async tenantId => {
    if (last?.tenantId === tenantId) return last.trusted
    await client.query(`set local app.tenant_id = '${tenantId}'`)
    last = { tenantId, trusted: withImportedKeys(ofAll, await listImportedKeys(tx)) }
    return last.trusted
  }
}

/** A backup of an earlier version lacks the tables of later ones. */
const isThere = async (client: PoolClient, table: string) =>
  (await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [table])).rows[0]!.there

/** The transaction of the owner's connection as a Tx. It is bound to no tenant, because the owner sees all of them. */
export function txOf(client: PoolClient): Tx {
  const connection = { query: client.query.bind(client), release() {} }
  const pool = { connect: async () => connection, end: async () => {}, options: {} }
  return new Kysely({ dialect: new PostgresDialect({ pool }) }) as unknown as Tx
}

/** In the order of versions, so that a file that several people have signed is read while the system still has it in memory. */
const everySignature = ({ hasEvidence, tenantId }: { hasEvidence: boolean; tenantId: number | undefined }) => `
  select
    to_jsonb(s) || jsonb_build_object('record_number', coalesce(s.record_number, d.number),
      'document_number', d.number, 'document_version', v.version, 'public_key', k.public_key,
      'void', (select to_jsonb(x) from signature_voids x where x.tenant_id = s.tenant_id and x.signature_id = s.id), 'account', u.username,
      'preceding', (select jsonb_build_object('id', p.id, 'digest', p.digest, 'signed_at', p.signed_at) from signatures p
        where p.tenant_id = s.tenant_id and p.record_type = s.record_type and p.record_id = s.record_id and p.id < s.id
        order by p.id desc limit 1),
      'copy_of', (select min(p.id) from signatures p
        where p.tenant_id = s.tenant_id and p.record_type = s.record_type and p.record_id = s.record_id and p.digest = s.digest
          and p.id < s.id),
      'entry', (${entryOfSignature}), 'evidence', ${hasEvidence ? `(${evidenceOfSignature})` : 'null::jsonb'}, 'earliest', greatest(u.created_at, v.created_at), 'read_at', clock_timestamp()) as row,
    case when d.id is not null then
      jsonb_build_object('document_id', d.id, 'document_number', d.number, 'document_type_id', d.document_type_id,
        'version_id', v.id, 'version', v.version, 'content_revision', v.content_revision, 'round', v.round, 'status', v.status,
        'file_key', v.file_key, 'file_sha256', v.sha256, 'file_size', v.file_size,
        'title', v.title, 'category', v.category, 'description', v.description, 'keywords', v.keywords,
        'content_fixed_at', coalesce(v.approved_at, v.effective_at)) end as version
  from signatures s
  left join document_versions v on v.tenant_id = s.tenant_id and v.id = s.version_id
  left join documents d on d.tenant_id = s.tenant_id and d.id = s.document_id
  join signing_keys k on k.key_id = s.key_id
  left join users u on u.tenant_id = s.tenant_id and u.id = s.signer_id
  ${tenantId === undefined ? '' : `where s.tenant_id = ${tenantId}`}
  order by s.tenant_id, s.version_id, s.id`
