// The export of everything of a tenant: who may ask for it, what is in it, and when it is gone.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sql } from 'kysely'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { unzip } from '#test/builders/dossiers.ts'
import { readyExport } from '#test/builders/export-samples.ts'
import { accepted, addRecords } from '#test/builders/samples.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { verifyExport } from '../../../verifier/attest-export-verify.mjs'
import { kinds } from './content/kinds.ts'
import { expireExports } from './index.ts'

const url = '/api/tenant-exports/'
const reason = 'The contract ends'
/** Text of rival, which is in no export of acme. */
const rivals = 'canaryofrival'
/** A name that would be markup, a formula and a path. */
const hostile = '=HYPERLINK("x")<script>alert(1)</script>../../etc'
const folder = mkdtempSync(join(tmpdir(), 'attest-exports-'))
let world: World
before(async () => {
  world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
  await addRecords(world, rivals)
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const linesOf = (bytes: Buffer): Json[] =>
  bytes
    .toString()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
const entries = (action: string) =>
  world.rows<{ username: string; outcome: string; resource_id: string }>(
    'select username, outcome, resource_id from audit_entries where action = $1 order by id',
    [action],
  )

describe('an export of everything (proves: EXIT-01)', () => {
  let id: number
  let altered: Json
  let missing: Json
  let made: Json
  let files: Map<string, Buffer>
  const text = (name: string) => files.get(name)!.toString()
  const manifest = (): Json => JSON.parse(text('manifest.json'))
  const keys = () => {
    const { manifest: vkey, signatures } = manifest().keys
    return { vkeys: [vkey], keys: signatures.map(({ public_key }: Json) => public_key) }
  }
  const unpacked = join(folder, 'unpacked')

  before(async () => {
    ok(await world.as('ada').put('/api/settings/', { language: 'de' }))
    ok(await world.as('ada').post('/api/groups/', { name: hostile, description: hostile }))
    const { id: gone } = ok(await world.as('ada').post('/api/groups/', { name: 'Deleted', description: 'Of before' }))
    await accepted(world.as('ada').delete(`/api/groups/${gone}`))
    const make = papers(world)
    const fields = { title: hostile, document_type: await world.typeId('SOP') }
    const own = { bytes: pdf('of its own'), name: 'procedure.pdf' }
    altered = ok(await world.as('alan').upload('/api/documents/upload', fields, own))
    missing = await make.upload({ title: 'Its file is gone' })
    const keyOf = async (document: Json) =>
      (
        await world.rows<{ file_key: string }>('select file_key from document_versions where document_id = $1', [
          document.id,
        ])
      )[0]!.file_key
    const path = join(world.services.config.upload_dir, await keyOf(altered))
    writeFileSync(path, pdf('other bytes'))
    await world.services.storage.remove(await keyOf(missing))
    id = await readyExport(world)
    made = ok(await world.as('ada').get(`${url}${id}`))
    files = await unzip((await world.as('ada').get(`${url}${id}/download`)).rawPayload)
    for (const [name, bytes] of files) {
      mkdirSync(dirname(join(unpacked, name)), { recursive: true })
      writeFileSync(join(unpacked, name), bytes)
    }
  })

  it('names every file with its size and hash in a manifest, and itself in its answer', async () => {
    const listed: Json[] = manifest().files
    for (const { path, size, sha256: hash } of listed) {
      const bytes = files.get(path)!
      assert.deepEqual([bytes.length, sha256(bytes)], [size, hash], path)
    }
    const names = new Set([...listed.map(({ path }) => path), 'manifest.json', 'manifest.sig'])
    assert.deepEqual(
      [...files.keys()].filter(name => !names.has(name)),
      [],
    )
    assert.equal(made.manifest_sha256, sha256(files.get('manifest.json')!))
    assert.deepEqual(made.contents, manifest().contents)
    assert.deepEqual([made.status, made.reason, made.requested_by.username], ['ready', reason, 'ada'])
    const days = (Date.parse(made.expires_at) - Date.parse(made.completed_at)) / 86_400_000
    assert.equal(days, 7)
    const { rawPayload, headers } = await world.as('ada').get(`${url}${id}/download`)
    assert.deepEqual([rawPayload.length, sha256(rawPayload)], [made.bytes, made.sha256])
    assert.match(String(headers['content-disposition']), /attest-export-acme-\d{4}-\d\d-\d\d\.zip/)
  })

  it('has every record of every kind, as its GET shows it to who may read all, and as its schema says', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    for (const { name, table, users } of kinds) {
      const [{ count }] = (await world.rows(
        `select count(*)::int from ${table} where tenant_id = $1 ${users ? `and kind = '${users}'` : ''} ${table === 'groups' ? 'and deleted_at is null' : ''}`,
        [world.people.ada!.tenant_id],
      )) as [Json]
      const records = linesOf(files.get(`records/${name}.jsonl`)!)
      assert.equal(records.length, count, name)
      assert.ok(count > 0, `there is no ${name} to try`)
      const conforms = ajv.compile(JSON.parse(text(`schemas/${name}.json`)))
      for (const record of records) assert.ok(conforms(record), `${name}: ${JSON.stringify(conforms.errors)}`)
    }
    const ofReader = ({ you: _you, ...record }: Json) => record
    const shown = ofReader(ok(await world.as('ada').get(`/api/documents/${altered.id}`)))
    const { versions, history, comments, links, periodic_reviews, workflow, ...record } = linesOf(
      files.get('records/documents.jsonl')!,
    ).find(each => each.id === altered.id)!
    // Which transitions a reader may take is theirs.
    assert.deepEqual({ ...record, workflow: null }, { ...shown, workflow: null })
    assert.deepEqual(workflow.state, shown.workflow.state)
    assert.deepEqual([versions.length, history.length > 0, comments, links, periodic_reviews], [1, true, [], [], []])
    const deviation = linesOf(files.get('records/deviations.jsonl')!).find(({ comments }) => comments.length > 0)!
    assert.deepEqual(
      deviation.comments.map(ofReader),
      ok(await world.as('ada').get(`/api/deviations/${deviation.id}/comments`)).items.map(ofReader),
    )
  })

  it('has each file once, and says which is missing or other than it was stored', () => {
    const named = linesOf(files.get('files.jsonl')!)
    const of = ({ id: document }: Json) =>
      named.find(({ of }) => of.resource_type === 'document' && of.resource_id === document)!
    assert.deepEqual([of(missing).state, of(missing).path], ['missing', null])
    const found = of(altered)
    assert.deepEqual([found.state, found.path], ['altered', null])
    assert.deepEqual(files.get(found.found.path), pdf('other bytes'))
    for (const { state, path, sha256: hash, size } of named.filter(each => each.state === 'as_stored')) {
      assert.equal(path, `files/${hash}`, state)
      assert.deepEqual([files.get(path)!.length, sha256(files.get(path)!)], [size, hash])
    }
    assert.equal(made.contents.files_missing, 2)
    assert.match(text('index.html'), /2 Dateien fehlen im Dateispeicher/)
  })

  it('has nothing by which anybody logs in, and nothing of another tenant', async () => {
    const [{ hashes }] = (await world.rows(
      `select array_agg(distinct value) as hashes from (select password_hash as value from credentials
        union all select encode(secret_hash, 'hex') from sessions where secret_hash is not null
        union all select encode(secret_hash, 'hex') from api_keys) s where value is not null`,
    )) as [{ hashes: string[] }]
    assert.ok(hashes.length > 2)
    for (const [name, bytes] of files) {
      const content = bytes.toString('latin1')
      for (const hash of hashes) assert.ok(!content.includes(hash), `${name} has a hash of a secret`)
      assert.ok(!content.includes(rivals), `${name} has text of rival`)
    }
  })

  it('is verified by the program in it, in a folder and as the zip', async () => {
    const zip = join(folder, 'export.zip')
    writeFileSync(zip, (await world.as('ada').get(`${url}${id}/download`)).rawPayload)
    const own = (await import(join(unpacked, 'verifier/attest-export-verify.mjs'))) as {
      verifyExport: typeof verifyExport
    }
    for (const [verify, path] of [
      [own.verifyExport, unpacked],
      [verifyExport, zip],
    ] as const) {
      const { exit, lines } = await verify(path, keys())
      assert.equal(exit, 0, JSON.stringify(lines))
      assert.ok(lines.some(({ text }) => /^audit trail: epoch 1: all of its \d+ entries/.test(text)))
      assert.ok(
        lines.some(({ text }) => text === `${made.contents.signatures} signatures: sealed, each over its content`),
      )
    }
    assert.equal((await verifyExport(unpacked, { vkeys: [], keys: [] })).exit, 2)
    assert.equal((await verifyExport(unpacked, { ...keys(), keys: [] })).exit, 2)
    const forged = await verifyExport(unpacked, {
      ...keys(),
      vkeys: [keys().vkeys[0].replace(/[^=]{4}(=*)$/, 'AAAA$1')],
    })
    assert.notEqual(forged.exit, 0)
  })

  it('is found to be altered wherever one byte of it is another', async () => {
    const copy = join(folder, 'altered')
    cpSync(unpacked, copy, { recursive: true })
    const one = (name: string) => {
      const bytes = Buffer.from(files.get(name)!)
      bytes[Math.floor(bytes.length / 2)]! ^= 1
      return bytes
    }
    const verifyAltered = async (names: string[]) => {
      for (const name of names) writeFileSync(join(copy, name), one(name))
      const { exit, lines } = await verifyExport(copy, keys())
      assert.equal(exit, 1, `${names.join()}: ${JSON.stringify(lines)}`)
      for (const name of names) writeFileSync(join(copy, name), files.get(name)!)
      return new Set(lines.filter(({ status }) => status === 'failed').map(({ text }) => text))
    }
    const isOfManifest = (name: string) => name.startsWith('manifest.')
    const folders = new Map<string, string>()
    // One of each folder, and each that stands alone.
    for (const [name, bytes] of files)
      if (bytes.length > 0 && !isOfManifest(name))
        folders.set(name.includes('/') ? `${dirname(name)}/${name.split('.').at(-1)}` : name, name)
    const [first, ...others] = folders.values()
    // Each has its line, one alone and ten beside each other: up to fifty are listed.
    const groups = Array.from({ length: Math.ceil(others.length / 10) }, (_, at) => others.slice(at * 10, at * 10 + 10))
    for (const names of [[first!], ...groups]) {
      const failed = await verifyAltered(names)
      for (const name of names) assert.ok(failed.has(`${name} is not the file of the manifest`), name)
    }
    for (const name of [...files.keys()].filter(isOfManifest)) await verifyAltered([name])
    writeFileSync(join(copy, 'records/more.jsonl'), '')
    assert.equal((await verifyExport(copy, keys())).exit, 1)
    rmSync(join(copy, 'records/more.jsonl'))
    rmSync(join(copy, 'pages/people.html'))
    assert.deepEqual(
      (await verifyExport(copy, keys())).lines.filter(({ status }) => status === 'failed').map(({ text }) => text),
      ['pages/people.html is missing'],
    )
    const zip = join(folder, 'altered.zip')
    const bytes = (await world.as('ada').get(`${url}${id}/download`)).rawPayload
    for (const at of [1_000, Math.floor(bytes.length / 2), bytes.length - 30_000]) {
      const other = Buffer.from(bytes)
      other[at]! ^= 1
      writeFileSync(zip, other)
      assert.notEqual((await verifyExport(zip, keys())).exit, 0, `byte ${at}`)
    }
  })

  it('is pages without a script, in the language of the company, that escape what people typed', () => {
    for (const [name, bytes] of files)
      if (name.endsWith('.html')) {
        const page = bytes.toString()
        assert.ok(!/<script|<iframe|javascript:|\son\w+=/i.test(page.replaceAll('&lt;script', '')), name)
        assert.match(page, /http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src/)
        assert.match(page, /<html lang="de">/)
        for (const [, link] of page.matchAll(/href="([^"#]+)"/g))
          assert.ok(files.has(join(dirname(name), link!)), `${name} links to ${link}`)
      }
    const page = text(`pages/documents/${altered.id}.html`)
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
    assert.match(page, /procedure\.pdf \(verändert\)/)
    assert.match(text('csv/groups.csv'), /'=HYPERLINK/)
  })

  it('verifies each signature as the service does', async () => {
    for (const signature of linesOf(files.get('signatures.jsonl')!)) {
      const { verification, digest, verification_code } = ok(
        await world.as('ada').get(`/api/signatures/${signature.id}`),
      )
      assert.deepEqual([signature.digest, signature.verification_code], [digest, verification_code])
      const { verified_at: _then, ...then } = signature.verification
      const { verified_at: _now, ...now } = verification
      assert.deepEqual(then, now)
    }
  })

  it('is given in parts, to who may, each time with an entry; and all Admins are told', async () => {
    const before = (await entries('tenant_export.downloaded')).length
    const part = await world.as('ada').get(`${url}${id}/download`, { range: 'bytes=0-3' })
    assert.deepEqual([part.statusCode, part.rawPayload.toString('latin1')], [206, 'PK\x03\x04'])
    assert.equal((await world.as('ada').get(`${url}${id}/download`, { range: `bytes=${made.bytes}-` })).statusCode, 416)
    assert.equal((await world.as('quinn').get(`${url}${id}/download`)).statusCode, 403)
    assert.equal((await world.as('rex').get(`${url}${id}/download`)).statusCode, 404)
    assert.equal((await world.as('rex').get(`${url}${id}`)).statusCode, 404)
    assert.equal((await world.as('rex').delete(`${url}${id}`)).statusCode, 404)
    const after = await entries('tenant_export.downloaded')
    assert.deepEqual([after.length, after.at(-1)!.username], [before + 1, 'ada'])
    const [latest] = ok(await world.as('ada').get(`${url}${id}`)).downloads
    assert.equal(latest.user.username, 'ada')
    const told = await world.rows(
      `select n.type, n.priority from notifications n where n.type = 'tenant_export' and n.user_id = $1`,
      [world.people.ada!.id],
    )
    assert.ok(told.some(({ priority }) => priority === 'urgent'))
  })
})

describe('a request for an export (proves: EXIT-01)', () => {
  afterEach(async () => {
    const { items } = ok(await world.as('ada').get(`${url}?status=in_progress`))
    for (const { id } of items) await accepted(world.as('ada').delete(`${url}${id}`))
    world.clock.moved_ms = 0
    await world.work()
  })

  it('needs a proof of identity, as a signature does', async () => {
    const old = world.as('ada', { logged_in: 3600 })
    const refused = await old.post(url, { reason })
    assert.deepEqual([refused.statusCode, refused.json().code], [401, 'signing_password_required'])
    assert.match(String(refused.headers['www-authenticate']), /insufficient_user_authentication/)
    assert.equal((await old.post(url, { reason, password: 'wrong' })).statusCode, 401)
    assert.equal((await world.as('quinn').post(url, { reason, password })).statusCode, 403)
    assert.equal((await old.post(url, { reason, password })).statusCode, 201)
  })

  it('is one at a time, also of two at the same moment, and another tenant has its own', async () => {
    const both = await Promise.all([1, 2].map(() => world.as('ada').post(url, { reason })))
    assert.deepEqual(
      both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [201, 409],
    )
    const third = await world.as('ada').post(url, { reason })
    assert.deepEqual([third.statusCode, third.json().code], [409, 'export_in_progress'])
    const rival = ok(await world.as('rex').post(url, { reason }))
    await accepted(world.as('rex').delete(`${url}${rival.id}`))
  })

  it('can be deleted while it is made, and then its archive is nowhere', async () => {
    const { id }: Json = ok(await world.as('ada').post(url, { reason }))
    assert.equal((await world.as('ada').get(`${url}${id}/download`)).statusCode, 409)
    const { storage } = world.services
    const keep = storage.keep
    // At the last moment: the archive is stored, and the row says that it is deleted.
    storage.keep = async (...given) => {
      await keep.apply(storage, given)
      await accepted(world.as('ada').delete(`${url}${id}`))
    }
    try {
      await world.work()
    } finally {
      storage.keep = keep
    }
    assert.equal(ok(await world.as('ada').get(`${url}${id}`)).status, 'deleted')
    assert.equal((await world.as('ada').get(`${url}${id}/download`)).statusCode, 410)
    assert.equal((await world.as('ada').delete(`${url}${id}`)).statusCode, 409)
    assert.deepEqual(await archives(), await readyArchives())
  })

  it('is gone after seven days, with an entry, and the row stays', async () => {
    const id = await readyExport(world)
    world.clock.moved_ms = 7 * 86_400_000 - 60_000
    assert.equal((await world.round(expireExports)).done, 0)
    assert.equal((await world.as('ada').get(`${url}${id}/download`)).statusCode, 200)
    world.clock.moved_ms = 7 * 86_400_000 + 60_000
    const late = await world.as('ada').get(`${url}${id}/download`)
    assert.deepEqual([late.statusCode, late.json().code], [410, 'export_gone'])
    assert.ok((await world.round(expireExports)).done > 0)
    assert.equal(ok(await world.as('ada').get(`${url}${id}`)).status, 'expired')
    assert.deepEqual(await archives(), [])
    assert.equal((await entries('tenant_export.expired')).at(-1)!.username, 'system')
  })

  it('fails after all attempts, and another one can be asked for', async () => {
    const { id }: Json = ok(await world.as('ada').post(url, { reason }))
    const { storage } = world.services
    const keep = storage.keep
    storage.keep = async () => {
      throw new Error('the disk is full')
    }
    try {
      for (let attempt = 0; attempt < 4; attempt++) {
        await world.work({ mayFail: true })
        world.clock.moved_ms += 3_600_000
      }
    } finally {
      storage.keep = keep
    }
    assert.equal(ok(await world.as('ada').get(`${url}${id}`)).status, 'failed')
    assert.equal((await world.as('ada').get(`${url}${id}/download`)).json().code, 'export_failed')
    assert.deepEqual(await archives(), [])
    world.clock.moved_ms = 0
    ok(await world.as('ada').post(url, { reason }))
  })

  it('leaves no row to who has only the login of the service: none is ended twice, changed, or points elsewhere', async () => {
    const id = await readyExport(world)
    for (const [statement, code] of [
      [`update tenant_exports set status = 'in_progress' where id = ${id}`, 'QA002'],
      [`update tenant_exports set archive_size = 1 where id = ${id}`, 'QA002'],
      [`update tenant_exports set archive_key = 'export/3/x' where id = ${id}`, '42501'],
      [
        `insert into tenant_exports (reason, archive_key) values ('x', 'export/${world.people.rex!.tenant_id}/0bd3cf6c-6b34-4e07-8a51-8d0d8f9e6a11')`,
        '23514',
      ],
      [`delete from tenant_exports where id = ${id}`, '42501'],
    ] as const)
      await assert.rejects(
        world.database.transaction(
          { tenantId: world.people.ada!.tenant_id, userId: world.people.ada!.id },
          'read write',
          tx => sql.raw(statement).execute(tx),
        ),
        (error: { code?: string }) => error.code === code,
        statement,
      )
  })
})

const archives = async () => {
  const found: string[] = []
  for await (const { key } of world.services.storage.list('export/')) found.push(key)
  return found.sort()
}
const readyArchives = async () =>
  (await world.rows<{ archive_key: string }>(`select archive_key from tenant_exports where status = 'ready'`))
    .map(({ archive_key }) => archive_key)
    .sort()
