// A backup of files that are in a bucket, and a restore into one: a real S3 service (test/support/fakes/swift.ts).
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { openS3Storage } from '#platform/storage/s3.ts'
import { type FileStorage, hashOf, newKey } from '#platform/storage/storage.ts'
import { papers } from '#test/builders/documents.ts'
import { bucketOf, type Swift, shareSwift, swiftLogin } from '#test/fakes/swift.ts'
import { openCommands } from '#test/processes/commands.ts'
import { until } from '#test/world/background.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'

const main = join(import.meta.dirname, '../../main.ts')

describe('backup and restore with a bucket (proves: OPS-01, DOC-08)', () => {
  let folder: string
  const openSwift = shareSwift()
  let swift: Swift
  let world: World
  let source: Record<string, string>
  const databases: Awaited<ReturnType<typeof cloneDatabase>>[] = []
  const running = new Set<ChildProcess>()
  const buckets: FileStorage[] = []

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-bucket-'))
    swift = await openSwift()
    for (const name of ['first', 'second', 'third', 'fourth']) (await bucketOf(swift, name)).destroy()
    world = await openWorld(storeOf('first'))
    const { upload, effective } = papers(world)
    await effective({ title: 'Signed' })
    for (let n = 0; n < 20; n++) await upload({ title: `Cleaning of line ${n}` })
    source = { ...urlsOf(world.postgres), ...storeOf('first'), DATA_DIR: world.folder }
  })
  after(async () => {
    await commands.close()
    for (const child of running) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    for (const bucket of buckets) await bucket.close?.()
    for (const database of databases) await database.drop()
    await world?.close()
    await swift?.close()
    rmSync(folder, { recursive: true })
  })

  const storeOf = (bucket: string) => ({
    STORAGE_TYPE: 's3',
    S3_BUCKET: bucket,
    S3_ENDPOINT: swift.endpoint,
    S3_ACCESS_KEY_ID: swiftLogin.access_key_id,
    S3_SECRET_ACCESS_KEY: swiftLogin.secret_access_key,
  })
  async function open(bucket: string) {
    const config = { bucket, region: 'us-east-1', endpoint: swift.endpoint, ...swiftLogin }
    const storage = await openS3Storage(config, join(folder, 'spool'))
    buckets.push(storage)
    return storage
  }
  async function keysOf(storage: FileStorage) {
    const keys: string[] = []
    for await (const { key } of storage.list('')) keys.push(key)
    return keys.sort()
  }
  function begin(words: string[], environment: Record<string, string>) {
    const env = { ...environmentOfPrograms(), SECRET_KEY: world.services.config.secret_key, ...environment }
    const child = spawn(process.execPath, [main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }
  const commands = openCommands(() => ({ SECRET_KEY: world.services.config.secret_key }))
  const { run } = commands
  async function newTarget(store: Record<string, string>) {
    // Migrated already: backup.test.ts restores into databases that a restore migrates itself.
    const database = await cloneDatabase()
    databases.push(database)
    return { ...urlsOf(database), ...store, DATA_DIR: mkdtempSync(join(folder, 'target-')) }
  }

  it('copies the files out of the bucket, and into another one, also after it was killed in the middle', async () => {
    const made = join(folder, 'made')
    const { code, err } = await run(['backup', '--to', made], source)
    assert.deepEqual([code, err], [0, ''])
    const keys = await keysOf(world.services.storage)
    assert.equal(keys.length, 21)
    assert.deepEqual(globSync('*/*/*', { cwd: join(made, 'files') }).sort(), keys)

    const target = await newTarget(storeOf('second'))
    const second = await open('second')
    const before = swift.objects()
    const killed = begin(['restore', '--from', made], target)
    // Looks at the disk, because listing the bucket over and over keeps Swift busier than the restore does.
    await until(() => swift.objects() >= before + 3 || killed.exitCode !== null)
    killed.kill('SIGKILL')
    assert.deepEqual(await once(killed, 'close'), [null, 'SIGKILL'])
    const restored = await run(['restore', '--from', made], target)
    assert.deepEqual([restored.code, restored.err], [0, ''])
    assert.match(restored.out, /signatures are valid[\s\S]*The restore is complete/)
    assert.deepEqual(await keysOf(second), keys)
    for (const key of keys) assert.equal(await hashOf(second, key), await hashOf(world.services.storage, key))
    const checked = await run(['storage', 'move', '--to', 's3', '--verify-only'], {
      ...target,
      STORAGE_TYPE: 'local',
    })
    assert.deepEqual([checked.code, checked.err], [0, ''])
    cpSync(join(world.folder, 'keys'), join(target.DATA_DIR, 'keys'), { recursive: true })
    const doctor = await run(['doctor'], target)
    assert.equal(doctor.code, 0, doctor.out)
    assert.match(doctor.out, /^ok {4}storage: the s3 bucket second can be listed, written, read and cleared$/m)
  })

  it('goes from a bucket into a folder, and from a folder into a bucket', async () => {
    const local = await newTarget({})
    assert.equal((await run(['restore', '--from', join(folder, 'made')], local)).code, 0)
    const again = join(folder, 'again')
    assert.equal((await run(['backup', '--to', again], local)).code, 0)
    assert.equal((await run(['restore', '--from', again], await newTarget(storeOf('third')))).code, 0)
    assert.deepEqual(await keysOf(await open('third')), await keysOf(world.services.storage))
  })

  it('refuses a bucket that has the files of another installation, and leaves them alone', async () => {
    const fourth = await open('fourth')
    const other = newKey(2)
    await fourth.keep(await fourth.receive(Readable.from([Buffer.from('SOP')]), { max_bytes: 3 }), other)
    const target = await newTarget(storeOf('fourth'))
    const { code, err } = await run(['restore', '--from', join(folder, 'made')], target)
    assert.equal(code, 1)
    assert.match(err, new RegExp(`bucket fourth has files of another origin, such as ${other}`))
    assert.deepEqual(await keysOf(fourth), [other])
  })

  it('says plainly which file the bucket has lost, or that the bucket refuses, and leaves no backup', async () => {
    const [lost] = await keysOf(world.services.storage)
    const kept = join(folder, 'kept')
    cpSync(join(folder, 'made/files', lost!), kept)
    await world.services.storage.remove(lost!)
    const to = join(folder, 'broken')
    const missing = await run(['backup', '--to', to], source)
    assert.equal(missing.code, 1)
    assert.ok(missing.err.includes(lost!) && /missing from the storage/.test(missing.err), missing.err)
    const back = await world.services.storage.receive(Readable.from([readFileSync(kept)]), { max_bytes: 100_000 })
    await world.services.storage.keep(back, lost!)
    const wrong = { ...source, S3_SECRET_ACCESS_KEY: 'guessed' }
    const refused = await run(['backup', '--to', to], wrong)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /^the s3 bucket first: /)
    assert.doesNotMatch(refused.err, /\n +at |guessed/)
    assert.ok(!existsSync(join(to, 'manifest.json')))
    const doctor = await run(['doctor'], wrong)
    assert.equal(doctor.code, 1)
    assert.match(doctor.out, /^FAIL {2}storage: /m)
    assert.equal((await run(['backup', '--to', to], source)).code, 0)
  })
})
