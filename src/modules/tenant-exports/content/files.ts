import type { Services } from '#action'
import { MissingFile } from '#platform/storage/storage.ts'
import type { ArchiveSink } from '../archive.ts'
import type { RecordedFile } from '../queries.ts'
import type { FileState } from './pages/record.ts'
import type { Track } from './progress.ts'
import { bytesOf, type Spool } from './spool.ts'

/** What became of the files of records. Of each content it holds the hash, and of a file no more than what is wrong with it. */
export interface FoundFiles {
  count: number
  bytes: number
  missing: number
  removed: number
  stateOf(sha256: string): FileState
  /** The hash of what the store has; undefined if it is missing. */
  found(file_key: string, sha256: string): string | undefined
}

/**
 * Adds each content once. A file is read before it is added: bytes that are not those of its record are added under the hash that they have,
 * and it is said so.
 */
export function copyFiles({ storage }: Pick<Services, 'storage'>, sink: ArchiveSink, spool: Spool, track: Track) {
  const states = new Map<string, FileState>()
  const otherwise = new Map<string, string | undefined>()
  const added = new Set<string>()
  const counted = { count: 0, bytes: 0, missing: 0, removed: 0 }

  async function copy(key: string): Promise<string | undefined> {
    const stream = await storage.open(key).catch((error: Error) => {
      if (error instanceof MissingFile) return undefined
      throw error
    })
    if (!stream) return undefined
    const received = await spool.take(stream)
    if (!added.has(received.sha256)) {
      await sink.add(pathOf(received.sha256), bytesOf(received))
      added.add(received.sha256)
      counted.count += 1
      counted.bytes += received.size_bytes
    }
    await spool.discard(received)
    return received.sha256
  }

  async function stateOfFile({ key, sha256, is_removed }: RecordedFile): Promise<FileState> {
    if (is_removed) return 'removed'
    const found = await copy(key)
    if (found === sha256) return 'as_stored'
    otherwise.set(key, found)
    return found === undefined ? 'missing' : 'altered'
  }

  /** The lines of files.jsonl. */
  async function* linesOf(files: AsyncIterable<RecordedFile>) {
    for await (const file of files) {
      const { key, sha256, size, content_type, name, is_removed: _removed, ...of } = file
      const state = await stateOfFile(file)
      if (states.get(sha256) !== 'as_stored') states.set(sha256, state)
      if (state === 'removed') counted.removed += 1
      else if (state !== 'as_stored') counted.missing += 1
      const found = otherwise.get(key)
      track.advance()
      yield {
        sha256,
        size,
        content_type,
        name,
        of,
        state,
        path: state === 'as_stored' ? pathOf(sha256) : null,
        ...(found !== undefined && { found: { sha256: found, path: pathOf(found) } }),
      }
    }
  }
  const found: FoundFiles = {
    get count() {
      return counted.count
    },
    get bytes() {
      return counted.bytes
    },
    get missing() {
      return counted.missing
    },
    get removed() {
      return counted.removed
    },
    stateOf: sha256 => states.get(sha256) ?? 'missing',
    found: (file_key, sha256) => (otherwise.has(file_key) ? otherwise.get(file_key) : sha256),
  }
  return { linesOf, found }
}

const pathOf = (sha256: string) => `files/${sha256}`
