import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { until } from '#test/world/background.ts'
import { holdsNothing, storageContract } from './contract.ts'
import { openLocalStorage } from './local.ts'
import { newKey } from './storage.ts'

const root = mkdtempSync(join(tmpdir(), 'attest-storage-test-'))
after(() => rmSync(root, { recursive: true }))
const newFolder = () => mkdtempSync(join(root, 'files-'))

storageContract('local storage', async () => {
  const folder = newFolder()
  return {
    storage: await openLocalStorage(folder),
    spooled: async () => readdirSync(join(folder, '.tmp')),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

/** A storage that has one file, and that file's path. */
async function stored(bytes: Buffer) {
  const folder = newFolder()
  const storage = await openLocalStorage(folder)
  const received = await storage.receive(Readable.from([bytes]), { max_bytes: bytes.length })
  const key = newKey(7)
  await storage.keep(received, key)
  return { storage, key, record: received, path: join(folder, key) }
}

describe('local storage', () => {
  it('finds its files again after it was opened anew', async () => {
    const folder = newFolder()
    const first = await openLocalStorage(folder)
    const key = newKey(7)
    await first.keep(await first.receive(Readable.from([Buffer.from('SOP')]), { max_bytes: 3 }), key)
    assert.equal(String(await buffer(await (await openLocalStorage(folder)).open(key))), 'SOP')
  })

  it('lets nobody but its own user read the files', async () => {
    const { path } = await stored(randomBytes(10))
    assert.equal(statSync(path).mode & 0o777, 0o600)
  })

  it('clears the spool of what was abandoned a day ago, and not of what another process is receiving', async () => {
    const folder = newFolder()
    const live = await (await openLocalStorage(folder)).receive(Readable.from([Buffer.from('live')]), { max_bytes: 10 })
    const abandoned = join(folder, '.tmp', 'abandoned')
    writeFileSync(abandoned, 'half of a fi')
    const yesterday = Date.now() / 1000 - 25 * 60 * 60
    utimesSync(abandoned, yesterday, yesterday)
    const storage = await openLocalStorage(folder)
    assert.ok(!existsSync(abandoned))
    const key = newKey(7)
    await storage.keep(live, key)
    assert.equal(String(await buffer(await storage.open(key))), 'live')
  })

  it('has the file, then every folder that leads to it, on the disk before it says that it is kept', async t => {
    if (!existsSync('/proc/self/fd')) return t.skip('only Linux tells what a file handle is of')
    const folder = newFolder()
    const storage = await openLocalStorage(folder)
    const received = await storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10 })
    const handle = await open(folder)
    await handle.close()
    const synced: string[] = []
    const sync = t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
      return Promise.resolve()
    })
    await storage.keep(received, '7/ab/cd')
    assert.deepEqual(synced, [received.path, join(folder, '7/ab'), join(folder, '7'), folder])

    const keep = async (key: string) => {
      const next = await storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10 })
      synced.splice(0)
      await storage.keep(next, key)
      return synced.map(each => relative(folder, each)).filter(each => !each.startsWith('.tmp'))
    }
    assert.deepEqual(await keep('7/ab/ef'), ['7/ab'], 'the folders above it are on the disk already')
    assert.deepEqual(await keep('7/cd/ef'), ['7/cd', '7'])
    rmSync(join(folder, '7'), { recursive: true })
    assert.deepEqual(await keep('7/ab/ef'), ['7/ab', '7', ''], 'folders that were made anew are not')
    sync.mock.restore()
  })

  it('has the bytes of a file that is to be kept on the disk while it is open, and does not open it again', async t => {
    if (!existsSync('/proc/self/fd')) return t.skip('only Linux tells what a file handle is of')
    const folder = newFolder()
    const storage = await openLocalStorage(folder)
    const handle = await open(folder)
    await handle.close()
    const synced: string[] = []
    const sync = t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
      return Promise.resolve()
    })
    const received = await storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10, isToKeep: true })
    assert.deepEqual(synced.splice(0), [received.path])
    await storage.keep(received, '7/ab/cd')
    assert.deepEqual(synced.splice(0), [join(folder, '7/ab'), join(folder, '7'), folder])
    sync.mock.mockImplementation(() => Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' })))
    await assert.rejects(storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10, isToKeep: true }), {
      code: 'EIO',
    })
    assert.deepEqual(readdirSync(join(folder, '.tmp')), [])
    sync.mock.restore()
  })

  it('shares the sync of a folder among uploads, and lets none of them use one that had begun before it', async t => {
    const folder = newFolder()
    const storage = await openLocalStorage(folder)
    const receive = () => storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10 })
    await storage.keep(await receive(), '7/ab/first')
    const handle = await open(folder)
    await handle.close()
    const begun: { names: string[]; end(error?: Error): void }[] = []
    const sync = t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', function (this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`)
      if (path !== join(folder, '7/ab')) return Promise.resolve()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      begun.push({ names: readdirSync(path), end: error => (error ? reject(error) : resolve()) })
      return promise
    })
    const ended: string[] = []
    const keep = async (name: string) =>
      storage.keep(await receive(), `7/ab/${name}`).then(
        () => ended.push(name),
        error => ended.push(`${name}: ${error.message}`),
      )
    const all = [keep('a')]
    await until(() => begun.length === 1)
    all.push(keep('b'), keep('c'))
    await until(() => ['b', 'c'].every(name => existsSync(join(folder, '7/ab', name))))
    assert.equal(begun.length, 1, 'the second waits for the first')
    assert.ok(!begun[0]!.names.includes('b'))
    begun[0]!.end()
    await until(() => begun.length === 2)
    assert.deepEqual(ended, ['a'])
    assert.ok(begun[1]!.names.includes('b') && begun[1]!.names.includes('c'))
    begun[1]!.end(new Error('i/o error'))
    await Promise.all(all)
    assert.deepEqual(ended.toSorted(), ['a', 'b: i/o error', 'c: i/o error'])
    assert.deepEqual(readdirSync(join(folder, '7/ab')).toSorted(), ['a', 'first'])
    sync.mock.restore()
  })

  it('has its own new folders on the disk before it takes a file', async t => {
    if (!existsSync('/proc/self/fd')) return t.skip('only Linux tells what a file handle is of')
    const folder = newFolder()
    const handle = await open(folder)
    await handle.close()
    const synced: string[] = []
    const sync = t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', async function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`))
    })
    await openLocalStorage(join(folder, 'data', 'uploads'))
    sync.mock.restore()
    assert.deepEqual(synced, [join(folder, 'data', 'uploads'), join(folder, 'data'), folder])
  })

  it('keeps nothing under the key when its folder cannot be synced, and can be asked again', async t => {
    const folder = newFolder()
    const storage = await openLocalStorage(folder)
    const received = await storage.receive(Readable.from([randomBytes(10)]), { max_bytes: 10 })
    const handle = await open(folder)
    await handle.close()
    let calls = 0
    const sync = t.mock.method(Object.getPrototypeOf(handle) as FileHandle, 'sync', async () => {
      calls += 1
      if (calls === 2) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
    })
    const key = newKey(7)
    await assert.rejects(storage.keep(received, key), { code: 'EIO' })
    assert.equal(await storage.stat(key), undefined)
    sync.mock.restore()
    await storage.keep(received, key)
    assert.deepEqual(await storage.stat(key), { size_bytes: 10 })
  })

  it('fails as what it is on a full disk, and leaves nothing behind', t => {
    const folder = newFolder()
    const program = `
      import { readdirSync } from 'node:fs'
      const { openLocalStorage } = await import(${JSON.stringify(new URL('./local.ts', import.meta.url))})
      const storage = await openLocalStorage('.')
      const failed = await storage.receive([Buffer.alloc(4_000_000)], { max_bytes: 9_000_000 }).catch(error => error.code)
      console.log(failed, readdirSync('.tmp').length)`
    const onFullDisk = 'mount -t tmpfs -o size=1m attest "$0" && cd "$0" && exec "$1" --input-type=module -e "$2"'
    const run = spawnSync(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-c', onFullDisk, folder, process.execPath, program],
      {
        encoding: 'utf8',
      },
    )
    if (run.error || /unshare|mount:/.test(run.stderr))
      return t.skip('a small file system of its own cannot be mounted here')
    assert.equal(run.stdout, 'ENOSPC 0\n', run.stderr)
  })

  it('takes and gives 256 MiB without holding them', async () => {
    await holdsNothing(await openLocalStorage(newFolder()))
  })

  it('is not ready when its folder is gone', async () => {
    const folder = newFolder()
    const storage = await openLocalStorage(folder)
    rmSync(folder, { recursive: true })
    await assert.rejects(storage.check(), { code: 'ENOENT' })
    mkdirSync(join(folder, '.tmp'), { recursive: true })
    await storage.check()
  })
})
