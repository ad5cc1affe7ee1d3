import type { Actor, PrepareContext, Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import type { Language } from '#kernel/message.ts'
import { nameOfTenant, readSettings } from '#modules/accounts'
import { type DossierKind, recordKinds, type Subject } from '#modules/dossiers'
import {
  listEarlierSigningKeys,
  listKeyLinks,
  listSignaturesAfter,
  listSigningKeys,
  type Now,
  readNow,
  readTrustedKeys,
} from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import type { Received } from '#platform/storage/storage.ts'
import {
  countActions,
  countRecords,
  fileSources,
  findInstallation,
  findSlug,
  listFilesAfter,
  listIdsAfter,
  type RecordedFile,
  readMoment,
  takeTime,
} from '../queries.ts'
import { rowsToExport, writeTables } from '../tables.ts'
import { type Kind, kinds, singles } from './kinds.ts'
import { recordPages, type SpooledPage, spooledPage } from './pages/record.ts'
import type { Track } from './progress.ts'
import { type Json, type Reading, readRecord, readSingle } from './records.ts'
import { countLines, jsonLines, type Spool } from './spool.ts'

const perPage = 200

/** A signature with what it signed, as both were at the moment of the snapshot. */
export interface SpooledSignature {
  row: Awaited<ReturnType<typeof listSignaturesAfter>>[number]
  now: Now | null
}

export interface Snapshot {
  at: string
  tenant: { id: number; slug: string; name: string }
  language: Language
  zone: string
  installation: { id: string; created_at: string } | null
  records: { kind: Kind; spooled: Received; count: number }[]
  singles: { name: string; value: Json }[]
  /** Rows for an import. */
  tables: { path: string; spooled: Received }[]
  pages: { kind: Kind; spooled: Received }[]
  files: Received
  signatures: Received
  keys: { public: Awaited<ReturnType<typeof listSigningKeys>>; links: Awaited<ReturnType<typeof listKeyLinks>> }
  /** The public keys whose seals count. */
  trusted: ReadonlySet<string>
  actions: { action: string; count: number }[]
}

interface Taking {
  services: Services
  actor: Actor
  spool: Spool
  track: Track
}

/** Reads everything of the tenant as it is at one moment. */
export const takeSnapshot = ({ services, actor, spool, track }: Taking): Promise<Snapshot> =>
  services.database.transaction(actor, 'snapshot', async tx => {
    await takeTime(tx)
    const at = await readMoment(tx)
    const settings = await readSettings(tx)
    const reading: Reading = { tx, actor, services }
    let total = 0
    for (const { table, users } of kinds) total += await countRecords(tx, table, users)
    track.begin('records', total)
    const records: Snapshot['records'] = []
    const pages: Snapshot['pages'] = []
    for (const kind of kinds) {
      const spooled = await spool.take(jsonLines(recordsOf(reading, kind, () => track.advance())))
      records.push({ kind, spooled, count: await countLines(spooled) })
      const page = recordPages[kind.name]
      if (!page) continue
      const printed = pagesOf(reading, kind, recordKinds[page.dossier], settings.language)
      pages.push({ kind, spooled: await spool.take(jsonLines(printed)) })
    }
    const read: Json[] = []
    for (const { path } of singles) read.push(await readSingle(reading, path))

    const snapshot = {
      at,
      tenant: { id: actor.tenantId, slug: await findSlug(tx), name: await nameOfTenant(tx) },
      language: settings.language,
      zone: settings.time_zone,
      installation: await findInstallation(tx),
      records,
      singles: singles.map(({ name }, n) => ({ name, value: read[n]! })),
      pages,
      files: await spool.take(jsonLines(filesOf(tx))),
      signatures: await spool.take(jsonLines(signaturesOf(tx, services))),
      keys: {
        public: [...(await listEarlierSigningKeys(tx)), ...(await listSigningKeys(tx))],
        links: await listKeyLinks(tx),
      },
      trusted: await readTrustedKeys(tx, [services.signingKey]),
      actions: await countActions(tx),
    }
    // Last, because the rows are written with settings of their own, which hold until the transaction ends.
    track.begin('tables', rowsToExport.length)
    const tables: Snapshot['tables'] = []
    await writeTables(
      tx,
      {
        async add(path, content) {
          const spooled = await spool.take(content)
          tables.push({ path, spooled })
          track.advance()
          return { size: spooled.size_bytes, sha256: spooled.sha256 }
        },
      },
      services,
    )
    return { ...snapshot, tables }
  })

async function* idsOf(tx: Tx, { table, users }: Kind): AsyncGenerator<number> {
  for (let after = 0; ; ) {
    const ids = await listIdsAfter(tx, table, users, after, perPage)
    yield* ids
    if (ids.length < perPage) return
    after = ids.at(-1)!
  }
}

/** A record that the API does not show any more, such as a deleted group, is in the rows of the tables and in the trail alone. */
async function* recordsOf(reading: Reading, kind: Kind, done: () => void): AsyncGenerator<Json> {
  for await (const id of idsOf(reading.tx, kind)) {
    const record = await readRecord(reading, kind, id).catch((error: unknown) => {
      if (error instanceof AppError && error.status === 404) return undefined
      throw error
    })
    if (record) yield record
    done()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each kind has parameters of its own
async function* pagesOf({ tx, actor, services }: Reading, kind: Kind, dossier: DossierKind<any>, language: Language) {
  const context = { actor, services, read: <T>(work: (tx: Tx) => Promise<T>) => work(tx) } as PrepareContext
  for await (const id of idsOf(tx, kind)) {
    const subject: Subject | undefined = await dossier.read(context, { id, user_id: id }).catch((error: unknown) => {
      // Too large for paper: the record itself is in the archive all the same.
      if (error instanceof AppError) return undefined
      throw error
    })
    if (subject) yield spooledPage(subject, id, language) satisfies SpooledPage
  }
}

async function* filesOf(tx: Tx): AsyncGenerator<RecordedFile> {
  for (const source of fileSources)
    for (let after = 0; ; ) {
      const rows = await listFilesAfter(tx, source, after, perPage)
      for (const { id, ...file } of rows) yield file
      if (rows.length < perPage) break
      after = rows.at(-1)!.id
    }
}

async function* signaturesOf(tx: Tx, { signing }: Services): AsyncGenerator<SpooledSignature> {
  for (let after = 0; ; ) {
    const rows = await listSignaturesAfter(tx, after, perPage)
    // A record that cannot be read must not hide the signatures of others.
    for (const row of rows) yield { row, now: await readNow(tx, signing, row).catch(() => null) }
    if (rows.length < perPage) return
    after = rows.at(-1)!.id
  }
}
