// doctor --deep names what was altered behind the service, claims nothing that it did not examine, and changes nothing.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { signatures } from '#test/builders/signatures.ts'
import { pictureOf } from '#test/processes/backups.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let seals: ReturnType<typeof signatures>
let document: Json
let file: string
before(async () => {
  world = await openWorld()
  seals = signatures(world)
  const paper = papers(world)
  document = await paper.effective()
  for (let n = 0; n < 3; n++) await paper.upload()
  await world.seal()
  // The first run registers the keys of this data folder.
  assert.equal((await commands.run(['signing-key', 'list'])).code, 0)
  const [{ file_key }] = (await world.rows<Json>('select file_key from document_versions where document_id = $1', [
    document.id,
  ])) as [Json]
  file = join(world.services.config.upload_dir, file_key)
})
after(async () => {
  await commands.close()
  await world.close()
})
const commands = commandsOf(() => world)
const doctor = async (...words: string[]) => {
  const { code, out, err } = await commands.run(['doctor', ...words])
  assert.equal(err, '', out)
  const lines = (name: string) => out.split('\n').filter(line => line.slice(6).startsWith(`${name}:`))
  return { code, out, lines, failed: out.split('\n').filter(line => line.startsWith('FAIL')) }
}
const filesOf = async () =>
  Number((await world.rows<Json>('select count(*) as n from document_versions where tenant_id = $1', [acme()]))[0]!.n)
const acme = () => world.people.ada!.tenant_id

