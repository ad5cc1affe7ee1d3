import { createHash } from 'node:crypto'
import type { PrepareContext } from '#action'
import { NotPages } from '#platform/pdf/rendition.ts'
import type { Collected } from './collect.ts'
import { manifestOf } from './manifest.ts'
import { entryName } from './names.ts'
import { dossierCover, dossierPdf } from './pdf.ts'
import type { Entry } from './zip.ts'

/** The entries of the zip with their hashes, and the manifest. */
export async function pack(context: PrepareContext, collected: Collected) {
  const { services } = context
  const { subject, signatures, files, audit } = collected
  const entries: Entry[] = [
    json('record.json', subject.record),
    ...Object.entries(subject.parts).map(([name, rows]) => json(`parts/${name}.json`, rows)),
    json(
      'signatures.json',
      signatures.map(
        ({
          row: { tenant_id, current_content_revision, preceding, copy_of, account, entry, earliest, read_at, ...row },
        }) => row,
      ),
    ),
    json(
      'verification.json',
      signatures.map(({ row, verification }) => ({ id: row.id, ...verification })),
    ),
    { name: 'audit.jsonl', size: audit.spooled.size_bytes, sha256: audit.spooled.sha256, spooled: audit.spooled.path },
    ...files.flatMap(({ folder, name, key, found }) =>
      found ? [{ name: entryName(folder, name), key, size: found.size, sha256: found.sha256 }] : [],
    ),
  ]
  const manifest = manifestOf(context, collected, entries)
  for (const each of manifest.failed_checks)
    services.log.child({ logger: 'app.dossiers' }).error(`${subject.number}: ${each}`)

  // The company's, so that a dossier is the same whoever exports it.
  const { language } = collected
  const pdf = await services.pdf.turn(context.actor.tenantId, () =>
    services.pdf.write({ language, ...dossierPdf(collected, manifest) }).catch(error => {
      if (error instanceof NotPages) return services.pdf.write({ language, ...dossierCover(collected, manifest) })
      throw error
    }),
  )
  entries.push(bytesAs('dossier.pdf', Buffer.from(pdf.bytes)))
  entries.sort(byPlace)
  const listed = entries.map(({ name, size, sha256 }) => ({ name, size, sha256 }))
  const first = json('manifest.json', { ...manifest, entries: listed })
  const sums = [first, ...entries].map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
  return { manifest, entries: [first, bytesAs('SHA256SUMS', Buffer.from(sums)), ...entries] }
}

function bytesAs(name: string, bytes: Buffer): Entry {
  return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), bytes }
}

const json = (name: string, value: unknown) => bytesAs(name, Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`))

/** The PDF comes first, because people read it first, and the files come last, because they take longest. */
const byPlace = (a: Entry, b: Entry) => placeOf(a) - placeOf(b) || (a.name < b.name ? -1 : 1)
const placeOf = ({ name }: Entry) => (name === 'dossier.pdf' ? 0 : name.startsWith('files/') ? 2 : 1)
