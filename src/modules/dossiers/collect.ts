import { createHash } from 'node:crypto'
import type { PrepareContext } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import { nameOfTenant, readSettings } from '#modules/accounts'
import { listEntriesOf, type RecordEntry, type RecordScope } from '#modules/audit'
import {
  type FileRemoval,
  type JudgedRemoval,
  judgeRemoval,
  readTrustedKeys,
  removalsOfAttachments,
  removalsOfVersions,
  verifySignature,
} from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { type FileStorage, MissingFile, type Received } from '#platform/storage/storage.ts'
import type { RecordedFile, Subject } from './subject.ts'

/** The recorded and the actual size and hash of a stored file. `found` is null if the file is missing or was removed. */
interface FoundFile extends RecordedFile {
  found: { size: number; sha256: string } | null
  /** Two people removed the content, as their signatures say. */
  removed: JudgedRemoval | undefined
}
export const isIntact = ({ sha256, size, found }: FoundFile) => found?.sha256 === sha256 && found.size === size
export const isRemoved = ({ removed }: FoundFile) => removed?.isGenuine === true
export const isAsExpected = (file: FoundFile) => isRemoved(file) || isIntact(file)

const entriesPerPage = 1_000
/** Some fifty entries make a page; audit.jsonl has all of them. */
export const maxPrintedEntries = 5_000

/** Completes a dossier: the record is in memory, the audit trail in the spool, and files are named by their keys. */
export async function collect(context: PrepareContext, subject: Subject, reading: readonly EventName[]) {
  const { read, services } = context
  const { trusted, settings, company, removals } = await read(async tx => ({
    trusted: await readTrustedKeys(tx, [services.signingKey]),
    settings: await readSettings(tx),
    company: await nameOfTenant(tx),
    removals: await removalsOf(tx, subject.files),
  }))
  const files: FoundFile[] = []
  for (const file of subject.files) {
    const removal = removals.find(each => isRemovalOf(each, file))
    const removed = removal && judgeRemoval(removal, trusted)
    files.push(removed ? { ...file, found: null, removed } : { ...(await find(services.storage, file)), removed })
  }
  const signatures = []
  const at = services.clock.now()
  for (const signature of subject.signatures) {
    const { row, now } = signature
    const verification = await verifySignature(services.storage, row, now, { at, trusted })
    signatures.push({ ...signature, verification })
  }
  const { resources, refused } = subject.scope
  const ids = signatures.map(({ row }) => row.id)
  const audit = await spoolAudit(context, { resources: [...resources, { type: 'signature', ids }], refused }, reading)
  const discard = () => services.storage.discard(audit.spooled)
  const { time_zone: zone, language } = settings
  return { subject, reading, zone, language, company, files, signatures, audit, discard }
}
export type Collected = Awaited<ReturnType<typeof collect>>

const removalsOf = async (tx: Tx, files: readonly RecordedFile[]) => [
  ...(await removalsOfVersions(
    tx,
    files.flatMap(({ row }) => ('version_id' in row ? [row.version_id] : [])),
  )),
  ...(await removalsOfAttachments(
    tx,
    files.flatMap(({ row }) => ('attachment_id' in row ? [row.attachment_id] : [])),
  )),
]

const isRemovalOf = ({ version_id, attachment_id }: FileRemoval, { row }: RecordedFile) =>
  'version_id' in row ? row.version_id === version_id : row.attachment_id === attachment_id

async function find(storage: FileStorage, file: RecordedFile): Promise<Omit<FoundFile, 'removed'>> {
  const hash = createHash('sha256')
  let size = 0
  try {
    for await (const chunk of await storage.open(file.key)) {
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
async function spoolAudit(
  { read, services }: PrepareContext,
  scope: RecordScope,
  reading: readonly string[],
): Promise<SpooledAudit> {
  const changes = createHash('sha256')
  const printed: RecordEntry[] = []
  let total = 0
  async function* lines() {
    for (let after = 0; ; ) {
      const page = await read(tx => listEntriesOf(tx, scope, after, entriesPerPage))
      for (const entry of page) {
        const line = `${JSON.stringify(entry)}\n`
        if (!reading.includes(entry.action)) changes.update(line)
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