// proves: SIG-02, AUD-01, AUD-03, AUD-04, OPS-02
describe('doctor --deep', () => {
  it('says what it examined and how many of how many, and changes nothing', async () => {
    const before = await pictureOf(world.postgres.superuser)
    const { code, out, lines } = await doctor('--deep', '--files', 'all')
    assert.equal(code, 0, out)
    assert.deepEqual(await pictureOf(world.postgres.superuser), before)
    const [{ given, entries }] = (await world.rows<Json>(
      `select (select count(*) from signatures where tenant_id = $1) as given,
        (select count(*) from audit_leaves where tenant_id = $1) as entries`,
      [acme()],
    )) as [Json]
    const files = await filesOf()
    assert.ok(given > 0 && files >= 4)
    assert.deepEqual(lines('signatures of acme'), [
      `ok    signatures of acme: ${given} of ${given} verified, each by its ten checks`,
    ])
    assert.deepEqual(lines('files of acme'), [
      `ok    files of acme: ${files} of ${files} read, each with its recorded size and SHA-256`,
    ])
    assert.match(
      lines('audit trail of acme')[0]!,
      new RegExp(`^ok {4}audit trail of acme: ${entries} sealed entries and`),
    )
    for (const tenant of ['platform', 'rival'])
      for (const what of ['audit trail', 'signatures', 'files']) assert.equal(lines(`${what} of ${tenant}`).length, 1)
    assert.doesNotMatch(out, /outside of the sample/)
  })

  it('reads a sample where nobody asks for all, and says so', async () => {
    const { code, out, lines } = await doctor('--deep', '--files', '2')
    assert.equal(code, 0, out)
    assert.deepEqual(lines('files of acme'), [
      `ok    files of acme: 2 of ${await filesOf()} read, each with its recorded size and SHA-256: a random sample`,
    ])
    assert.match(out, /^- {5}not examined: the stored files outside of the sample \(--files all reads every file\)$/m)
    for (const words of [
      ['--files', '3'],
      ['--deep', '--files', '0'],
      ['--deep', '--files', 'some'],
    ]) {
      const refused = await commands.run(['doctor', ...words])
      assert.deepEqual([refused.code, refused.out], [1, ''])
    }
  })

  it('claims nothing of signatures, trails and files where it did not look at them', async () => {
    const { code, out } = await doctor()
    assert.equal(code, 0, out)
    assert.doesNotMatch(out, /verified, each|sealed entr|recorded size/)
    assert.match(out, /^- {5}not examined: signatures, audit trails and stored files \(doctor --deep examines them\)$/m)
  })

  it('counts entries that wait to be sealed apart, because nobody seals while the service is stopped', async () => {
    await papers(world).upload()
    const set = (than: string) =>
      behindTheApi(
        world,
        'audit_entries',
        `update audit_entries set occurred_at = occurred_at ${than} where id in (select entry_id from audit_pending where tenant_id = $1)`,
        [acme()],
      )
    await set(`- interval '2 minutes'`)
    const { code, out, lines } = await doctor('--deep')
    assert.equal(code, 0, out)
    assert.match(lines('audit trail of acme')[0]!, /^ok .* verified; 1 waits to be sealed, and was not verified$/)
    await set(`+ interval '2 minutes'`)
    await world.seal()
  })

  it('names a file that was changed and one that is gone, and the signatures that fail by them', async () => {
    const bytes = readFileSync(file)
    const changed = Buffer.from(bytes)
    changed[changed.length - 1]! ^= 1
    try {
      writeFileSync(file, changed)
      const altered = await doctor('--deep', '--files', 'all')
      assert.equal(altered.code, 1)
      assert.match(
        altered.lines('files of acme').join(),
        /FAIL {2}files of acme: the file \d+\/\S+ differs from the recorded file/,
      )
      assert.match(
        altered.lines('signatures of acme').join(),
        new RegExp(`signature \\d+ on ${document.number} 1.0: content_integrity: The stored file differs`),
      )
    } finally {
      writeFileSync(file, bytes)
    }
    renameSync(file, `${file}-away`)
    try {
      const gone = await doctor('--deep', '--files', 'all')
      assert.match(gone.lines('files of acme').join(), /FAIL {2}files of acme: the file \d+\/\S+ is missing/)
      assert.match(gone.lines('signatures of acme').join(), /content_integrity: The stored file is missing/)
      assert.ok(
        gone.failed.every(line => /^FAIL {2}(files|signatures) of acme:/.test(line)),
        gone.failed.join('\n'),
      )
    } finally {
      renameSync(`${file}-away`, file)
    }
  })

  it('names a signature whose row was altered', async () => {
    const [signature] = await seals.listed('document', document.id)
    const { code, failed } = await seals.whileAltered('signatures', signature.id, { intent: `'Something else'` }, () =>
      doctor('--deep'),
    )
    assert.equal(code, 1)
    assert.deepEqual(failed, [
      `FAIL  signatures of acme: signature ${signature.id} on ${document.number} 1.0: manifestation: The record differs from what was signed in intent`,
    ])
  })

  it('names keys of strangers, of signatures and of the audit trail, a replaced key, and a link without an entry', async () => {
    const app = new pg.Client(world.postgres.app)
    await app.connect()
    const stranger = { id: randomUUID().replaceAll('-', '').slice(0, 16), key: Buffer.alloc(32, 7).toString('base64') }
    try {
      const [{ key_id: own }] = (await world.rows<Json>('select key_id from signing_keys order by created_at')) as [
        Json,
      ]
      await app.query('insert into signing_keys (key_id, public_key) values ($1, $2)', [stranger.id, stranger.key])
      await app.query('insert into audit_keys (key_id, public_key) values ($1, $2)', [stranger.id, stranger.key])
      await app.query(
        `insert into signing_key_links (previous_key_id, next_key_id, by_next) values ($1, $2, 'c2VhbA==')`,
        [own, stranger.id],
      )
      const { code, lines } = await doctor('--deep')
      assert.equal(code, 1)
      assert.match(lines('keys of signatures').join(), new RegExp(`FAIL .*${stranger.id}`))
      assert.deepEqual(lines('keys of the audit trail'), [
        `FAIL  keys of the audit trail: no audit trail tells of the key ${stranger.id}: find out who added or replaced it`,
      ])
      assert.deepEqual(lines('succession of keys'), [
        `FAIL  succession of keys: the key ${stranger.id} was replaced: its id is not that of this public key`,
        `FAIL  succession of keys: the link from ${own} to ${stranger.id} is not sealed by these keys`,
        `FAIL  succession of keys: the audit trail tells nothing of the link from ${own} to ${stranger.id}`,
      ])
    } finally {
      await app.end()
      await behindTheApi(world, 'signing_key_links', 'delete from signing_key_links where next_key_id = $1', [
        stranger.id,
      ])
      await behindTheApi(world, 'signing_keys', 'delete from signing_keys where key_id = $1', [stranger.id])
      await behindTheApi(world, 'audit_keys', 'delete from audit_keys where key_id = $1', [stranger.id])
    }
  })

  /** The entry of the rotation has no details, as after a redaction. */
  async function whileRedacted(work: () => Promise<void>) {
    const columns = ['changes', 'resource_number', 'resource_revision', 'reason', 'detail_salt']
    const [entry] = (await world.rows<Json>(
      `select to_jsonb(e) as row, id from audit_entries e where action = 'signing_key.rotated' order by id desc limit 1`,
    )) as [Json]
    const put = (row: object) =>
      behindTheApi(
        world,
        'audit_entries',
        `update audit_entries e set (${columns.join(', ')}) =
           (select ${columns.map(name => `r.${name}`).join(', ')} from jsonb_populate_record(null::audit_entries, $2::jsonb) r) where e.id = $1`,
        [entry.id, JSON.stringify(row)],
      )
    await put({})
    try {
      await work()
    } finally {
      await put(entry.row)
    }
  }

  it('follows a key that was rotated, and names every signature that its replacement by another key undoes', async () => {
    assert.equal((await commands.run(['signing-key', 'rotate'])).code, 0)
    const sound = await doctor('--deep')
    assert.equal(sound.code, 0, sound.out)
    assert.deepEqual(sound.lines('succession of keys'), [
      'ok    succession of keys: 2 keys, each with the id of its public key; 1 link between them, sealed by their keys and told in the audit trail of the platform',
    ])
    await whileRedacted(async () => {
      assert.deepEqual((await doctor('--deep')).lines('succession of keys'), [
        'ok    succession of keys: 2 keys, each with the id of its public key; 1 link between them, sealed by their keys and 0 of 1 told in the audit trail of the platform. The others may be told by entries whose details were redacted',
      ])
    })
    const [{ key_id, public_key }] = (await world.rows<Json>(
      'select key_id, public_key from signing_keys order by created_at limit 1',
    )) as [Json]
    const put = (key: string) =>
      behindTheApi(world, 'signing_keys', 'update signing_keys set public_key = $2 where key_id = $1', [key_id, key])
    await put(Buffer.alloc(32, 9).toString('base64'))
    try {
      const { lines } = await doctor('--deep')
      assert.match(lines('succession of keys').join(), new RegExp(`the key ${key_id} was replaced`))
      assert.match(lines('signatures of acme').join(), /signature_integrity: The key \w+ was replaced by another one/)
    } finally {
      await put(public_key)
    }
  })

  it('names an entry of the audit trail that was altered or removed', async () => {
    const [{ id, seq }] = (await world.rows<Json>(
      `select e.id, l.seq from audit_entries e join audit_leaves l on l.entry_id = e.id
       where e.tenant_id = $1 and action = 'document.created' order by e.id limit 1`,
      [acme()],
    )) as [Json]
    const set = (username: string) =>
      behindTheApi(world, 'audit_entries', 'update audit_entries set username = $2 where id = $1', [id, username])
    await set('mallory')
    try {
      const { code, failed } = await doctor('--deep')
      assert.equal(code, 1)
      assert.deepEqual(
        failed.filter(line => line.includes('does not match')),
        [`FAIL  audit trail of acme: entry ${id}: place ${seq}: This entry does not match its hashed text`],
      )
    } finally {
      await set('alan')
    }
    assert.equal((await doctor('--deep')).code, 0)
  })

  it('does not say of a removed file that its content is gone where the store was not looked at', async () => {
    const reason = 'It names a patient'
    const paper = papers(world)
    const { id } = await paper.upload({ title: 'Wrong' })
    const { id: removal }: Json = ok(
      await world.as('petra').post('/api/file-removals/', { document_id: id, version: '1.0', reason, password }),
    )
    ok(await world.as('quinn').post(`/api/file-removals/${removal}/approve`, { decision_reason: 'Yes', password }))
    await world.work()
    await world.seal()
    const statement = new RegExp(
      `^- {5}removed files of acme: file removal ${removal}: Removed on .* because: ${reason}\\. Its content was not compared`,
    )
    const looked = (await doctor('--deep')).lines('removed files of acme').join('\n')
    assert.match(looked, new RegExp(`${statement.source}$`))
    const { upload_dir } = world.services.config
    renameSync(upload_dir, `${upload_dir}-away`)
    writeFileSync(upload_dir, '')
    try {
      const blind = (await doctor('--deep')).lines('removed files of acme').join('\n')
      assert.match(
        blind,
        new RegExp(
          `${statement.source}\\. Whether the store still has it was not examined, because the storage fails$`,
        ),
      )
    } finally {
      rmSync(upload_dir)
      renameSync(`${upload_dir}-away`, upload_dir)
    }
  })

  it('says what it could not examine without the keys', async () => {
    const keys = join(world.folder, 'keys')
    renameSync(keys, `${keys}-away`)
    try {
      const { code, out } = await doctor('--deep')
      assert.equal(code, 1)
      assert.match(out, /^FAIL {2}signatures of acme: \d+ not examined, because no key of signatures is at hand$/m)
      assert.match(out, /^FAIL {2}audit trail of acme: not examined, because no key of the audit trail is at hand$/m)
      assert.doesNotMatch(out, /verified, each|sealed entr/)
    } finally {
      renameSync(`${keys}-away`, keys)
    }
  })
})

