import { randomBytes } from 'node:crypto'
import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of an archive, and what the archive says of it that is not so. */
export interface ZipEntry {
  name: string
  content?: Buffer | string
  isStored?: boolean
  /** Instead of the content, compressed already. */
  packed?: Buffer
  /** How large it claims to be once inflated. */
  claimed?: number
  crc?: number
  localName?: string
  flags?: number
  method?: number
  /** As on Unix, in the upper half of the attributes. */
  mode?: number
  /** Bytes that the list of entries does not name, behind this one. */
  gap?: Buffer
  /** It lies at the beginning of the bytes of the entry with this index, which holds it. */
  inside?: number
}

/** The two headers of an entry, and the length of its name there. */
function headerOf(entry: ZipEntry, name: string) {
  const { content = '', isStored = false, flags = 0x800 } = entry
  const plain = Buffer.from(content)
  const packed = entry.packed ?? (isStored ? plain : deflateRawSync(plain))
  const { claimed = plain.length, crc = crc32(plain), method = isStored ? 0 : 8 } = entry
  const header = Buffer.alloc(26)
  header.writeUInt16LE(20, 0)
  header.writeUInt16LE(flags, 2)
  header.writeUInt16LE(method, 4)
  header.writeUInt32LE(crc, 10)
  header.writeUInt32LE(packed.length, 14)
  header.writeUInt32LE(claimed, 18)
  header.writeUInt16LE(Buffer.byteLength(name), 22)
  return { header, packed }
}

/** The entry where its bytes are. */
export function localEntry(entry: ZipEntry) {
  const { gap = Buffer.alloc(0), localName = entry.name } = entry
  const { header, packed } = headerOf(entry, localName)
  const head = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(localName)])
  return { bytes: Buffer.concat([head, packed, gap]), head_bytes: head.length }
}

function listEntry(entry: ZipEntry, place: number) {
  const { name, mode } = entry
  const tail = Buffer.alloc(14)
  if (mode !== undefined) tail.writeUInt32LE((mode << 16) >>> 0, 6)
  tail.writeUInt32LE(place, 10)
  const version = Buffer.from([20, mode === undefined ? 0 : 3])
  return Buffer.concat([Buffer.from('PK\x01\x02'), version, headerOf(entry, name).header, tail, Buffer.from(name)])
}

/** A ZIP archive, byte by byte, because no writer of archives writes wrong ones. */
export function zipOf(entries: ZipEntry[], { before = '', comment = '', behindList = '' } = {}): Buffer {
  const parts = [Buffer.from(before, 'latin1')]
  const places: { begin: number; data: number }[] = []
  let end = before.length
  for (const entry of entries) {
    if (entry.inside !== undefined) {
      places.push({ begin: places[entry.inside]!.data, data: 0 })
      continue
    }
    const { bytes, head_bytes } = localEntry(entry)
    places.push({ begin: end, data: end + head_bytes })
    parts.push(bytes)
    end += bytes.length
  }
  const list = Buffer.concat(entries.map((entry, index) => listEntry(entry, places[index]!.begin)))
  const endRecord = Buffer.alloc(22)
  endRecord.write('PK\x05\x06', 'latin1')
  endRecord.writeUInt16LE(entries.length, 8)
  endRecord.writeUInt16LE(entries.length, 10)
  endRecord.writeUInt32LE(list.length, 12)
  endRecord.writeUInt32LE(end, 16)
  endRecord.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...parts, list, Buffer.from(behindList), endRecord, Buffer.from(comment, 'latin1')])
}

const kinds = {
  docx: ['word/document.xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml'],
  xlsx: ['xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'],
  pptx: ['ppt/presentation.xml', 'application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml'],
  docm: ['word/document.xml', 'application/vnd.ms-word.document.macroEnabled.main+xml'],
} as const

