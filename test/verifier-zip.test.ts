// The verifier's checks of an export as a file: a damaged zip, or one that is made to harm its reader.
import assert from 'node:assert/strict'
import { closeSync, openSync, truncateSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { crc32, deflateRawSync } from 'node:zlib'
import { makeBundle } from '#test/builders/bundles.ts'
import { localEntry, type ZipEntry, zipOf } from '#test/faults/hostile-files.ts'
import { entriesOf, failed, path, replaced, unable, valid, whole } from '#test/world/verdicts.ts'

const entry = (name: string, change: Partial<ZipEntry>) =>
  entriesOf(whole.files).map(each => (each.name === name ? { ...each, ...change } : each))

describe('a file of an export', () => {
  it('is of objects, a line each, and each line ends', async () => {
    const text = whole.files.get('entries.jsonl')!.toString()
    await failed(replaced('entries.jsonl', text.slice(0, -1)), ['entries.jsonl does not end with a line'])
    await failed(replaced('entries.jsonl', text.replace('\n', '\n[]\n')), ['entries.jsonl, line 2 is no JSON object'])
    await failed(replaced('entries.jsonl', `\n${text}`), ['entries.jsonl, line 1 is no JSON object'])
    const not = Buffer.concat([Buffer.from(text.slice(0, 10)), Buffer.of(0xff), Buffer.from(text.slice(10))])
    await failed(replaced('entries.jsonl', not), ['entries.jsonl is not UTF-8'])
  })

  it('may be longer than what is read at a time', async () => {
    const { files, vkeys } = await makeBundle({ sizes: [400] })
    assert.ok(files.get('entries.jsonl')!.length > 2 * 65_536)
    for (const isStored of [true, false])
      await valid(
        entriesOf(files).map(each => ({ ...each, isStored })),
        { vkeys },
      )
  })

  it('has no line and no content that fills memory', async () => {
    const long = 'entries.jsonl has a line of more than 16000000 bytes'
    await unable(replaced('entries.jsonl', Buffer.alloc(16_000_001, 'x')), long)
    await failed(replaced('entries.jsonl', Buffer.alloc(16_000_000, 'x')), ['entries.jsonl does not end with a line'])
    await unable(replaced('manifest.json', Buffer.alloc(1_000_001, ' ')), 'manifest.json is too large')
    await failed(replaced('manifest.json', Buffer.alloc(1_000_000, ' ')), ['manifest.json is no JSON object'])
  })

  it('may be compressed, as a log is and no more', async () => {
    await valid(entriesOf(whole.files).map(each => ({ ...each, isStored: false })))
    const packed = deflateRawSync(Buffer.alloc(100))
    const most = 1_000_000 + packed.length * 200
    const claiming = (claimed: number) => entry('details.jsonl', { packed, claimed, isStored: false })
    await unable(claiming(most + 1), 'details.jsonl would unpack to more than a log does')
    await failed(claiming(most), ['details.jsonl is not what the zip says of it'])
  })

  it('is what the zip says of it', async () => {
    const no = ['entries.jsonl is not what the zip says of it']
    const content = whole.files.get('entries.jsonl')!
    await failed(entry('entries.jsonl', { crc: 1 }), no)
    await failed(entry('entries.jsonl', { claimed: content.length + 1 }), no)
    const longer = ['entries.jsonl is longer than the zip says']
    await failed(entry('entries.jsonl', { claimed: content.length - 1 }), longer)
    await failed(entry('entries.jsonl', { claimed: content.length - 1, isStored: false }), longer)
    const packed = deflateRawSync(content)
    for (const cut of [Buffer.alloc(20, 0xff), packed.subarray(0, -9)])
      await failed(entry('entries.jsonl', { packed: cut, isStored: false }), ['entries.jsonl cannot be unpacked'])
  })

  it('has a name that exports have, and no other has it', async () => {
    const more = (name: string) => [...entriesOf(whole.files), { name, content: 'x', isStored: true }]
    for (const name of [
      ...['x/y', '../README.txt', 'README.txt2', 'README_txt', 'xkeys.txt', 'entries.json', 'manifest.txt'],
      ...[
        'checkpoint-e0.txt',
        'checkpoint-e.txt',
        'checkpoint-e12345678901.txt',
        'checkpoint-e1_txt',
        'checkpoint-ex.txt',
      ],
    ])
      await failed(more(name), [`An export has no file ${JSON.stringify(name)}`])
    const long = 'n'.repeat(200)
    await failed(more(long), [`An export has no file ${JSON.stringify(long.slice(100))}`])
    await failed(more('keys.txt'), ['keys.txt is there twice'])
    await failed(more('checkpoint-e1234567890.txt'), ['The manifest has no file checkpoint-e1234567890.txt'])
  })
})

describe('a zip', () => {
  const damaged = 'The directory of this zip is damaged'
  const entries = entriesOf(whole.files)
  const zip = zipOf(entries)
  const list = zip.readUInt32LE(zip.length - 6)
  const written = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(zip)
    change(bytes)
    return bytes
  }

  it('may have a comment, up to the longest', async () => {
    await valid(zipOf(entries, { comment: 'x'.repeat(65_535) }))
    await unable(zipOf(entries, { comment: 'x'.repeat(65_535) }).subarray(1), damaged)
  })

  it('is none without its end', async () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('PK'), zip.subarray(0, -1), zip.subarray(0, list)])
      await unable(bytes, 'This is no zip')
    await unable(Buffer.alloc(70_000, ' '), 'This is no zip')
    await valid(Buffer.concat([largeZip(entries).bytes, Buffer.alloc(65_515, 'x')]))
  })

  it('is cut off where its directory is not in it', async () => {
    await unable(
      written(bytes => bytes.writeUInt32LE(zip.length, zip.length - 6)),
      'This zip is cut off',
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(zip.length, list + 42)),
      'This zip is cut off',
    )
  })

  it('has no more files than an export has', async () => {
    const many = 'This zip has more files than an export has'
    const count = (files: number) => written(bytes => bytes.writeUInt16LE(files, zip.length - 12))
    await unable(count(1_101), many)
    await unable(count(1_100), damaged)
    await unable(
      written(bytes => bytes.writeUInt32LE(1_000_001, zip.length - 10)),
      many,
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(1_000_000, zip.length - 10)),
      'This zip is cut off',
    )
  })

  it('has a directory that leads to its files, one behind the other', async () => {
    await unable(
      written(bytes => bytes.writeUInt32LE(1, list)),
      damaged,
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(1, 0)),
      damaged,
    )
    await unable(
      written(bytes => bytes.writeUInt16LE(bytes.readUInt16LE(zip.length - 12) + 1, zip.length - 12)),
      damaged,
    )
    const last = entries.length - 1
    const into = entries.with(last, { ...entries[last]!, packed: Buffer.alloc(0), claimed: 5 })
    await failed(into, ['manifest.sig is not what the zip says of it'])
    await unable(
      written(bytes => bytes.writeUInt32LE(list, list + 20)),
      damaged,
    )
    const inside = [
      { ...entries[0]!, content: zipOf([entries[1]!]) },
      { ...entries[1]!, inside: 0 },
      ...entries.slice(2),
    ]
    await unable(inside, 'The files of this zip overlap')
    const { bytes, head_bytes } = localEntry(entries[1]!)
    const headInside = [
      { ...entries[0]!, content: bytes.subarray(0, head_bytes), gap: bytes.subarray(head_bytes) },
      { ...entries[1]!, inside: 0 },
      ...entries.slice(2),
    ]
    await unable(headInside, 'The files of this zip overlap')
    await valid(entries.toReversed())
    const listed: Buffer[] = []
    for (let at = list; at < zip.length - 22; at += listed.at(-1)!.length)
      listed.push(zip.subarray(at, at + 46 + zip.readUInt16LE(at + 28)))
    assert.equal(listed.length, entries.length)
    await valid(Buffer.concat([zip.subarray(0, list), ...listed.toReversed(), zip.subarray(-22)]))
  })

  it('is closed again, whatever was found in it', async () => {
    /** The lowest that is free: what is left open takes it. */
    const nextHandle = () => {
      const handle = openSync(path, 'r')
      closeSync(handle)
      return handle
    }
    await valid(zip)
    const before = nextHandle()
    await valid(zip)
    await failed(replaced('entries.jsonl', 'x\n'), ['entries.jsonl, line 1 is no JSON object'])
    await unable(Buffer.from('PK'), 'This is no zip')
    assert.equal(nextHandle(), before)
  })

  it('may become shorter while it is read', async test => {
    const file = await open(path)
    const prototype: FileHandle = Object.getPrototypeOf(file)
    await file.close()
    const { read } = prototype
    let reads = 0
    test.mock.method(prototype, 'read', function (this: FileHandle, ...asked: Parameters<FileHandle['read']>) {
      reads += 1
      // Behind its end, its directory and the head of each file, what is read is in the files.
      if (reads > 2 + entries.length) truncateSync(path, 0)
      return read.apply(this, asked)
    })
    for (const isStored of [true, false]) {
      reads = 0
      await unable(
        entries.map(each => ({ ...each, isStored })),
        'This zip is cut off',
      )
    }
  })

  it('is packed in a way that is known', async () => {
    const reason = 'keys.txt is encrypted or packed in a way that is not known'
    await unable(entry('keys.txt', { flags: 0x801 }), reason)
    await unable(entry('keys.txt', { method: 12 }), reason)
  })

  it('may be of the large kind, with fields that are not asked for', async () => {
    const { bytes } = largeZip(entries)
    await valid(bytes)
  })

  it('of the large kind is damaged where its fields are not there', async () => {
    const { bytes, record, locator, extra } = largeZip(entries)
    const written = (change: (bytes: Buffer) => void) => {
      const changed = Buffer.from(bytes)
      change(changed)
      return changed
    }
    await unable(
      written(bytes => bytes.writeUInt32LE(1, locator)),
      'This zip has no directory',
    )
    await unable(
      written(bytes => bytes.writeUInt32LE(1, record)),
      'This zip has no directory',
    )
    await unable(
      written(bytes => bytes.writeUInt16LE(2, extra)),
      'This zip is cut off',
    )
    await unable(
      written(bytes => bytes.writeUInt16LE(23, extra + 2)),
      damaged,
    )
    const empty = largeZip(entries, [])
    empty.bytes.writeUInt32LE(0xffffffff, empty.listed + 42)
    await unable(empty.bytes, damaged)
    const few = Buffer.alloc(22)
    few.write('PK\x05\x06', 'latin1')
    few.fill(0xff, 8, 20)
    await unable(few, 'This zip has no directory')
    await unable(Buffer.concat([Buffer.alloc(19), few]), 'This zip has no directory')
  })

  it('of the large kind may have each of its numbers in either place', async () => {
    const all = ['count', 'size', 'start'] as const
    for (const plain of all.flatMap(one => [[one], all.filter(each => each !== one)])) {
      const { bytes, end } = largeZip(entries)
      if (plain.includes('count')) bytes.writeUInt16LE(entries.length, end + 10)
      if (plain.includes('size')) bytes.writeUInt32LE(bytes.readUInt32LE(end - 36), end + 12)
      if (plain.includes('start')) bytes.writeUInt32LE(bytes.readUInt32LE(end - 28), end + 16)
      await valid(bytes)
    }
    for (const wide of [['size'], ['packed'], ['local'], ['size', 'local'], []] as const)
      await valid(largeZip(entries, wide).bytes)
  })
})

