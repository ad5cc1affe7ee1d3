import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError, type File, Storage } from '@google-cloud/storage'
import type { GcpConfig } from '../config.ts'
import { openSpool } from './spool.ts'
import {
  checkByUse,
  type FileStorage,
  isKey,
  KeyTaken,
  MissingFile,
  markName,
  requireKey,
  requirePrefix,
} from './storage.ts'

const read_bytes = 256 * 1024
/** The library retries for so long. */
const retry_seconds = 10
const listedAtOnce = 1000

/**
 * Files in a bucket of Google Cloud Storage. Uploads pass through `folder` on this machine.
 *
 * A file is one upload, which the store does as a whole or not at all, and never over an existing file (generation 0). CRC32C is compared
 * in both directions. The library finds its credentials itself: the file that GOOGLE_APPLICATION_CREDENTIALS names, otherwise the identity
 * of the machine. A connection that breaks at the end can leave a file without a record.
 */
export async function openGcpStorage(
  { bucket: name, project, api_endpoint }: Omit<GcpConfig, 'type'>,
  folder: string,
): Promise<FileStorage> {
  const spool = await openSpool(join(folder, '.tmp'))
  const bucket = new Storage({
    ...(project && { projectId: project }),
    // Otherwise the library sends no credentials to another endpoint.
    ...(api_endpoint && { apiEndpoint: api_endpoint, useAuthWithCustomEndpoint: true }),
    retryOptions: { maxRetries: 2, totalTimeout: retry_seconds },
  }).bucket(name)
  const fileOf = (key: string) => bucket.file(requireKey(key))

  async function stat(key: string) {
    try {
      const [{ size }] = await fileOf(key).getMetadata()
      return { size_bytes: Number(size) }
    } catch (error) {
      if (statusOf(error) === 404) return undefined
      throw error
    }
  }

  async function remove(key: string) {
    await fileOf(key).delete({ ignoreNotFound: true })
  }

  const storage: Omit<FileStorage, 'check'> = {
    receive: spool.receive,
    discard: spool.discard,
    forgetUnfinished: spool.forgetUnfinished,
    stat,

    async keep(received, key) {
      const target = fileOf(key).createWriteStream({
        resumable: false,
        validation: 'crc32c',
        preconditionOpts: { ifGenerationMatch: 0 },
      })
      await pipeline(createReadStream(received.path, { highWaterMark: read_bytes }), target).catch(error => {
        throw statusOf(error) === 412 ? new KeyTaken(key, { cause: error }) : error
      })
      const stored = await stat(key)
      if (stored?.size_bytes !== received.size_bytes)
        throw new Error(`the store took ${received.size_bytes} bytes of ${key} and has ${stored?.size_bytes ?? 'none'}`)
      await spool.discard(received)
    },

    async open(key, range) {
      // A missing file would otherwise fail only when the stream is read.
      if (!(await stat(key))) throw new MissingFile(key)
      // A range has no checksum.
      return fileOf(key).createReadStream({ decompress: false, validation: range ? false : 'crc32c', ...range })
    },

    async *list(prefix) {
      let page: object | null = { prefix: requirePrefix(prefix), autoPaginate: false, maxResults: listedAtOnce }
      while (page) {
        const [files, next]: [File[], object | null, unknown?] = await bucket.getFiles(page)
        for (const { name: key, metadata } of files) {
          if (isKey(key)) yield { key, size_bytes: Number(metadata.size), modified_at: new Date(metadata.updated!) }
        }
        page = next
      }
    },

    async move(key, to) {
      await fileOf(key)
        .copy(fileOf(to))
        .catch(error => {
          throw statusOf(error) === 404 ? new MissingFile(key, { cause: error }) : error
        })
      await remove(key)
    },

    remove,

    async erase(key) {
      const generations = async () => {
        const [files] = await bucket.getFiles({ prefix: requireKey(key), versions: true })
        return files.filter(({ name }) => name === key)
      }
      await remove(key)
      for (const { generation } of await generations())
        await bucket.file(key, { generation: generation! }).delete({ ignoreNotFound: true })
      if ((await generations()).length > 0) throw new Error(`the bucket keeps a version of ${key}`)
    },

    readMark: () =>
      bucket
        .file(markName)
        .download()
        .then(
          ([bytes]) => bytes.toString(),
          error => {
            if (statusOf(error) === 404) return undefined
            throw error
          },
        ),

    async mark(text) {
      const onlyNew = { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } }
      await bucket
        .file(markName)
        .save(text, onlyNew)
        .catch(error => {
          throw statusOf(error) === 412 ? new KeyTaken(markName, { cause: error }) : error
        })
    },
  }
  return { ...storage, check: () => checkByUse(storage) }
}

const statusOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)
