import { createHash } from 'node:crypto'
import type { PrepareContext } from '#action'
import { readSettings } from '#modules/accounts'
import { listEntriesOf, type RecordEntry, type RecordScope } from '#modules/audit'
import { type RecordedVersion, readRecord, readSignable, recordParts } from '#modules/documents'
import { listRecords, readTrustedKeys, verifySignature } from '#modules/signatures'
import { type FileStorage, MissingFile, type Received } from '#platform/storage/storage.ts'

/** The recorded and the actual size and hash of a stored file. `found` is null if the file is missing. */
interface FoundFile {
  version: string
  key: string
  name: string
  size: number
  sha256: string
  found: { size: number; sha256: string } | null
}
export const isIntact = ({ sha256, size, found }: FoundFile) => found?.sha256 === sha256 && found.size === size

/** Entries about reading the record, which do not change it. */
export const readingActions: readonly string[] = [
  'document.downloaded',
  'document.viewed',
  'document.dossier_exported',
  'access.denied',
]

const entriesPerPage = 1_000
/** Some fifty entries make a page; audit.jsonl has all of them. */
export const maxPrintedEntries = 5_000

/** Collects the content of a dossier: small parts in memory, the audit trail in the spool, files by their keys. */
export async function collect(context: PrepareContext, id: number) {
  const { read, actor, services } = context
  const { record, signatures, trusted, parts, zone } = await read(async tx => {
    const record = await readRecord(tx, actor, id)
    const signatures = await listRecords(tx, { document_id: id })
    const parts: Record<string, object[]> = {}
    for (const [name, list] of Object.entries(recordParts)) parts[name] = await list(tx, id)
    const versions = new Set(signatures.map(({ version_id }) => version_id))
    const signables = new Map<number, Awaited<ReturnType<typeof readSignable>>>()
    for (const version of versions) signables.set(version, await readSignable(tx, version))
    const signed = signatures.map(row => ({ row, now: { version: signables.get(row.version_id)! } }))
    const trusted = await readTrustedKeys(tx, [services.signingKey])
    return { record, signatures: signed, trusted, parts, zone: (await readSettings(tx)).time_zone }
  })
  const { number } = record.document
  const files: FoundFile[] = []
  for (const version of record.versions) files.push(await find(services.storage, version))
  const verified = []
  const at = services.clock.now()
  for (const { row, now } of signatures)
    verified.push({ row, verification: await verifySignature(services.storage, row, now, { at, trusted }) })
  const scope = { document_id: id, number, signature_ids: signatures.map(({ row }) => row.id) }
  const audit = await spoolAudit(context, scope)
  return {
    ...record,
    parts,
    zone,
    files,
    signatures: verified,
    audit,
    discard: () => services.storage.discard(audit.spooled),
  }
}
export type Collected = Awaited<ReturnType<typeof collect>>

async function find(
  storage: FileStorage,
  { version, file_key, file_name, file_size, sha256 }: RecordedVersion,
): Promise<FoundFile> {
  const file = { version, key: file_key, name: file_name, size: file_size, sha256 }
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of await storage.open(file_key)) {
      hash.update(chunk as Buffer)
      size += (chunk as Buffer).length
    }
  } catch (error) {
    if (error instanceof MissingFile) return { ...file, found: null }
    throw error
  }
  return { ...file, found: { size, sha256: hash.digest('hex') } }
}

interface SpooledAudit {
  spooled: Received
  total: number
  /** The hash over the entries that changed the record. */
  changes_sha256: string
  printed: RecordEntry[]
}

/** Writes a line for each entry, page by page, so that no transaction is open for longer than a page takes. */
async function spoolAudit({ read, services }: PrepareContext, scope: RecordScope): Promise<SpooledAudit> {
  const changes = createHash('sha256')
  const printed: RecordEntry[] = []
  let total = 0
  async function* lines() {
    for (let after = 0; ; ) {
      const page = await read(tx => listEntriesOf(tx, scope, after, entriesPerPage))
      for (const entry of page) {
        const line = `${JSON.stringify(entry)}\n`
        if (!readingActions.includes(entry.action)) changes.update(line)
        if (printed.length < maxPrintedEntries) printed.push(entry)
        yield Buffer.from(line)
      }
      total += page.length
      if (page.length < entriesPerPage) return
      after = page.at(-1)!.id
    }
  }
  const spooled = await services.storage.receive(lines(), { max_bytes: Number.POSITIVE_INFINITY })
  return { spooled, total, changes_sha256: changes.digest('hex'), printed }
}
