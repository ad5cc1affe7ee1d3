import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { mountSmallDisk, noSmallDisk } from '#test/faults/small-disk.ts'
import { type ConfigError, readConfig } from '../config.ts'
import { anchorFailure } from './failure.ts'
import { openAnchorFolder } from './folder.ts'
import { type AnchorStore, inTime } from './store.ts'

const log_id = '00000000-0000-4000-8000-00000000000a'
const other = '00000000-0000-4000-8000-00000000000b'

describe('a folder of anchors', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attest-anchor-folder-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('has of each epoch the newest note, and lists the newest first', async () => {
    const store = openAnchorFolder(folder)
    assert.deepEqual(await store.list(log_id), [])
    for (const [epoch, size] of [
      [1, 5],
      [1, 12],
      [3, 2],
      [3, 10],
      [3, 9],
    ] as [number, number][])
      await store.keep(log_id, { epoch, size, note: `${epoch} ${size}` })
    assert.deepEqual(await store.list(log_id), [
      { epoch: 3, size: 10 },
      { epoch: 3, size: 9 },
      { epoch: 1, size: 12 },
    ])
    assert.equal((await store.read(log_id, { epoch: 3, size: 10 }))!.note, '3 10')
    assert.equal(await store.read(log_id, { epoch: 3, size: 2 }), undefined)
    await store.check()
    assert.deepEqual([await store.logs(), readdirSync(folder)], [[log_id], [log_id]])
  })

  it('reads nothing that somebody left there for a note, however large it is', async () => {
    const store = openAnchorFolder(folder)
    await store.keep(other, { epoch: 1, size: 1, note: 'one' })
    for (const name of ['e1-2.txt.part', '.e1-3.half', 'e01-4.txt', 'e1-0.txt', 'notes.txt'])
      writeFileSync(join(folder, other, name), 'none')
    assert.deepEqual(await store.list(other), [{ epoch: 1, size: 1 }])
    writeFileSync(join(folder, other, 'e1-9.txt'), Buffer.alloc(5_000_000, 'x'))
    assert.equal((await store.read(other, { epoch: 1, size: 9 }))!.note.length, 16 * 1024)
  })

  it('is never made: where it is missing it cannot be asked, and not empty', async () => {
    const missing = openAnchorFolder(join(folder, 'not-mounted'))
    const works = [
      missing.list(log_id),
      missing.logs(),
      missing.check(),
      missing.keep(log_id, { epoch: 1, size: 1, note: '' }),
    ]
    await Promise.all(works.map(work => assert.rejects(work, { code: 'ENOENT' })))
    assert.equal(existsSync(join(folder, 'not-mounted')), false)
  })

  it('says that it is full, leaves nothing behind, and takes the next note once there is room', async test => {
    const full = mkdtempSync(join(tmpdir(), 'attest-anchor-full-'))
    const disk = mountSmallDisk(full, '64k')
    try {
      if (!disk) return test.skip(noSmallDisk)
      const store = openAnchorFolder(full)
      await store.keep(log_id, { epoch: 1, size: 1, note: 'one' })
      const filler = join(full, 'filler')
      assert.throws(() => writeFileSync(filler, Buffer.alloc(1_000_000)), { code: 'ENOSPC' })
      const failed = await store.keep(log_id, { epoch: 1, size: 2, note: 'two' }).then(
        () => assert.fail(),
        error => error,
      )
      assert.equal(
        anchorFailure(store.name, failed),
        `folder:${full} does not take anchors. It is full: make room there, or set another store in AUDIT_ANCHOR`,
      )
      await assert.rejects(store.check(), { code: 'ENOSPC' })
      assert.deepEqual(readdirSync(join(full, log_id)), ['e1-1.txt'])
      assert.equal(readFileSync(join(full, log_id, 'e1-1.txt'), 'utf8'), 'one')
      rmSync(filler)
      await store.keep(log_id, { epoch: 1, size: 2, note: 'two' })
      assert.deepEqual(readdirSync(join(full, log_id)), ['e1-2.txt'])
    } finally {
      disk?.unmount()
      rmSync(full, { recursive: true })
    }
  })

  it('that hangs holds one call and no more, and is asked again when that came back', async () => {
    const { promise, resolve } = Promise.withResolvers<never[]>()
    let calls = 0
    const hanging: AnchorStore = {
      ...openAnchorFolder(folder),
      list() {
        calls += 1
        return promise
      },
    }
    const store = inTime(hanging, 500)
    for (let n = 0; n < 3; n++) await assert.rejects(store.list(log_id), { code: 'ETIMEDOUT' })
    await assert.rejects(store.check(), { code: 'ETIMEDOUT' })
    assert.equal(calls, 1)
    resolve([])
    await promise
    await new Promise(setImmediate)
    assert.deepEqual(await store.list(log_id), [])
    await store.check()
  })
})

it('AUDIT_ANCHOR that cannot work stops the start with a line for each part that is wrong', () => {
  const read = (AUDIT_ANCHOR: string, more: Record<string, string> = {}) =>
    readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test', AUDIT_ANCHOR, ...more }).audit_anchors
  const nothing = { folders: [], mailboxes: [] }
  assert.deepEqual([read(''), read('none')], [nothing, nothing])
  const mail = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'attest@example.com' }
  assert.deepEqual(read('folder:/mnt/a/attest, mail:qa@example.com,folder:/mnt/b/', mail), {
    folders: ['/mnt/a/attest', '/mnt/b'],
    mailboxes: ['qa@example.com'],
  })
  const wrong = ['folder:relative', 'folder:', '/mnt/a', 'mail:nobody', 's3:bucket', 'none']
  assert.throws(
    () => read(wrong.join()),
    (error: ConfigError) => {
      assert.deepEqual(
        error.lines,
        wrong.map(
          each =>
            `AUDIT_ANCHOR has "${each}": it must be none, or folder:/absolute/path and mail:qa@example.com with commas between them`,
        ),
      )
      return true
    },
  )
  assert.throws(() => read('mail:qa@example.com'), { message: 'AUDIT_ANCHOR names a mailbox, which needs SMTP_URL' })
})