// proves: AUTH-01
describe('doctor, while BOOTSTRAP_ADMIN_PASSWORD is still set', () => {
  it('says that it is to be removed, and whether it is still the password of the Admin', async () => {
    const lineFor = async (secret: string) => {
      const first = {
        ...{ BOOTSTRAP_TENANT: 'Acme', BOOTSTRAP_ADMIN_USERNAME: 'ada', BOOTSTRAP_ADMIN_EMAIL: 'ada@acme.example' },
        BOOTSTRAP_ADMIN_PASSWORD: secret,
      }
      const { code, out } = await commands.run(['doctor'], first)
      assert.equal(code, 0, out)
      assert.doesNotMatch(out, new RegExp(secret))
      return out.split('\n').find(line => line.includes('first tenant'))
    }
    const remove =
      '-     first tenant: there is a tenant already, so the BOOTSTRAP_ variables have no effect. Remove them, BOOTSTRAP_ADMIN_PASSWORD above all'
    assert.equal(await lineFor('Another horse 2 staple'), remove)
    assert.equal(await lineFor(password), `${remove}: it is still the password of ada, who should change it`)
  })
})

// proves: EXIT-01
it('examines the archives of exports: whether each is there, and with --files all byte for byte', async () => {
  const { id } = ok(await world.as('ada').post('/api/tenant-exports/', { reason: 'To keep' }))
  await world.work()
  const [{ archive_key }] = (await world.rows('select archive_key from tenant_exports where id = $1', [id])) as [Json]
  const about = async (...words: string[]) => (await doctor('--deep', ...words)).lines('exports of acme')
  assert.match((await about())[0]!, /^ok .*1 of 1 archives are in the store, each with its recorded size$/)
  const path = join(world.services.config.upload_dir, archive_key)
  const bytes = readFileSync(path)
  const flipped = Buffer.from(bytes)
  flipped[bytes.length - 30]! ^= 1
  rmSync(path)
  writeFileSync(path, flipped)
  assert.match((await about('--files', 'all'))[0]!, /^FAIL/)
  writeFileSync(path, bytes.subarray(1))
  assert.match((await about())[0]!, /^FAIL/)
  writeFileSync(path, bytes)
  assert.match((await about('--files', 'all'))[0]!, /^ok .*each read with its recorded size and SHA-256$/)
  // As after a restore, which brings no archive back.
  rmSync(path)
  assert.match((await about())[0]!, /^ok .*0 of 1 archives/)
})