/** The parts of an Office file, and `more`. */
export function officeParts(kind: keyof typeof kinds, ...more: ZipEntry[]): ZipEntry[] {
  const [main, type] = kinds[kind]
  return [
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${main}" ContentType="${type}"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="officeDocument" Target="${main}"/></Relationships>`,
    },
    { name: main, content: '<?xml version="1.0"?><body>Clean the line</body>' },
    ...more,
  ]
}
export const office = (kind: keyof typeof kinds, ...more: ZipEntry[]) => zipOf(officeParts(kind, ...more))

export const openDocument = (kind: 'text' | 'spreadsheet' | 'presentation', ...more: ZipEntry[]) =>
  zipOf([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${kind}`, isStored: true },
    { name: 'content.xml', content: '<?xml version="1.0"?><office/>' },
    { name: 'META-INF/manifest.xml', content: '<?xml version="1.0"?><manifest/>' },
    ...more,
  ])

const block_bytes = 2 * 1024 * 1024
/** So many deflated blanks, ended so that more may follow. */
const blanks = (bytes: number) => deflateRawSync(Buffer.alloc(bytes, ' '), { finishFlush: 3 /* Z_FULL_FLUSH */ })
let block: Buffer | undefined
function blocksOf(count: number) {
  block ??= blanks(block_bytes)
  return Array.from({ length: count }, () => block!)
}

/** Deflated blanks: a thousandth of what they inflate to. One block is deflated, and stands there as often as it is needed. */
export const bomb = (inflated_bytes: number) =>
  Buffer.concat([
    ...blocksOf(Math.floor(inflated_bytes / block_bytes)),
    deflateRawSync(Buffer.alloc(inflated_bytes % block_bytes, ' ')),
  ])

/** Some ten megabytes that inflate to some ten gigabytes, and have no end. */
export const greatBomb = () => Buffer.concat(blocksOf(5_120))

const pngChunk = (kind: string, data: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(Buffer.concat([Buffer.from(kind), data])))
  return Buffer.concat([length, Buffer.from(kind), data, sum])
}
export const png = (...more: Buffer[]) =>
  Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', Buffer.from('00000001000000010806000000', 'hex')),
    pngChunk('IDAT', Buffer.from('789c6360000000020001', 'hex')),
    pngChunk('IEND', Buffer.alloc(0)),
    ...more,
  ])

/** The picture's own bytes hold what looks like a marker and is none. */
export const jpeg = (...more: Buffer[]) =>
  Buffer.concat([
    Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
    Buffer.from('ffdb0004ffd9', 'hex'), // a segment that holds an end marker
    Buffer.from('ffda0008010100003f00', 'hex'),
    Buffer.from('12ff0034ffd056ffff00', 'hex'),
    randomBytes(300_000).map(byte => (byte === 0xff ? 0xfe : byte)),
    Buffer.from('ffffd9', 'hex'),
    ...more,
  ])

export const gif = (...more: Buffer[]) =>
  Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from('01000100800000' + '000000ffffff', 'hex'),
    Buffer.from('21f9040100000000', 'hex'),
    Buffer.from('2c000000000100010000' + '02' + '024401' + '00', 'hex'),
    Buffer.from('3b', 'hex'),
    ...more,
  ])

export function webp(...more: Buffer[]) {
  const chunk = Buffer.concat([Buffer.from('WEBPVP8L'), Buffer.from('0a0000002f0000000007d0ff01a0', 'hex')])
  const length = Buffer.alloc(4)
  length.writeUInt32LE(chunk.length)
  return Buffer.concat([Buffer.from('RIFF'), length, chunk, ...more])
}

/** One page; `next` is where it says that another is. */
export const tiff = (next = 0) => {
  const page = Buffer.from('49492a0008000000' + '0100' + '000103000100000001000000' + '00000000', 'hex')
  page.writeUInt32LE(next, page.length - 4)
  return page
}

const box = (kind: string, content: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(8 + content.length)
  return Buffer.concat([length, Buffer.from(kind), content])
}
export const mp4 = (...more: Buffer[]) =>
  Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2mp41')),
    box('moov', Buffer.alloc(64)),
    box('mdat', randomBytes(1_000)),
    ...more,
  ])
