// Writes a zip file by file, in the format of PKWARE's APPNOTE 6.3 with 64-bit sizes. Of a file that was written nothing stays in memory but its
// entry of the directory, of some two hundred bytes; a library that takes streams keeps each of them until the zip is closed.
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createDeflateRaw } from 'node:zlib'

const waiting_bytes = 256 * 1024

/** 4.5, which has 64-bit sizes. */
const version = 45
/** The sizes follow the content, and names are UTF-8. */
const flags = 0x0808
const unix = 3 << 8
const [in64_16, in64_32] = [0xffff, 0xffffffff]
const deflated = 8

interface Written {
  name: Buffer
  method: number
  crc: number
  compressed: number
  size: number
  offset: number
}

/** The bytes are read from `output` while files are added. `close` ends the zip with its directory, and `fail` without. */
export function zipWriter(mtime: Date) {
  const output = new PassThrough({ highWaterMark: waiting_bytes })
  const moment = momentOf(mtime)
  const directory: Buffer[] = []
  let written = 0
  let failure: Error | undefined
  output.once('error', (error: Error) => {
    failure = error
  })
  output.once('close', () => {
    if (!output.writableFinished) failure ??= new Error('the reader of the zip has gone')
  })

  const untilDrained = () =>
    new Promise<void>(resolve => {
      const done = () => {
        output.off('drain', done).off('close', done)
        resolve()
      }
      output.on('drain', done).on('close', done)
    })

  async function write(bytes: Uint8Array) {
    if (failure) throw failure
    written += bytes.length
    if (!output.write(bytes)) await untilDrained()
    if (failure) throw failure
  }

  /** Adds one file after the other; resolves when its content was read to its end. */
  async function add(path: string, content: AsyncIterable<Uint8Array>, { compress }: { compress: boolean }) {
    const file: Written = {
      ...{ name: Buffer.from(path), method: compress ? deflated : 0, offset: written },
      ...{ crc: 0, compressed: 0, size: 0 },
    }
    await write(headOf(file, moment))
    const begun = written
    async function* measured() {
      for await (const piece of content) {
        file.crc = crc32(piece, file.crc)
        file.size += piece.length
        yield piece
      }
    }
    if (compress)
      await pipeline(
        Readable.from(measured(), { objectMode: false }),
        createDeflateRaw(),
        async (pieces: AsyncIterable<Buffer>) => {
          for await (const piece of pieces) await write(piece)
        },
      )
    else for await (const piece of measured()) await write(piece)
    file.compressed = written - begun
    await write(sizesOf(file))
    directory.push(entryOf(file, moment))
  }

  async function close() {
    const offset = written
    for (const entry of directory) await write(entry)
    await write(endOf({ files: directory.length, offset, size: written - offset }))
    output.end()
  }

  return { output: output as Readable, add, close, fail: (error: Error) => void output.destroy(error) }
}

/** A record of the format from its fields of 2, 4 or 8 bytes, and bytes as they are. */
function record(...fields: readonly (readonly [bytes: 2 | 4 | 8, value: number] | Buffer)[]): Buffer {
  // Of its own: entries of the directory stay, and would keep the pages of the pool that they shared with content.
  const bytes = Buffer.allocUnsafeSlow(
    fields.reduce((sum, each) => sum + (Buffer.isBuffer(each) ? each.length : each[0]), 0),
  )
  let at = 0
  for (const field of fields) {
    if (Buffer.isBuffer(field)) at += field.copy(bytes, at)
    else {
      const [length, value] = field
      if (length === 8) bytes.writeBigUInt64LE(BigInt(value), at)
      else bytes.writeUIntLE(value, at, length)
      at += length
    }
  }
  return bytes
}

interface Moment {
  time: number
  day: number
  /** With the seconds that the fields above cannot have. */
  extra: Buffer
}

function momentOf(mtime: Date): Moment {
  return {
    time: (mtime.getUTCHours() << 11) | (mtime.getUTCMinutes() << 5) | (mtime.getUTCSeconds() >> 1),
    day: ((mtime.getUTCFullYear() - 1980) << 9) | ((mtime.getUTCMonth() + 1) << 5) | mtime.getUTCDate(),
    extra: record([2, 0x5455], [2, 5], Buffer.from([1]), [4, Math.floor(mtime.getTime() / 1000)]),
  }
}

const headOf = ({ name, method }: Written, { time, day, extra }: Moment) => {
  const sizes = record([2, 1], [2, 16], [8, 0], [8, 0])
  return record(
    ...([
      [4, 0x04034b50],
      [2, version],
      [2, flags],
      [2, method],
      [2, time],
      [2, day],
    ] as const),
    ...([
      [4, 0],
      [4, in64_32],
      [4, in64_32],
      [2, name.length],
      [2, extra.length + sizes.length],
    ] as const),
    ...[name, extra, sizes],
  )
}

const sizesOf = ({ crc, compressed, size }: Written) => record([4, 0x08074b50], [4, crc], [8, compressed], [8, size])

const entryOf = ({ name, method, crc, compressed, size, offset }: Written, { time, day, extra }: Moment) => {
  const sizes = record([2, 1], [2, 24], [8, size], [8, compressed], [8, offset])
  return record(
    ...([
      [4, 0x02014b50],
      [2, unix | version],
      [2, version],
      [2, flags],
      [2, method],
      [2, time],
      [2, day],
    ] as const),
    ...([
      [4, crc],
      [4, in64_32],
      [4, in64_32],
      [2, name.length],
      [2, extra.length + sizes.length],
      [2, 0],
    ] as const),
    // Of this one disk, with no mark, a file that all may read.
    ...([
      [2, 0],
      [2, 0],
      [4, 0o100644 * 0x10000],
      [4, in64_32],
    ] as const),
    ...[name, extra, sizes],
  )
}

const endOf = ({ files, offset, size }: Record<'files' | 'offset' | 'size', number>) =>
  record(
    ...([
      [4, 0x06064b50],
      [8, 44],
      [2, unix | version],
      [2, version],
      [4, 0],
      [4, 0],
    ] as const),
    ...([
      [8, files],
      [8, files],
      [8, size],
      [8, offset],
    ] as const),
    ...([
      [4, 0x07064b50],
      [4, 0],
      [8, offset + size],
      [4, 1],
    ] as const),
    ...([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, in64_16],
      [2, in64_16],
      [4, in64_32],
      [4, in64_32],
      [2, 0],
    ] as const),
  )
