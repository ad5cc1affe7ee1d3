import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { isSilence } from './s3-silence.ts'
import { isKey, type Received } from './storage.ts'

const MiB = 1024 * 1024
/** The least maximum of any store: Swift by default. AWS takes ten times as many. */
const maxParts = 1000
/** The least of any store, but for the last part of a file. */
export const least_part_bytes = 5 * MiB
/** Parts that an upload holds in memory at a time. */
const atOnce = 3

interface Part {
  number: number
  start: number
  /** Included, as in a Range header. */
  end: number
}

export interface PartSizes {
  part_bytes: number
  /** The bytes of a copy stay in the store, so large parts save requests. */
  copied_part_bytes: number
}

/** Uploads and copies large files in parts, because a store takes 5 GB at most in one request. */
export function openParts(client: S3Client, Bucket: string, { part_bytes, copied_part_bytes }: PartSizes) {
  /** Sends the parts and makes one file of them. After a failure the store is told to discard them. */
  async function inParts(
    Key: string,
    parts: Part[],
    send: (
      part: Part,
      upload: { Bucket: string; Key: string; UploadId: string; PartNumber: number },
    ) => Promise<string>,
    complete: { IfNoneMatch?: '*' },
    check = () => {},
  ) {
    const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const upload = { Bucket, Key, UploadId }
    try {
      const done: { PartNumber: number; ETag: string }[] = []
      const waiting = parts.values()
      const failed = { is: false }
      const worker = async () => {
        for (const part of waiting) {
          if (failed.is) return
          const PartNumber = part.number
          try {
            done.push({ PartNumber, ETag: await send(part, { ...upload, PartNumber }) })
          } catch (error) {
            failed.is = true
            throw error
          }
        }
      }
      const ends = await Promise.allSettled(Array.from({ length: atOnce }, worker))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
      check()
      const Parts = done.sort((a, b) => a.PartNumber - b.PartNumber)
      await client.send(new CompleteMultipartUploadCommand({ ...upload, ...complete, MultipartUpload: { Parts } }))
    } catch (error) {
      // The first error is reported, at once if the store is silent. The sweep discards the parts later if the store is down now.
      const aborting = client.send(new AbortMultipartUploadCommand(upload)).catch(() => {})
      if (!isSilence(error)) await aborting
      throw error
    }
  }

  /** The request of each part is signed with its SHA-256, and all parts together must have that of the received file. */
  async function put({ path, size_bytes, sha256 }: Received, Key: string, more: { IfNoneMatch?: '*' }) {
    const file = await open(path, 'r')
    const hash = createHash('sha256')
    let turn = Promise.resolve()
    /** Reads one part at a time, in order. */
    const read = async ({ start, end }: Part) => {
      const bytes = Buffer.allocUnsafe(end - start + 1)
      turn = turn.then(async () => {
        const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
        if (bytesRead !== bytes.length) throw new Error(`${path} is shorter than what was received`)
        hash.update(bytes)
      })
      await turn
      return bytes
    }
    try {
      await inParts(
        Key,
        partsOf(size_bytes, part_bytes),
        async (part, upload) => {
          const { ETag = '' } = await client.send(new UploadPartCommand({ ...upload, Body: await read(part) }))
          return ETag
        },
        more,
        () => {
          if (hash.digest('hex') !== sha256) throw new Error(`${path} is not what was received`)
        },
      )
    } finally {
      await file.close()
    }
  }

  const copy = (key: string, Key: string, size_bytes: number) =>
    inParts(
      Key,
      partsOf(size_bytes, copied_part_bytes),
      async ({ start, end }, upload) => {
        const range = { CopySource: `${Bucket}/${key}`, CopySourceRange: `bytes=${start}-${end}` }
        const { CopyPartResult } = await client.send(new UploadPartCopyCommand({ ...upload, ...range }))
        return CopyPartResult?.ETag ?? ''
      },
      {},
    )

  async function forgetUnfinished(before: Date) {
    const next: { KeyMarker?: string; UploadIdMarker?: string } = {}
    for (let more = true; more; ) {
      const page = await client.send(new ListMultipartUploadsCommand({ Bucket, ...next }))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key && isKey(Key) && Initiated && Initiated < before)
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      }
      more = page.IsTruncated === true
      Object.assign(next, { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker })
    }
  }

  return { put, copy, forgetUnfinished }
}

function partsOf(size_bytes: number, preferred_bytes: number): Part[] {
  const length = Math.max(preferred_bytes, Math.ceil(size_bytes / maxParts / MiB) * MiB)
  return Array.from({ length: Math.ceil(size_bytes / length) }, (_, index) => {
    const start = index * length
    return { number: index + 1, start, end: Math.min(start + length, size_bytes) - 1 }
  })
}
