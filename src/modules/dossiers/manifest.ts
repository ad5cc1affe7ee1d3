import { createHash } from 'node:crypto'
import type { PrepareContext } from '#action'
import { version } from '#kernel/version.ts'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { type Collected, isAsExpected, isIntact, isRemoved } from './collect.ts'
import { entryName } from './names.ts'
import type { Entry } from './zip.ts'

/** The entries that are equal in two dossiers of an unchanged record. */
const isContent = ({ name }: Entry) => /^(record|signatures)\.json$|^(parts|files)\//.test(name)

/** The manifest of a dossier without the list of its entries, because the PDF among them is made from it. */
export function manifestOf(
  { actor, services }: PrepareContext,
  { subject, reading, signatures, files, audit }: Collected,
  entries: readonly Entry[],
) {
  const { type, id, number, title, revision } = subject
  const content = entries.filter(isContent).map(({ name, sha256 }) => ({ name, sha256 }))
  return {
    format: 'attest-dossier-1',
    record: { type, id, number, title, revision },
    ...(type === 'document' && { document: { id, number, title, revision } }),
    generated_at: services.clock.now().toISOString(),
    generated_by: { id: actor.userId, username: actor.username, full_name: actor.fullName },
    service: { name: 'Attest', version },
    content_sha256: createHash('sha256')
      .update(canonicalBytes({ entries: content, audit_sha256: audit.changes_sha256 }))
      .digest('hex'),
    content_sha256_is: {
      of: 'SHA-256 of the canonical JSON (RFC 8785) of {audit_sha256, entries}: the same for two dossiers of an unchanged record, if those who exported them may read the same linked records',
      entries: content,
      audit_sha256: audit.changes_sha256,
      audit_sha256_is: `SHA-256 of the lines of audit.jsonl whose action is none of ${reading.join(', ')}`,
    },
    files: files.map(each => ({
      ...each.of,
      entry: each.found && entryName(each.folder, each.name),
      size: each.size,
      sha256: each.sha256,
      found: each.found,
      // A removed file was not compared.
      is_intact: isRemoved(each) ? null : isIntact(each),
      ...(each.removed && { removed: each.removed.statement.text }),
    })),
    signatures: {
      total: signatures.length,
      valid: signatures.filter(({ verification: { valid } }) => valid).length,
    },
    audit_entries: audit.total,
    failed_checks: [...files.filter(each => !isAsExpected(each)).map(describeFile), ...unverified(signatures)],
  }
}
export type Manifest = ReturnType<typeof manifestOf>

function describeFile({ of, name, found, removed }: Collected['files'][number]) {
  if (removed) return removed.statement.text
  const which = 'version' in of ? `of version ${of.version} (${name})` : `of attachment ${of.attachment_id} (${name})`
  return found ? `The stored file ${which} differs from the recorded one` : `The stored file ${which} is missing`
}

const unverified = (signatures: Collected['signatures']) =>
  signatures
    .filter(({ verification: { valid, status } }) => !valid && status !== 'void')
    .map(({ row, verification: { checks } }) => {
      const why = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
      return `Signature ${row.id} is not valid: ${why.join('; ')}`
    })
