import { version } from '#kernel/version.ts'
import type { WholeTrail } from '#modules/audit'
import type { ArchiveSink } from '../archive.ts'
import type { Contents } from '../schema.ts'
import type { Snapshot } from './snapshot.ts'
import { textOf } from './spool.ts'

export const archiveFormat = 'attest-tenant-1'
export const manifestName = 'manifest.json'
const signatureName = 'manifest.sig'
const sumsName = 'SHA256SUMS'

/** Who asked for the export, and why. */
export interface Requested {
  by: string
  reason: string
  at: string
}

interface Listed {
  path: string
  size: number
  sha256: string
}

/** A sink that remembers what was added, for the manifest. */
export function listedSink(sink: ArchiveSink): ArchiveSink & { files: readonly Listed[] } {
  const files: Listed[] = []
  return {
    files,
    async add(path, content) {
      const found = await sink.add(path, content)
      files.push({ path, ...found })
      return found
    },
  }
}

/** The text that is signed. Its first line is no origin of a log, so that it is mistaken for no checkpoint. */
const signedText = (sha256: string) => `${archiveFormat}\n${sha256}\n`

interface Said {
  snapshot: Snapshot
  contents: Contents
  trail: WholeTrail
  requested: Requested
  now: Date
}

/** The last files of an archive, in pieces, because there may be a million lines. Answers the hash of the manifest. */
export async function addManifest(sink: ArchiveSink & { files: readonly Listed[] }, said: Said): Promise<string> {
  await sink.add(sumsName, sumsOf([...sink.files]))
  const { sha256 } = await sink.add(manifestName, manifestOf([...sink.files], said))
  await sink.add(signatureName, textOf(said.trail.sign(signedText(sha256))))
  return sha256
}

async function* sumsOf(files: readonly Listed[]) {
  for (const { path, sha256 } of files) yield Buffer.from(`${sha256}  ${path}\n`)
}

async function* manifestOf(files: readonly Listed[], { snapshot, contents, trail, requested, now }: Said) {
  const { at, tenant, installation, keys } = snapshot
  const head = {
    format: archiveFormat,
    tenant,
    snapshot_at: at,
    requested,
    generated_at: now.toISOString(),
    service: { name: 'Attest', version },
    installation,
    contents,
    audit_trail: { origin: trail.origin, size: trail.size, root: trail.root, entries: trail.entries },
    keys: {
      manifest: trail.vkey,
      signatures: keys.public.map(({ key_id, public_key, created_at }) => ({ key_id, public_key, created_at })),
      are: 'for information alone: a forged archive would have forged keys. Compare them with keys that you were given another way.',
    },
  }
  yield Buffer.from(`${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "files": [\n`)
  for (const [n, file] of files.entries())
    yield Buffer.from(`    ${JSON.stringify(file)}${n + 1 < files.length ? ',' : ''}\n`)
  yield Buffer.from('  ]\n}\n')
}
