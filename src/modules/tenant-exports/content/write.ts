import { readFile } from 'node:fs/promises'
import type { Actor, PrepareContext, Services } from '#action'
import { wholeTrail } from '#modules/audit'
import type { Tx } from '#platform/db/database.ts'
import type { ArchiveSink } from '../archive.ts'
import type { RecordedFile } from '../queries.ts'
import type { Contents } from '../schema.ts'
import { csvOfTable, tablesOf } from './csv.ts'
import { copyFiles } from './files.ts'
import { kinds } from './kinds.ts'
import { addManifest, listedSink, type Requested } from './manifest.ts'
import { addPages } from './pages/index.ts'
import type { Track } from './progress.ts'
import { readmeOf } from './readme.ts'
import { type Json, schemaOf } from './records.ts'
import { signatureOf } from './signatures.ts'
import { type Snapshot, type SpooledSignature, takeSnapshot } from './snapshot.ts'
import { bytesOf, jsonLines, objectsOf, openSpool, type Spool, textOf } from './spool.ts'

/** The programs that check an archive without the service. */
const programs = ['attest-export-verify.mjs', 'attest-audit-verify.mjs', 'attest-signature-verify.mjs']
const programsFolder = new URL('../../../../verifier/', import.meta.url)

export interface Written {
  snapshot_at: string
  slug: string
  manifest_sha256: string
  contents: Contents
}

interface Writing {
  services: Services
  /** Reads everything, whoever asked for it. */
  actor: Actor
  requested: Requested
  sink: ArchiveSink
  track: Track
}

/**
 * Writes everything of a tenant into an archive: the records as of one moment, their files, and the trail up to a moment not before. What was read
 * lies on this machine's disk meanwhile, so that the snapshot is closed before the first file is copied.
 */
export async function writeArchive({ services, actor, requested, sink, track }: Writing): Promise<Written> {
  const spool = openSpool(services.storage)
  try {
    const read = <T>(work: (tx: Tx) => Promise<T>) => services.database.transaction(actor, 'read only', work)
    // So that as much as possible of the trail has its place within the snapshot too.
    await wholeTrail({ actor, services, read })
    const snapshot = await takeSnapshot({ services, actor, spool, track })
    return await writeSnapshot({ services, actor, read, requested, track, snapshot, spool, sink: listedSink(sink) })
  } finally {
    await spool.discardAll()
  }
}

interface WritingSnapshot extends Omit<Writing, 'sink'> {
  sink: ReturnType<typeof listedSink>
  read: PrepareContext['read']
  snapshot: Snapshot
  spool: Spool
}

async function writeSnapshot(writing: WritingSnapshot): Promise<Written> {
  const { services, actor, read, requested, track, snapshot, spool, sink } = writing
  for (const { kind, spooled } of snapshot.records) await sink.add(`records/${kind.name}.jsonl`, bytesOf(spooled))
  for (const { name, value } of snapshot.singles) await sink.add(`records/${name}.jsonl`, jsonLines([value]))
  for (const { path, spooled } of snapshot.tables) await sink.add(path, bytesOf(spooled))
  for (const kind of kinds)
    await sink.add(`schemas/${kind.name}.json`, textOf(`${JSON.stringify(schemaOf(services, kind), undefined, 2)}\n`))

  track.begin('files', await countLines(snapshot.files))
  const { linesOf, found } = copyFiles(services, sink, spool, track)
  const files = await spool.take(jsonLines(linesOf(objectsOf<RecordedFile>(snapshot.files))))
  await sink.add('files.jsonl', bytesOf(files))

  track.begin('signatures', await countLines(snapshot.signatures))
  const signed = { total: 0, valid: 0 }
  async function* signatures() {
    for await (const each of objectsOf<SpooledSignature>(snapshot.signatures)) {
      const signature = await signatureOf(services, each, { trusted: snapshot.trusted, found: found.found })
      signed.total += 1
      if (signature.verification?.valid) signed.valid += 1
      track.advance()
      yield signature
    }
  }
  const verified = await spool.take(jsonLines(signatures()))
  await sink.add('signatures.jsonl', bytesOf(verified))
  await sink.add('keys.json', textOf(`${JSON.stringify(snapshot.keys, undefined, 2)}\n`))

  track.begin('trail', 1)
  const trail = await wholeTrail({ actor, services, read })
  await sink.add('audit/trail.zip', await trail.open())
  track.advance()

  const contents: Contents = {
    records: Object.fromEntries(snapshot.records.map(({ kind, count }) => [kind.name, count])),
    files: found.count,
    files_bytes: found.bytes,
    files_missing: found.missing,
    files_removed: found.removed,
    signatures: signed.total,
    signatures_valid: signed.valid,
    audit_entries: trail.entries,
  }
  track.begin('pages', snapshot.records.length + snapshot.pages.length)
  for (const { kind, spooled } of snapshot.records) {
    const records = () => objectsOf<Json>(spooled)
    for (const table of await tablesOf(records())) {
      const name = table.part === undefined ? kind.name : `${kind.name}.${table.part}`
      await sink.add(`csv/${name}.csv`, csvOfTable(table, records()))
    }
    track.advance()
  }
  await addPages({ sink, snapshot, contents, trail, requested, verified, stateOf: found.stateOf, track })
  for (const program of programs)
    await sink.add(`verifier/${program}`, textOf(await readFile(new URL(program, programsFolder), 'utf8')))
  await sink.add('README.md', textOf(readmeOf({ snapshot, contents, trail, requested })))
  const manifest_sha256 = await addManifest(sink, { snapshot, contents, trail, requested, now: services.clock.now() })
  return { snapshot_at: snapshot.at, slug: snapshot.tenant.slug, manifest_sha256, contents }
}

async function countLines(spooled: Parameters<typeof objectsOf>[0]) {
  let count = 0
  for await (const bytes of bytesOf(spooled)) for (const byte of bytes) if (byte === 10) count += 1
  return count
}
