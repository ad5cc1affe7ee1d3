import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { openLocalStorage } from './local.ts'
import { CorruptFile, type FileStorage, MissingFile, newKey } from './storage.ts'
import { openIntact, requireIntact } from './verified.ts'

const root = mkdtempSync(join(tmpdir(), 'attest-verified-test-'))
after(() => rmSync(root, { recursive: true }))

/** A storage that has one file, that file's path, and how often it was opened. */
async function stored(bytes: Buffer) {
  const folder = mkdtempSync(join(root, 'files-'))
  const local = await openLocalStorage(folder)
  const received = await local.receive(Readable.from([bytes]), { max_bytes: bytes.length })
  const key = newKey(7)
  await local.keep(received, key)
  const opened: (object | undefined)[] = []
  const storage: FileStorage = {
    ...local,
    open: (key, range) => {
      opened.push(range)
      return local.open(key, range)
    },
  }
  const file = { key, size_bytes: received.size_bytes, sha256: received.sha256 }
  return { storage, file, opened, path: join(folder, key) }
}

function flipped(bytes: Buffer, at: number) {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

describe('a stored file that is compared with its record (21 CFR 11.10(c))', () => {
  const small = randomBytes(100_000)
  const large = randomBytes(9 * 1024 * 1024)

  it('is given whole and in parts, whatever its size', async () => {
    for (const bytes of [Buffer.alloc(0), small, large]) {
      const { storage, file } = await stored(bytes)
      await requireIntact(storage, file)
      assert.ok(bytes.equals(await buffer(await openIntact(storage, file))))
      if (bytes.length === 0) continue
      assert.deepEqual(await buffer(await openIntact(storage, file, { start: 5, end: 9 })), bytes.subarray(5, 10))
    }
  })

  it('is refused when one bit of it has changed, be it the last; or it is longer, shorter or missing', async () => {
    for (const bytes of [small, large]) {
      const { storage, file, path } = await stored(bytes)
      for (const wrong of [
        flipped(bytes, 0),
        flipped(bytes, bytes.length - 1),
        bytes.subarray(1),
        Buffer.concat([bytes, Buffer.of(0)]),
      ]) {
        writeFileSync(path, wrong)
        await assert.rejects(requireIntact(storage, file), CorruptFile)
      }
      writeFileSync(path, bytes)
      await requireIntact(storage, file)
      await storage.remove(file.key)
      await assert.rejects(requireIntact(storage, file), MissingFile)
    }
  })

  it('is read once for a hundred who ask for a large one within a minute, and each time for a small one', async () => {
    const { storage, file, opened } = await stored(large)
    await Promise.all(Array.from({ length: 100 }, () => requireIntact(storage, file)))
    await requireIntact(storage, file)
    assert.equal(opened.length, 1)
    // One that says for how long.
    const archive = await stored(large)
    await requireIntact(archive.storage, { ...archive.file, verified_for_ms: 0 })
    await requireIntact(archive.storage, { ...archive.file, verified_for_ms: 0 })
    await requireIntact(archive.storage, { ...archive.file, verified_for_ms: 3_600_000 })
    await requireIntact(archive.storage, { ...archive.file, verified_for_ms: 3_600_000 })
    assert.equal(archive.opened.length, 3)
    const other = await stored(small)
    await requireIntact(other.storage, other.file)
    await requireIntact(other.storage, other.file)
    assert.equal(other.opened.length, 2)
  })

  it('never reaches its end when it changes while it is sent', async () => {
    const { storage, file, path } = await stored(large)
    await requireIntact(storage, file)
    writeFileSync(path, flipped(large, large.length - 1))
    let given = 0
    await assert.rejects(async () => {
      for await (const chunk of await openIntact(storage, file)) given += (chunk as Buffer).length
    }, CorruptFile)
    assert.ok(given < large.length)
  })

  it('is closed when the reader goes away, half-way or before the first byte', async () => {
    const { storage, file, path } = await stored(large)
    const half = await openIntact(storage, file)
    for await (const chunk of half) {
      assert.ok((chunk as Buffer).length > 0)
      break
    }
    ;(await openIntact(storage, file)).destroy()
    ;(await openIntact(storage, file, { start: 0, end: 9 })).destroy()
    const open = () =>
      readdirSync('/proc/self/fd').filter(each => {
        try {
          return readlinkSync(`/proc/self/fd/${each}`) === path
        } catch {
          return false
        }
      }).length
    while (open() > 0) await new Promise(setImmediate)
  })
})