/** The same with sizes and places of 64 bits, another field before them, and a comment on each file. */
function largeZip(entries: readonly ZipEntry[], wide: readonly string[] = ['size', 'packed', 'local']) {
  const parts: Buffer[] = []
  const listed: Buffer[] = []
  let at = 0
  for (const { name, content = '' } of entries) {
    const plain = Buffer.from(content as string)
    const header = (length: number) => {
      const bytes = Buffer.alloc(length)
      bytes.writeUInt32LE(crc32(plain), length === 30 ? 14 : 16)
      bytes.fill(0xff, length === 30 ? 18 : 20, length === 30 ? 26 : 28)
      bytes.writeUInt16LE(name.length, length === 30 ? 26 : 28)
      return bytes
    }
    const [local, central, extra] = [header(30), header(46), Buffer.alloc(9 + 8 * wide.length)]
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(7, 28)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(extra.length, 30)
    central.writeUInt16LE(3, 32)
    extra.writeUInt16LE(0x7075, 0)
    extra.writeUInt16LE(1, 2)
    extra.writeUInt16LE(1, 5)
    extra.writeUInt16LE(8 * wide.length, 7)
    const numbers = [
      ...(['size', 'packed'] as const).map((name, n) => ({ name, value: plain.length, place: 24 - 4 * n })),
      { name: 'local', value: at, place: 42 },
    ]
    for (const { name, value, place } of numbers) {
      const index = wide.indexOf(name)
      central.writeUInt32LE(index < 0 ? value : 0xffffffff, place)
      if (index >= 0) extra.writeBigUInt64LE(BigInt(value), 9 + 8 * index)
    }
    listed.push(central, Buffer.from(name), extra, Buffer.from('why'))
    const bytes = Buffer.concat([local, Buffer.from(name), Buffer.alloc(7), plain])
    parts.push(bytes)
    at += bytes.length
  }
  const [record, locator, end] = [Buffer.alloc(56), Buffer.alloc(20), Buffer.alloc(22)]
  const list = Buffer.concat(listed)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(BigInt(entries.length), 32)
  record.writeBigUInt64LE(BigInt(list.length), 40)
  record.writeBigUInt64LE(BigInt(at), 48)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at + list.length), 8)
  end.write('PK\x05\x06', 'latin1')
  end.fill(0xff, 8, 20)
  const bytes = Buffer.concat([...parts, list, record, locator, end])
  const places = { listed: at, record: at + list.length, locator: at + list.length + 56, end: at + list.length + 76 }
  return { bytes, ...places, extra: at + 46 + entries[0]!.name.length + 5 }
}
