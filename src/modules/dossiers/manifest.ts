import { createHash } from 'node:crypto'
import type { PrepareContext } from '#action'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { type Collected, isIntact, looks } from './collect.ts'
import { entryName } from './names.ts'
import type { Entry } from './zip.ts'

export interface Exporting {
  /** Of the service, as the dossier names it. */
  version: string
}

/** What is the same in two dossiers of a record that nobody changed between them. */
const isContent = ({ name }: Entry) => /^(record|signatures)\.json$|^(parts|files)\//.test(name)

/** What a dossier says of itself, but for the list of its entries: one of them is the paper that is made of this. */
export function manifestOf(
  { actor, services }: PrepareContext,
  { document, signatures, files, audit }: Collected,
  entries: readonly Entry[],
  { version }: Exporting,
) {
  const content = entries.filter(isContent).map(({ name, sha256 }) => ({ name, sha256 }))
  return {
    format: 'attest-dossier-1',
    document: { id: document.id, number: document.number, title: document.title, revision: document.revision },
    generated_at: services.clock.now().toISOString(),
    generated_by: { id: actor.userId, username: actor.username, full_name: actor.fullName },
    service: { name: 'Attest', version },
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
    signatures: {
      total: signatures.length,
      valid: signatures.filter(({ verification: { valid } }) => valid).length,
    },
    audit_entries: audit.total,
    failed_checks: [...files.filter(each => !isIntact(each)).map(fileInWords), ...unverified(signatures)],
  }
}
export type Manifest = ReturnType<typeof manifestOf>

const fileInWords = ({ version, name, found }: Collected['files'][number]) =>
  found
    ? `The stored file of version ${version} (${name}) is not the one that the record was made with`
    : `The stored file of version ${version} (${name}) is missing`

const unverified = (signatures: Collected['signatures']) =>
  signatures
    .filter(({ verification: { valid, status } }) => !valid && status !== 'void')
    .map(({ row, verification: { checks } }) => {
      const why = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
      return `Signature ${row.id} does not verify: ${why.join('; ')}`
    })
