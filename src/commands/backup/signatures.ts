import type { PoolClient } from 'pg'
import { type Signable, type SignedRow, verifySignature } from '#modules/signatures'
import type { FileStorage } from '#platform/storage/storage.ts'
import { Refusal } from '../command.ts'
import { fetch } from './tables.ts'

/** SIG-02 for every tenant's signatures, as the owner's connection sees them. Answers how many there are. */
export async function verifySignatures(client: PoolClient, storage: FileStorage): Promise<number> {
  const { rows } = await client.query(`select where to_regclass('public.signatures') is not null`)
  if (rows.length === 0) return 0
  let count = 0
  const broken: string[] = []
  for await (const { row, now } of fetch(
    client,
    everySignature,
    (each: { row: SignedRow & { id: number }; now: Signable }) => each,
  )) {
    count += 1
    const { checks } = await verifySignature(storage, row, now, new Date())
    const why = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
    if (why.length === 0) continue
    broken.push(`Signature ${row.id} on ${row.document_number} ${row.document_version}: ${why.join('; ')}`)
    if (broken.length === 10) break
  }
  if (broken.length > 0) throw new Refusal(['Signatures of the backup do not verify:', ...broken].join('\n'))
  return count
}

/**
 * The columns may be those of an older program, whose signatures are of the first format.
 *
 * In the order of versions, so that a file that several have signed is read while the system still has it in memory. */
const everySignature = `
  select
    '{"format": 1, "occasion_kind": null, "occasion_ref": null, "previous_digest": null, "time_zone": null}'::jsonb
      || to_jsonb(s) || jsonb_build_object('document_number', d.number, 'document_version', v.version, 'public_key', k.public_key,
      'void', null, 'account', u.username,
      'preceding', (select jsonb_build_object('id', p.id, 'format', coalesce((to_jsonb(p) ->> 'format')::int, 1), 'digest', p.digest) from signatures p
        where p.tenant_id = s.tenant_id and p.document_id = s.document_id and p.id < s.id order by p.id desc limit 1),
      'copy_of', (select min(p.id) from signatures p
        where p.tenant_id = s.tenant_id and p.document_id = s.document_id and p.digest = s.digest and p.id < s.id)) as row,
    jsonb_build_object('document_id', d.id, 'document_number', d.number, 'document_type_id', d.document_type_id,
      'version_id', v.id, 'version', v.version, 'content_revision', v.content_revision, 'round', v.round, 'status', v.status,
      'file_key', v.file_key, 'file_sha256', v.sha256, 'file_size', v.file_size,
      'title', v.title, 'category', v.category, 'description', v.description, 'keywords', v.keywords) as now
  from signatures s
  join document_versions v on v.tenant_id = s.tenant_id and v.id = s.version_id
  join documents d on d.tenant_id = s.tenant_id and d.id = s.document_id
  join signing_keys k on k.key_id = s.key_id
  left join users u on u.tenant_id = s.tenant_id and u.id = s.signer_id
  order by s.tenant_id, s.version_id, s.id`
