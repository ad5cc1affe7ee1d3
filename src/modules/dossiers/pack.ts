import { createHash } from 'node:crypto'
import type { PrepareContext } from '#action'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { type Collected, isIntact, looks } from './collect.ts'
import { entryName } from './names.ts'
import { paperOf } from './paper.ts'
import type { Entry } from './zip.ts'

export interface Exporting {
  /** Of the service, as the dossier names it. */
  version: string
}

/** What is the same in two dossiers of a record that nobody changed between them. */
const isContent = ({ name }: Entry) => /^(record|signatures)\.json$|^(parts|files)\//.test(name)

/** The entries of the zip, each with its SHA-256, and what is said of them. */
export async function pack(context: PrepareContext, collected: Collected, { version: service_version }: Exporting) {
  const { actor, services } = context
  const { document, versions, signatures, parts, files, audit } = collected
  const generated_at = services.clock.now().toISOString()

  const verifications = signatures.map(({ row, verification }) => ({ id: row.id, ...verification }))
  const entries: Entry[] = [
    json('record.json', { document, versions: versions.map(({ owner_id, ...version }) => version) }),
    ...Object.entries(parts).map(([name, rows]) => json(`parts/${name}.json`, rows)),
    json(
      'signatures.json',
      signatures.map(({ row: { tenant_id, current_content_revision, preceding, copy_of, account, ...row } }) => row),
    ),
    json('verification.json', verifications),
    { name: 'audit.jsonl', size: audit.spooled.size_bytes, sha256: audit.spooled.sha256, spooled: audit.spooled.path },
    ...files.flatMap(({ version, name, key, found }) =>
      found ? [{ name: entryName(version, name), key, size: found.size, sha256: found.sha256 }] : [],
    ),
  ]
  const failed_checks = [
    ...files
      .filter(each => !isIntact(each))
      .map(({ version, name, found }) =>
        found
          ? `The stored file of version ${version} (${name}) is not the one that the record was made with`
          : `The stored file of version ${version} (${name}) is missing`,
      ),
    ...verifications
      .filter(({ valid, status }) => !valid && status !== 'void')
      .map(({ id, checks }) => {
        const why = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
        return `Signature ${id} does not verify: ${why.join('; ')}`
      }),
  ]
  for (const each of failed_checks) services.log.child({ logger: 'app.dossiers' }).error(`${document.number}: ${each}`)

  const content = entries.filter(isContent).map(({ name, sha256 }) => ({ name, sha256 }))
  const manifest = {
    format: 'attest-dossier-1',
    document: { id: document.id, number: document.number, title: document.title, revision: document.revision },
    generated_at,
    generated_by: { id: actor.userId, username: actor.username, full_name: actor.fullName },
    service: { name: 'Attest', version: service_version },
    content_sha256: createHash('sha256')
      .update(canonicalBytes({ entries: content, audit_sha256: audit.changes_sha256 }))
      .digest('hex'),
    content_sha256_is: {
      of: 'SHA-256 of the canonical JSON (RFC 8785) of {audit_sha256, entries}: the same for two dossiers of an unchanged record',
      entries: content,
      audit_sha256: audit.changes_sha256,
      audit_sha256_is: `SHA-256 of the lines of audit.jsonl whose action is none of ${looks.join(', ')}`,
    },
    files: files.map(each => ({
      version: each.version,
      entry: each.found && entryName(each.version, each.name),
      size: each.size,
      sha256: each.sha256,
      found: each.found,
      is_intact: isIntact(each),
    })),
    signatures: { total: verifications.length, valid: verifications.filter(({ valid }) => valid).length },
    audit_entries: audit.total,
    failed_checks,
    entries: [] as { name: string; size: number; sha256: string }[],
  }
  const paper = await services.pdf.turn(() => services.pdf.write(paperOf(collected, manifest)))
  entries.push(bytesAs('dossier.pdf', Buffer.from(paper.bytes)))
  entries.sort(byPlace)
  manifest.entries = entries.map(({ name, size, sha256 }) => ({ name, size, sha256 }))
  const first = json('manifest.json', manifest)
  const sums = [first, ...entries].map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
  return { manifest, entries: [first, bytesAs('SHA256SUMS', Buffer.from(sums)), ...entries] }
}
export type Manifest = Awaited<ReturnType<typeof pack>>['manifest']

function bytesAs(name: string, bytes: Buffer): Entry {
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes }
}

const json = (name: string, value: unknown) => bytesAs(name, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`))

/** What is read first comes first, and the files, which take longest, last. */
const byPlace = (a: Entry, b: Entry) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1)
const placeOf = ({ name }: Entry) => (name === 'dossier.pdf' ? 0 : name.startsWith('files/') ? 2 : 1)
