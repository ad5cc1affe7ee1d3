// Which installation a database, a store and keys are of: a real database, and real folders.
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { readConfig } from '#platform/config.ts'
import { openSigningKey } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { openLocalStorage } from '#platform/storage/local.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { papers } from '#test/builders/documents.ts'
import { cloneDatabase, quiet } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { openIdentity } from './identity.ts'

const SECRET_KEY = 'f0d1c2b3a495867718293a4b5c6d7e8f-identity'

describe('the identity of an installation (proves: OPS-02)', () => {
  let root: string
  let postgres: Awaited<ReturnType<typeof cloneDatabase>>
  let database: Database
  let superuser: pg.Client
  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'attest-identity-'))
    postgres = await cloneDatabase()
    database = new Database(openPool(postgres.app, quiet))
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
  })
  /** As migrated, and never started. */
  const takeBack = async () => {
    for (const table of ['installation', 'signing_keys', 'audit_keys'])
      await superuser.query(`alter table ${table} disable trigger append_only; delete from ${table};
        alter table ${table} enable always trigger append_only`)
  }
  beforeEach(takeBack)
  after(async () => {
    await superuser.end()
    await database.close()
    await postgres.drop()
    rmSync(root, { recursive: true })
  })

  const newHost = async (environment: Record<string, string> = {}) => {
    const config = readConfig({ SECRET_KEY, DATA_DIR: mkdtempSync(join(root, 'host-')), ...environment })
    return { config, database, log: quiet, storage: await openLocalStorage(config.upload_dir) }
  }
  type Host = Awaited<ReturnType<typeof newHost>>
  const idOf = (path: string) => JSON.parse(readFileSync(path, 'utf8')).installation as string
  const marksOf = ({ config }: Host) => [
    idOf(join(config.upload_dir, 'installation.json')),
    idOf(join(config.keys.folder, 'installation.json')),
  ]
  const rows = async () =>
    (await superuser.query<{ id: string }>('select id from installation')).rows.map(({ id }) => id)
  const pems = ({ config }: Host) =>
    existsSync(config.keys.folder) ? readdirSync(config.keys.folder).filter(name => name.endsWith('.pem')) : []

  it('is made by the first start in database, store and key folder, and found by the next', async () => {
    const host = await newHost()
    const made = await openIdentity(host)
    const [id] = await rows()
    assert.deepEqual(marksOf(host), [id, id])
    const again = await openIdentity(host)
    assert.deepEqual([again.signingKey.key_id, again.auditKey.key_id], [made.signingKey.key_id, made.auditKey.key_id])
    await assert.rejects(
      superuser.query('insert into installation (id) values (gen_random_uuid())'),
      /installation_pkey/,
    )
    for (const statement of ['update installation set id = gen_random_uuid()', 'delete from installation'])
      await assert.rejects(superuser.query(statement), /append-only/)
  })

  it('is one where several processes start at the same moment', async () => {
    const host = await newHost()
    const pools = [1, 2, 3].map(() => new Database(openPool(postgres.app, quiet)))
    try {
      const all = await Promise.all(pools.map(each => openIdentity({ ...host, database: each })))
      assert.equal(new Set(all.map(keys => `${keys.signingKey.key_id} ${keys.auditKey.key_id}`)).size, 1)
      const [id, ...more] = await rows()
      assert.deepEqual([more, marksOf(host)], [[], [id, id]])
    } finally {
      for (const each of pools) await each.close()
    }
  })

  it('is completed by the next start where one was ended at any step', async () => {
    const cutOff = (host: Host, mark: FileStorage['mark']) =>
      openIdentity({ ...host, storage: { ...host.storage, mark } })
    const ends: [string, (host: Host) => Promise<unknown>][] = [
      ['with keys alone', ({ config }) => openSigningKey(config.keys.folder)],
      ['before the store was marked', host => cutOff(host, () => Promise.reject(new Error('ended')))],
      [
        'before the database had it',
        host =>
          cutOff(host, async text => {
            await host.storage.mark(text)
            throw new Error('ended')
          }),
      ],
    ]
    for (const [when, end] of ends) {
      const host = await newHost()
      const before = await end(host).then(
        () => [],
        (error: Error) => {
          assert.equal(error.message, 'ended', when)
          return pems(host)
        },
      )
      assert.deepEqual(await rows(), [], when)
      const sealing = readFileSync(join(host.config.keys.folder, 'signature.pem'), 'utf8')
      await openIdentity(host)
      const [id] = await rows()
      assert.deepEqual(marksOf(host), [id, id], when)
      assert.equal(readFileSync(join(host.config.keys.folder, 'signature.pem'), 'utf8'), sealing, when)
      for (const name of before) assert.ok(pems(host).includes(name))
      await takeBack()
    }
  })
  it('keeps out a host with a folder of its own, in a line for each thing, and makes no keys there', async () => {
    await openIdentity(await newHost())
    const [id] = await rows()
    const second = await newHost()
    await assert.rejects(openIdentity(second), (error: Error) => {
      const [store, keys, ...more] = error.message.split('\n')
      assert.match(store!, new RegExp(`uploads is not the store of this installation \\(${id}\\).*UPLOAD_DIR`))
      assert.match(
        keys!,
        /keys has no signing key and no key of the audit trail.*copy DATA_DIR\/keys.*installation new-keys/,
      )
      assert.deepEqual(more, [])
      return true
    })
    assert.deepEqual([pems(second), await second.storage.readMark()], [[], undefined])
  })

  it('keeps out the store and the keys of another installation', async () => {
    const other = await newHost()
    await openIdentity(other)
    const [otherId] = await rows()
    await takeBack()
    const host = await newHost()
    await openIdentity(host)
    const [id] = await rows()
    await assert.rejects(
      openIdentity({ ...host, storage: other.storage }),
      new RegExp(`is the store of another installation \\(${otherId}\\), and this database is of ${id}`),
    )
    const { keys } = other.config
    await assert.rejects(openIdentity({ ...host, config: { ...host.config, keys } }), (error: Error) => {
      assert.match(error.message, new RegExp(`has the keys of another installation \\(${otherId}\\)`))
      assert.match(error.message, /the signing key [0-9a-f]{16} \(.*\) is not of this installation/)
      return true
    })
    // A new installation does not begin in the store of another one.
    await takeBack()
    const third = await newHost()
    await assert.rejects(openIdentity({ ...third, storage: other.storage }), /is the store of another installation/)
    assert.deepEqual([pems(third), await rows()], [[], []])
  })

  it('takes keys from files of secrets, which it cannot write and need not', async () => {
    const first = await newHost()
    await openIdentity(first)
    const secrets = mkdtempSync(join(root, 'secrets-'))
    cpSync(first.config.keys.folder, secrets, { recursive: true })
    const files = { SIGNING_KEY_FILE: join(secrets, 'signature.pem'), AUDIT_KEY_FILE: join(secrets, 'audit.pem') }
    const second = await newHost({ ...files, UPLOAD_DIR: first.config.upload_dir })
    const { signingKey } = await openIdentity(second)
    assert.equal(signingKey.key_id, (await openIdentity(first)).signingKey.key_id)
    assert.ok(!existsSync(second.config.keys.folder))

    writeFileSync(join(secrets, 'other'), 'no key')
    for (const [given, line] of [
      [{ ...files, AUDIT_KEY_FILE: '' }, /AUDIT_KEY_FILE is not set/],
      [{ ...files, AUDIT_KEY_FILE: join(secrets, 'none') }, /AUDIT_KEY_FILE names a file that is not there/],
      [{ ...files, SIGNING_KEY_FILE: secrets }, /SIGNING_KEY_FILE names a file that cannot be read \(EISDIR\)/],
      [{ ...files, SIGNING_KEY_FILE: join(secrets, 'other') }, /SIGNING_KEY_FILE names no key .* is not a private key/],
      [{ PREVIOUS_AUDIT_KEY_FILE: files.AUDIT_KEY_FILE }, /SIGNING_KEY_FILE is not set/],
    ] as const)
      assert.throws(() => readConfig({ SECRET_KEY, ...given }), line)
  })

  describe('of an installation from before there were any', () => {
    let world: World
    before(async () => {
      world = await openWorld()
    })
    after(() => world.close())

    it('is adopted with the store that has the files of its records, and with the keys that it knows', async () => {
      const { config, storage, signingKey } = world.services
      const host = { config, storage, database: world.database, log: quiet }
      const document = await papers(world).upload()
      const { file_key } = (await world.rows<{ file_key: string }>('select file_key from document_versions'))[0]!
      const elsewhere = await newHost()
      await assert.rejects(
        openIdentity({ ...host, storage: elsewhere.storage }),
        /has none of 1 files that records of this database name/,
      )
      const keys = { folder: join(elsewhere.config.data_dir, 'keys') }
      await assert.rejects(openIdentity({ ...host, config: { ...config, keys } }), /has no signing key/)
      assert.deepEqual(await world.rows('select id from installation'), [])
      assert.equal((await openIdentity(host)).signingKey.key_id, signingKey.key_id)
      assert.equal((await world.rows('select id from installation')).length, 1)
      assert.ok(document.id && existsSync(join(config.upload_dir, file_key)))
      unlinkSync(join(config.upload_dir, 'installation.json'))
      await assert.rejects(openIdentity(host), /there is no installation\.json in it/)
    })

    it('is none of a store with files that no record names', async () => {
      const { config } = world.services
      const host = await newHost()
      await assert.rejects(
        openIdentity({
          ...host,
          storage: world.services.storage,
          config: { ...host.config, upload_dir: config.upload_dir },
        }),
        /uploads has files, such as \S+, and this database names none/,
      )
    })
  })
})
