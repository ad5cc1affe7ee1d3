import { randomUUID } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { S3Config } from '../config.ts'
import { openParts, type PartSizes } from './s3-parts.ts'
import { giveUpSilence } from './s3-silence.ts'
import { openSpool } from './spool.ts'
import {
  checkByUse,
  type FileStorage,
  isKey,
  KeyTaken,
  MissingFile,
  markName,
  type Received,
  requireKey,
  requirePrefix,
} from './storage.ts'

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }
const read_bytes = 256 * 1024
const MiB = 1024 * 1024
/** A file of more than `whole_max_bytes` is sent in parts. */
export const usualSizes: PartSizes & { whole_max_bytes: number } = {
  whole_max_bytes: 64 * MiB,
  part_bytes: 8 * MiB,
  copied_part_bytes: 64 * MiB,
}
const attempts = 3
const connectTimeoutMs = 5_000
/** The limit of silence, not of the whole transfer. The library begins to count after 3 s, so people are told after 26 s. */
const silenceTimeoutMs = 10_000
/** Each download holds a socket until its end. */
const max_sockets = 500

/** A function of its own, so that a test can read its time limits. */
export function openS3Client(
  { region, endpoint, access_key_id, secret_access_key }: Omit<S3Config, 'type'>,
  { timeout_ms = silenceTimeoutMs }: { timeout_ms?: number } = {},
) {
  const client = new S3Client({
    region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
    // Otherwise bodies are framed in a way that only AWS understands.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The library would hold each file back for 6 s where a store does not say that it may come.
    expectContinueHeader: false,
    maxAttempts: attempts,
    logger: silent, // errors are thrown, and logged where they are caught
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: timeout_ms,
      httpAgent: { keepAlive: true, maxSockets: max_sockets },
      httpsAgent: { keepAlive: true, maxSockets: max_sockets },
    },
  })
  giveUpSilence(client)
  return client
}

/**
 * Files in a bucket of AWS or of another store with its protocol. Uploads pass through `folder` on this machine.
 *
 * A file is one PutObject, which the store does as a whole or not at all. It refuses other bytes than those that were received, because
 * their SHA-256 is part of the signature. A file of more than 64 MiB is sent in parts (s3-parts.ts), and exists when all of them do. A
 * connection that breaks at the end can leave a file without a record.
 */
