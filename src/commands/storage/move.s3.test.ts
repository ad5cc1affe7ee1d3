// From one store to another as an operator does it: a real S3 service (test/support/fakes/swift.ts).
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { openS3Storage } from '#platform/storage/s3.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { papers } from '#test/builders/documents.ts'
import { bucketOf, type Swift, shareSwift, swiftLogin } from '#test/fakes/swift.ts'
import { mountSmallDisk, noSmallDisk } from '#test/faults/small-disk.ts'
import { openCommands } from '#test/processes/commands.ts'
import { until } from '#test/world/background.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'

const main = join(import.meta.dirname, '../../main.ts')
const documents = 40
const installation = '5b1f8f3c-6f5c-4d52-9f5e-0a3b8f1d2c4e'

describe('storage move (proves: DOC-08)', () => {
  let world: World
  const openSwift = shareSwift()
  let swift: Swift
  let bucket: FileStorage
  let folder: string
  let local: Record<string, string>
  let s3: Record<string, string>
  let uploads: string
  let keys: string[]
  const running = new Set<ChildProcess>()

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-move-'))
    swift = await openSwift()
    ;(await bucketOf(swift, 'moved')).destroy()
    bucket = await openS3Storage(
      { bucket: 'moved', region: 'us-east-1', endpoint: swift.endpoint, ...swiftLogin },
      join(folder, 'spool'),
    )
    world = await openWorld()
    uploads = world.services.config.upload_dir
    const database = { ...urlsOf(world.postgres), DATA_DIR: world.folder }
    s3 = {
      ...database,
      STORAGE_TYPE: 's3',
      S3_BUCKET: 'moved',
      S3_ENDPOINT: swift.endpoint,
      S3_ACCESS_KEY_ID: swiftLogin.access_key_id,
      S3_SECRET_ACCESS_KEY: swiftLogin.secret_access_key,
    }
    local = { ...s3, STORAGE_TYPE: 'local' }
    for (let n = 0; n < documents; n++) await papers(world).upload({ title: `Cleaning of line ${n}` })
    keys = localKeys(uploads)
    assert.equal(keys.length, documents)
    await world.rows('insert into installation (id) values ($1)', [installation])
  })
  after(async () => {
    await commands.close()
    for (const child of running) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    await bucket?.close?.()
    await world?.close()
    await swift?.close()
    rmSync(folder, { recursive: true })
  })

  const localKeys = (root: string) => globSync('*/*/*', { cwd: root }).sort()
  const spooled = () => readdirSync(join(uploads, '.tmp'))
  async function bucketKeys() {
    const found: string[] = []
    for await (const { key } of bucket.list('')) found.push(key)
    return found.sort()
  }
  function begin(words: string[], environment: Record<string, string>) {
    const env = { ...environmentOfPrograms(), SECRET_KEY: world.services.config.secret_key, ...environment }
    const child = spawn(process.execPath, [main, 'storage', 'move', ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }
  const commands = openCommands(() => ({ SECRET_KEY: world.services.config.secret_key }))
  const move = (words: string[], environment: Record<string, string>) =>
    commands.run(['storage', 'move', ...words], environment)

  it('goes on where a killed one ended, takes what has come since, and has each file as it was recorded', async () => {
    const before = swift.objects()
    const killed = begin(['--to', 's3'], local)
    // Looks at the disk, because listing the bucket over and over keeps Swift busier than the copying does.
    await until(() => swift.objects() >= before + 5)
    killed.kill('SIGKILL')
    assert.deepEqual(await once(killed, 'close'), [null, 'SIGKILL'])
    const there = (await bucketKeys()).length
    assert.ok(there > 0 && there < documents, 'it was killed in the middle')
    assert.equal(await bucket.readMark(), undefined, 'no service starts with a part of the files')
    const second = await move(['--to', 's3'], local)
    assert.deepEqual([second.code, second.err], [0, ''])
    const [, copied, found] = /(\d+) files copied, 0 replaced, (\d+) were there/.exec(second.out)!
    assert.ok(Number(found) >= there)
    assert.equal(Number(copied) + Number(found), documents)
    assert.match(second.out, /set STORAGE_TYPE=s3/)
    assert.deepEqual(JSON.parse((await bucket.readMark())!), { installation })
    // The unfinished file of the killed process is removed after a day.
    await world.services.storage.forgetUnfinished(new Date(Date.now() + 1000))
    await papers(world).upload({ title: 'Uploaded meanwhile' })
    keys = localKeys(uploads)
    assert.match(
      (await move(['--to', 's3'], local)).out,
      new RegExp(`1 files copied, 0 replaced, ${documents} were there`),
    )
    assert.deepEqual(await bucketKeys(), keys)
    const checked = await move(['--to', 's3', '--verify-only'], local)
    assert.deepEqual([checked.code, checked.err], [0, ''])
    assert.match(checked.out, new RegExp(`${documents + 1} files match their records`))
  })

  it('brings everything back from a bucket into an empty folder, byte for byte', async () => {
    const kept = join(folder, 'kept')
    renameSync(uploads, kept)
    try {
      const { code, err } = await move(['--to', 'local'], s3)
      assert.deepEqual([code, err], [0, ''])
      assert.deepEqual(localKeys(uploads), keys)
      for (const key of keys) assert.deepEqual(readFileSync(join(uploads, key)), readFileSync(join(kept, key)))
      assert.deepEqual(spooled(), [])
    } finally {
      rmSync(uploads, { recursive: true })
      renameSync(kept, uploads)
    }
  })

  it('reports what is damaged or missing at the source, ends with 1, and copies the rest', async () => {
    const elsewhere = { ...local, TARGET_UPLOAD_DIR: join(folder, 'elsewhere') }
    const [damaged, longer, lost] = keys as [string, string, string]
    const was = keys.map(key => readFileSync(join(uploads, key)))
    const flipped = Buffer.from(was[0]!)
    flipped[50]! ^= 1
    writeFileSync(join(uploads, damaged), flipped)
    writeFileSync(join(uploads, longer), Buffer.concat([was[1]!, Buffer.from('more')]))
    unlinkSync(join(uploads, lost))
    const { code, out, err } = await move(['--to', 'local'], elsewhere)
    assert.equal(code, 1)
    assert.deepEqual(
      err.trim().split('\n').sort(),
      [
        '3 files are missing or not what was recorded:',
        `${damaged}: the source has other bytes than were recorded`,
        `${longer}: the source has other bytes than were recorded`,
        `${lost}: the source does not have it`,
      ].sort(),
    )
    assert.match(out, new RegExp(`${keys.length - 3} files copied`))
    assert.doesNotMatch(out, /set STORAGE_TYPE/)
    assert.deepEqual(localKeys(join(folder, 'elsewhere')), keys.slice(3))
    assert.deepEqual(readdirSync(join(folder, 'elsewhere/.tmp')), [])
    for (const [index, key] of [damaged, longer, lost].entries()) writeFileSync(join(uploads, key), was[index]!)
    assert.equal((await move(['--to', 'local'], elsewhere)).code, 0)
  })

  it('replaces what is wrong at the target, and says so', async () => {
    const [wrong, gone] = keys as [string, string]
    const other = await world.services.storage.receive(Readable.from([Buffer.from('something else')]), {
      max_bytes: 100,
    })
    await bucket.remove(wrong)
    await bucket.remove(gone)
    await bucket.keep(other, wrong)
    const checked = await move(['--to', 's3', '--verify-only'], local)
    assert.equal(checked.code, 1)
    assert.match(checked.err, /2 files are missing/)
    assert.ok(checked.err.includes(`${wrong}: it has 14 bytes`) && checked.err.includes(`${gone}: it is missing`))
    const { code, out } = await move(['--to', 's3'], local)
    assert.equal(code, 0)
    assert.match(out, /1 files copied, 1 replaced/)
    assert.ok(out.includes(`${wrong}: the target had another file`))
    assert.equal((await move(['--to', 's3', '--verify-only'], local)).code, 0)
  })

  it('stops with a sentence when the target is full, and goes on once there is room', async test => {
    const small = join(folder, 'small')
    mkdirSync(small)
    const disk = mountSmallDisk(small, '80k')
    if (!disk) return test.skip(noSmallDisk)
    try {
      const { code, err } = await move(['--to', 'local'], { ...local, TARGET_UPLOAD_DIR: small })
      assert.equal(code, 1)
      assert.match(err, /ENOSPC[\s\S]*the same command continues from there/)
      const there = localKeys(small).length
      assert.ok(there > 0 && there < keys.length)
      assert.deepEqual(readdirSync(join(small, '.tmp')), [])
      disk.grow('4m')
      const again = await move(['--to', 'local'], { ...local, TARGET_UPLOAD_DIR: small })
      assert.deepEqual([again.code, again.err], [0, ''])
      assert.deepEqual(localKeys(small), keys)
    } finally {
      disk.unmount()
    }
  })

  it('stops with a sentence when the target is down, leaves nothing in the spool, and refuses what makes no sense', async () => {
    await swift.stop()
    const { code, err } = await move(['--to', 's3'], local)
    await swift.start()
    assert.equal(code, 1)
    assert.match(err, /ECONNREFUSED[\s\S]*the same command continues from there/)
    assert.deepEqual(spooled(), [])
    for (const [words, environment, refusal] of [
      [['--to', 'local'], local, /The files are in .* already/],
      [['--to', 'ftp'], local, /must be one of local, s3, gcp/],
      [[], local, /--to is needed/],
      [['--to', 's3'], { ...local, S3_BUCKET: '' }, /S3_BUCKET is not set/],
    ] as const) {
      const refused = await move([...words], environment)
      assert.equal(refused.code, 1)
      assert.match(refused.err, refusal)
    }
  })
})