export async function openS3Storage(
  config: Omit<S3Config, 'type'>,
  folder: string,
  { sizes = usualSizes, ...patience }: { timeout_ms?: number; sizes?: typeof usualSizes } = {},
): Promise<FileStorage> {
  const spool = await openSpool(join(folder, '.tmp'))
  const { bucket: Bucket } = config
  const client = openS3Client(config, patience)

  const parts = openParts(client, Bucket, sizes)

  let refuses: Promise<boolean> | undefined
  /**
   * Resolves to whether the store refuses to replace a file (`If-None-Match: *`). It is tried once, because some stores answer 501 and some
   * ignore the header.
   */
  function refusesToReplace() {
    refuses ??= tryToReplace().catch(error => {
      refuses = undefined
      throw error
    })
    return refuses
  }
  async function tryToReplace() {
    const Key = `check/${randomUUID()}`
    const put = () => client.send(new PutObjectCommand({ Bucket, Key, Body: 'tried', IfNoneMatch: '*' }))
    try {
      await put()
    } catch (error) {
      if (statusOf(error) === 501) return false
      throw error
    }
    try {
      await put()
      return false
    } catch (error) {
      if (statusOf(error) === 412) return true
      throw error
    } finally {
      await client.send(new DeleteObjectCommand({ Bucket, Key })).catch(() => {}) // no record names it
    }
  }

  const put = async (received: Received, Key: string, more: { IfNoneMatch?: '*' }) =>
    (received.size_bytes > sizes.whole_max_bytes
      ? parts.put(received, Key, more)
      : putWhole(received, Key, more)
    ).catch(error => {
      throw statusOf(error) === 412 ? new KeyTaken(Key, { cause: error }) : error
    })

  async function putWhole(received: Received, Key: string, more: { IfNoneMatch?: '*' }) {
    const command = new PutObjectCommand({ Bucket, Key, ContentLength: received.size_bytes, ...more })
    command.middlewareStack.add(
      next => args => {
        const { headers } = args.request as { headers: Record<string, string> }
        headers['x-amz-content-sha256'] = received.sha256
        return next(args)
      },
      { step: 'build' },
    )
    const file = await open(received.path, 'r')
    const body = file.createReadStream({ highWaterMark: read_bytes })
    const abort = new AbortController()
    let unreadable: Error | undefined
    body.once('error', error => {
      unreadable = error
      abort.abort()
    })
    command.input.Body = body
    try {
      await client.send(command, { abortSignal: abort.signal })
    } catch (error) {
      throw unreadable ?? error
    } finally {
      body.destroy()
    }
  }

  /** The keys that this process is writing at present. */
  const underWay = new Set<string>()

  /**
   * For a store that cannot refuse. `underWay` keeps other calls of this process from the same key, and other processes never have the
   * key, because keys are random (`newKey`).
   */
  async function putWhereFree(received: Received, key: string) {
    if (underWay.has(key)) throw new KeyTaken(key)
    underWay.add(key)
    try {
      if (await stat(key)) throw new KeyTaken(key)
      await put(received, key, {})
    } finally {
      underWay.delete(key)
    }
  }

  const stat = async (key: string) => statOf(requireKey(key))

  async function statOf(Key: string) {
    try {
      const { ContentLength } = await client.send(new HeadObjectCommand({ Bucket, Key }))
      return { size_bytes: ContentLength ?? 0 }
    } catch (error) {
      const status = statusOf(error)
      if (status === 404) return undefined
      // This answer has no body, unlike others.
      if (status === 401 || status === 403)
        throw new Error(
          `the store refuses to look for ${Key} (status ${status}): the credentials are wrong, or may not read and list the bucket`,
          { cause: error },
        )
      throw error
    }
  }

  async function remove(key: string) {
    await client.send(new DeleteObjectCommand({ Bucket, Key: requireKey(key) }))
  }

  /**
   * The first page of what the bucket keeps of a key: the versions that hold content, and the markers of removals, which hold nothing. Both
   * are empty where the store has no versions.
   */
  async function keptOf(key: string): Promise<{ versions: string[]; markers: string[] }> {
    const page = await client
      .send(new ListObjectVersionsCommand({ Bucket, Prefix: requireKey(key) }))
      .catch((error: Error) => {
        if (error.name !== 'NoSuchBucket' && [404, 405, 501].includes(statusOf(error) ?? 0)) return undefined
        throw error
      })
    const idsOf = (found: readonly { Key?: string | undefined; VersionId?: string | undefined }[] = []) =>
      found.flatMap(({ Key, VersionId }) => (Key === key && VersionId ? [VersionId] : []))
    return { versions: idsOf(page?.Versions), markers: idsOf(page?.DeleteMarkers) }
  }

  const storage: Omit<FileStorage, 'check'> = {
    receive: spool.receive,
    discard: spool.discard,
    stat,

    async keep(received, key) {
      requireKey(key)
      if (await refusesToReplace()) await put(received, key, { IfNoneMatch: '*' })
      else await putWhereFree(received, key)
      const stored = await stat(key)
      if (stored?.size_bytes !== received.size_bytes)
        throw new Error(`the store took ${received.size_bytes} bytes of ${key} and has ${stored?.size_bytes ?? 'none'}`)
      await spool.discard(received)
    },

    async open(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`
      const command = new GetObjectCommand({ Bucket, Key: requireKey(key), ...(Range && { Range }) })
      const { Body } = await client.send(command).catch(error => {
        throw (error as Error).name === 'NoSuchKey' ? new MissingFile(key, { cause: error }) : error
      })
      return Body as Readable // which it is in Node
    },

    async *list(prefix) {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: requirePrefix(prefix) })
      for await (const { Contents = [] } of pages) {
        for (const { Key: key = '', Size: size_bytes = 0, LastModified: modified_at } of Contents) {
          if (isKey(key) && modified_at) yield { key, size_bytes, modified_at }
        }
      }
    },

    async move(key, to) {
      const found = await stat(key)
      if (!found) throw new MissingFile(key)
      if (found.size_bytes > sizes.whole_max_bytes) await parts.copy(key, requireKey(to), found.size_bytes)
      else await client.send(new CopyObjectCommand({ Bucket, Key: requireKey(to), CopySource: `${Bucket}/${key}` }))
      await remove(key)
    },

    remove,

    async erase(key) {
      // Each removal of a key that is gone would add a marker, and an erasure that the store refuses is repeated for as long as it refuses.
      if (await stat(key)) await remove(key)
      const erased = new Set<string>()
      // Always the first page, because some stores do not continue a list within the versions of one key.
      for (;;) {
        const { versions, markers } = await keptOf(key)
        // Markers go last: without them the newest version would be the file again.
        const next = versions.length > 0 ? versions : markers
        if (next.length === 0) return
        for (const VersionId of next) {
          if (erased.has(VersionId)) throw new Error(`the bucket keeps a version of ${key}`)
          await client.send(new DeleteObjectCommand({ Bucket, Key: key, VersionId }))
          erased.add(VersionId)
        }
      }
    },

    async readMark() {
      if (!(await statOf(markName))) return undefined
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: markName }))
      return Body!.transformToString()
    },

    async mark(Body) {
      const taken = (cause?: unknown) => new KeyTaken(markName, { cause })
      const refuses = await refusesToReplace()
      if (!refuses && (await statOf(markName))) throw taken()
      const command = new PutObjectCommand({ Bucket, Key: markName, Body, ...(refuses && { IfNoneMatch: '*' }) })
      await client.send(command).catch(error => {
        throw statusOf(error) === 412 ? taken(error) : error
      })
    },

    async forgetUnfinished(before) {
      await spool.forgetUnfinished(before)
      await parts.forgetUnfinished(before)
    },

    async close() {
      client.destroy()
    },
  }
  return { ...storage, check: () => checkByUse(storage) }
}

const statusOf = (error: unknown) => (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined)
