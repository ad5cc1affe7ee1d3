// Real processes, as an operator runs them: from the database of the test run into new embedded ones and back.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { sealNow } from '#modules/audit'
import { openAnchorFolder } from '#platform/anchors/folder.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { Database } from '#platform/db/database.ts'
import { migrate } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { papers } from '#test/builders/documents.ts'
import { addProviderRecords } from '#test/builders/provider-samples.ts'
import { openMachine } from '#test/builders/service-samples.ts'
import { type Browser, openBrowser } from '#test/builders/sessions.ts'
import {
  type Environment,
  type Installation,
  openInstallation,
  pictureOf,
  rowsOf,
  secret_key,
} from '#test/processes/backups.ts'
import { cloneDatabase, quiet, urlsOf } from '#test/world/postgres.ts'
import { password, pdf, type World } from '#test/world/world.ts'
import { measureLines, readLines } from './backup/files.ts'
import { type Manifest, tablePath, writeManifest } from './backup/manifest.ts'

describe('backup and restore (proves: OPS-01)', () => {
  let at: Installation
  let world: World
  let folder: string
  let source: Environment
  let made: string
  let browser: Browser
  let machine: Awaited<ReturnType<typeof openMachine>>
  const databases: Awaited<ReturnType<typeof cloneDatabase>>[] = []
  before(async () => {
    at = await openInstallation()
    ;({ world, folder, source } = at)
    browser = await openBrowser(world, 'uma')
    machine = await openMachine(world, { username: 'lims' })
    const [role] = await world.rows<{ id: string }>('select id from roles where tenant_id = $1 limit 1', [
      world.people.uma!.tenant_id,
    ])
    const { id: group } = (await world.as('ada').post('/api/groups/', { name: 'Single sign-on' })).json()
    await addProviderRecords(world, { word: 'kept', user: 'uma', role: Number(role!.id), group })
    made = await at.backUp('made')
  })
  after(async () => {
    for (const database of databases) await database.drop()
    await at.close()
  })

  const begin: Installation['begin'] = (words, environment) => at.begin(words, environment)
  const run: Installation['run'] = (words, environment) => at.run(words, environment)
  const backUp: Installation['backUp'] = (...asked) => at.backUp(...asked)
  /** A migrated database without records and an empty folder: a restore goes on there as it does once it has migrated an empty database. */
  async function newTarget() {
    const target = await cloneDatabase()
    databases.push(target)
    const environment = { DATA_DIR: mkdtempSync(join(folder, 'migrated-')), ...urlsOf(target) }
    return { target, environment, uploads: join(environment.DATA_DIR, 'uploads') }
  }
  const manifestOf = (from: string) => JSON.parse(readFileSync(join(from, 'manifest.json'), 'utf8')) as Manifest

  async function serve(environment: Environment) {
    const child = begin(['serve'], environment)
    const said: string[] = []
    for await (const line of createInterface(child.stdout)) {
      said.push(line)
      const address = /listening on (http:\S+),/.exec(line)?.[1]
      if (!address) continue
      child.stdout.resume()
      return {
        child,
        statusOf: async (headers: Record<string, string>) =>
          (await fetch(`${address}/api/auth/session`, { headers })).status,
        async call(path: string, name: string, init: RequestInit = {}) {
          const logIn = await fetch(`${address}/api/auth/token`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ username: name, password }),
          })
          const { access_token } = (await logIn.json()) as { access_token: string }
          const answer = await fetch(`${address}${path}`, {
            ...init,
            headers: { authorization: `Bearer ${access_token}` },
          })
          assert.ok(answer.ok, `${answer.status}: ${await answer.clone().text()}`)
          // biome-ignore lint/suspicious/noExplicitAny: the assertions are what checks it
          return (await answer.json()) as any
        },
      }
    }
    throw new Error(`it did not start: ${said.join('\n')}${await text(child.stderr)}`)
  }

  it('brings the same rows, guards and sequences into another database, as PostgreSQL itself sees them', async () => {
    const { target, environment, uploads } = await at.newTarget()
    const { code, out, err } = await run(['restore', '--from', made], environment)
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /The restore is complete\. Its rows and files are those of the backup/)
    // It may have been revoked since, and would be good again.
    const [key] = machine.keys
    assert.ok(out.includes(`The key ${key!.prefix} of the service account lims (acme) is good again.`), out)
    const [{ valid, voided }] = (await world.rows<{ valid: number; voided: number }>(
      `select count(*) filter (where v.signature_id is null)::int as valid, count(v.signature_id)::int as voided
       from signatures s left join signature_voids v on v.tenant_id = s.tenant_id and v.signature_id = s.id`,
    )) as [{ valid: number; voided: number }]
    assert.ok(voided > 0)
    assert.match(
      out,
      new RegExp(
        `^${valid} signatures are valid, and ${voided} are void and unaltered\\. [1-9]\\d* of them cover a file that two people removed, which was not compared$`,
        'm',
      ),
    )
    const expected = await pictureOf(world.postgres.superuser)
    assert.ok(Number(expected.rows.signatures?.split(' ')[0]) >= 10)
    const restored = await pictureOf(target.superuser)
    assert.match(String(expected.rows.login_attempts), /^[1-9]/)
    assert.match(String(restored.rows.login_attempts), /^0/, 'nobody goes on with a log-in that had begun')
    expected.rows.login_attempts = restored.rows.login_attempts!
    assert.match(String(expected.rows.backups), /^1 /, 'the backup is noted')
    assert.match(String(restored.rows.backups), /^0 /, 'and is not in itself')
    expected.rows.backups = restored.rows.backups!
    assert.deepEqual(restored, expected)
    const files = globSync('*/*/*', { cwd: join(world.folder, 'uploads') })
    assert.ok(files.length >= 8)
    assert.deepEqual(globSync('*/*/*', { cwd: uploads }).sort(), files.sort())
    const [attachment] = await world.rows<{ file_key: string }>('select file_key from attachments')
    assert.ok(files.includes(attachment!.file_key))
    for (const file of files)
      assert.deepEqual(readFileSync(join(uploads, file)), readFileSync(join(world.folder, 'uploads', file)))
    assert.deepEqual(
      readdirSync(uploads).filter(name => name.startsWith('.rest')),
      [],
    )
  })

  it('moves an installation to an embedded database and back, and the service works on it', async () => {
    const embedded = { DATA_DIR: join(folder, 'embedded') }
    assert.equal((await run(['restore', '--from', made], embedded)).code, 0)
    cpSync(join(world.folder, 'keys'), join(embedded.DATA_DIR, 'keys'), { recursive: true })
    const { child, call, statusOf } = await serve(embedded)
    const late = await openBrowser(world, 'uma')
    for (const headers of [
      { cookie: browser.cookie },
      { cookie: late.cookie },
      { authorization: `Bearer ${await world.tokenOf('ada')}` },
    ])
      assert.equal(
        await statusOf(headers),
        401,
        'a restore ends every session and token, of before and after the backup',
      )
    assert.equal(await browser.status(), 200)
    const byKey = { authorization: `Bearer ${machine.keys[0]!.api_key}` }
    assert.equal(await statusOf(byKey), 403, 'the key goes on, and may not read whose session it is')
    const refused = await run(['backup', '--to', join(folder, 'beside')], embedded)
    assert.equal(refused.code, 1)
    assert.match(refused.err, /The service is running on .*\. Stop it first/)
    assert.ok(!existsSync(join(folder, 'beside')))

    const trail = '/api/audit/?page_size=100&sort=id:asc'
    const before = (await world.as('ada').get(trail)).json()
    // The log-in that asks comes after all that there was.
    // An entry gets its place in the log where the service runs.
    const said = ({ items }: { items: { seq: number | null }[] }) => items.map(({ seq: _, ...entry }) => entry)
    assert.deepEqual(said(await call(trail, 'ada')).slice(0, before.items.length), said(before))
    assert.ok(before.items.length > 50)
    const { items: signatures } = await call('/api/signatures/?page_size=100', 'quinn')
    assert.ok(signatures.length >= 10)
    const statuses = new Set<string>()
    for (const { id } of signatures) {
      const { verification } = await call(`/api/signatures/${id}`, 'quinn')
      assert.ok(verification.valid || verification.status === 'void', verification.status)
      statuses.add(verification.status)
    }
    // Those of the files that two people removed are restored without them.
    assert.deepEqual([...statuses].sort(), ['content_removed', 'valid', 'void'])
    const { items: found } = await call('/api/search/?q=hygrometer&status=draft', 'quinn')
    assert.deepEqual(
      found.map(({ title }: { title: string }) => title),
      ['With a text'],
    )
    const { items: documents } = await call('/api/documents/?page_size=100&sort=id:desc', 'quinn')
    const newest = documents[0]
    const form = new FormData()
    form.set('title', 'Written after the restore')
    form.set('document_type', String(await world.typeId('SOP')))
    form.set('file', new Blob([new Uint8Array(pdf('after'))]), 'after.pdf')
    const next = await call('/api/documents/upload', 'alan', { method: 'POST', body: form })
    assert.ok(next.id > newest.id)
    assert.equal(
      Number(next.number.split('-')[1]),
      documents.filter((d: { number: string }) => d.number.startsWith('SOP')).length + 1,
    )
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'close'), [0, null])

    const again = await backUp('again', embedded)
    const { target, environment } = await newTarget()
    assert.equal((await run(['restore', '--from', again], environment)).code, 0)
    const titles = await rowsOf(
      target.superuser,
      `select title from document_versions where title like 'Written after%'`,
    )
    assert.deepEqual(titles, [{ title: 'Written after the restore' }])
    await backUp('back', environment)
    const tablesOf = (from: string) =>
      manifestOf(from).tables.filter(({ name }) => !name.startsWith('audit_') && name !== 'credentials')
    assert.deepEqual(tablesOf(join(folder, 'back')), tablesOf(again))
  })

  // proves: AUD-04
  it('lets the trail go on in an epoch of its own, so that nothing is ever signed in two ways', async () => {
    const { auditKey } = world.services
    const tenantId = world.people.ada!.tenant_id
    const signed = new Map<string, string>()
    const epochs = new Set<number>()
    /** Something happens, and is sealed; what was ever signed is remembered. */
    const goOn = async (login: pg.ClientConfig) => {
      const database = new Database(openPool(login, quiet))
      const entry = { username: 'ada', user_role: 'Admin', outcome: 'success', action: 'role.created' }
      const rest = { resource_type: 'role', resource_id: 1, request_id: '', client_addr: '', changes: '{}' }
      for (let n = 0; n < 3; n++) {
        await database.transaction({ tenantId, userId: null }, 'read write', tx =>
          tx
            .insertInto('audit_entries')
            .values({ ...entry, ...rest, reason: randomUUID() })
            .execute(),
        )
        await sealNow({ database, auditKey, previousAuditKey: undefined, anchors: [] }, tenantId)
      }
      const notes = await database.transaction({ tenantId, userId: null }, 'read only', tx =>
        tx.selectFrom('audit_checkpoints').select(['epoch', 'note']).execute(),
      )
      for (const { epoch, note } of notes) {
        const [origin, size, root] = note.split('\n')
        assert.equal(signed.get(`${origin} ${size}`) ?? root, root, `${origin} of ${size} leaves`)
        signed.set(`${origin} ${size}`, root!)
        epochs.add(epoch)
      }
      await database.close()
    }
    await goOn(world.postgres.app)
    const from = await backUp('old')
    await goOn(world.postgres.app)
    const anchors = mkdtempSync(join(folder, 'anchors-'))
    const [newest] = await world.rows<{ log_id: string; epoch: number; size: string; note: string }>(
      `select log_id, c.epoch, c.size, note from audit_checkpoints c join audit_logs using (tenant_id) where tenant_id = $1
       order by c.epoch desc, c.size desc limit 1`,
      [tenantId],
    )
    const { log_id, epoch, note } = newest!
    await openAnchorFolder(anchors).keep(log_id, { epoch, size: Number(newest!.size), note })
    for (const anchor of ['none', `folder:${anchors}`]) {
      const { target, environment } = await newTarget()
      const { code, err } = await run(['restore', '--from', from], { ...environment, AUDIT_ANCHOR: anchor })
      assert.deepEqual([code, err], [0, ''])
      await goOn(target.app)
      const [first] = await rowsOf<{ action: string; reason: string; anchored: object | null }>(
        target.superuser,
        `select e.action, e.reason, e.changes #> '{last_anchored,to}' as anchored from audit_leaves l join audit_entries e on e.id = l.entry_id join audit_epochs p on p.tenant_id = l.tenant_id
         and p.epoch = l.epoch and p.first_seq = l.seq where l.epoch > 1 and l.tenant_id = ${tenantId}`,
      )
      assert.equal(first!.action, 'audit.epoch_started')
      assert.match(first!.reason, /^Restored from the backup of 20/)
      const anchored = { epoch, root: note.split('\n')[2], size: Number(newest!.size) }
      assert.deepEqual(first!.anchored, anchor === 'none' ? null : anchored)
    }
    assert.equal(epochs.size, 3)
    assert.ok(signed.size >= 12)
  })

  it('refuses a backup of which anything was changed, before anything is written', async () => {
    const document = globSync('files/*/*/*', { cwd: made })[0]!
    const flip = (path: string) => {
      const bytes = readFileSync(path)
      bytes[bytes.length >> 1]! ^= 1
      writeFileSync(path, bytes)
    }
    const edit = (path: string, from: RegExp, to: string) => {
      const was = readFileSync(path, 'utf8')
      assert.match(was, from)
      writeFileSync(path, was.replace(from, to))
    }
    const changes: [string, RegExp, (copy: string) => void][] = [
      [
        'a byte of a table',
        /tables\/users\.jsonl differs from the recorded file/,
        copy => flip(tablePath(copy, 'users')),
      ],
      ['a row more', /tables\/roles\.jsonl has \d+ bytes/, copy => appendFileSync(tablePath(copy, 'roles'), '[]\n')],
      ['a table less', /tables\/signatures\.jsonl is missing/, copy => unlinkSync(tablePath(copy, 'signatures'))],
      ['a byte of a document', /the file \S+ differs from the recorded file/, copy => flip(join(copy, document))],
      ['a document less', /the file \S+ is missing/, copy => unlinkSync(join(copy, document))],
      [
        'the list of files',
        /files\.jsonl differs from the recorded file/,
        copy => edit(join(copy, 'files.jsonl'), /.*\n/, ''),
      ],
      [
        'a hash in the manifest',
        /manifest\.json was changed, or made with another SECRET_KEY/,
        copy => edit(join(copy, 'manifest.json'), /"sha256": "./, '"sha256": "g'),
      ],
      ['the manifest cut off', /not JSON/, copy => edit(join(copy, 'manifest.json'), /\}\s*$/, '')],
      ['no manifest', /has no manifest\.json/, copy => unlinkSync(join(copy, 'manifest.json'))],
    ]
    for (const [what, why, change] of changes) {
      const copy = join(folder, 'changed')
      cpSync(made, copy, { recursive: true })
      change(copy)
      const DATA_DIR = join(folder, 'untouched')
      const { code, err } = await run(['restore', '--from', copy], { DATA_DIR })
      assert.equal(code, 1, what)
      assert.match(err, why)
      assert.doesNotMatch(err, /^ +at /m, 'a sentence, not a traceback')
      assert.ok(!existsSync(DATA_DIR), `${what}: nothing is written`)
      rmSync(copy, { recursive: true })
    }
  })

  it('takes a backup made with another SECRET_KEY by the digest that was printed, and by no other', async () => {
    const to = join(folder, 'digest')
    const { out } = await run(['backup', '--to', to], source)
    const digest = /SHA-256 of manifest\.json: ([0-9a-f]{64})/.exec(out)![1]!
    const other = { SECRET_KEY: 'another-f0d1c2b3a495867718293a4b5c6d7e8f', DATA_DIR: join(folder, 'nowhere') }
    assert.equal((await run(['restore', '--check', '--from', to], other)).code, 1)
    assert.equal((await run(['restore', '--check', '--from', to, '--digest', digest], other)).code, 0)
    const wrong = digest.replace(/^./, digit => (digit === '0' ? '1' : '0'))
    assert.match((await run(['restore', '--check', '--from', to, '--digest', wrong], other)).err, /The SHA-256 of/)
    assert.ok(!existsSync(other.DATA_DIR), 'to check changes nothing')
  })

  it('finds by itself what hashes cannot: a signature or a reference that is wrong since before the backup', async () => {
    const { target, environment, uploads } = await newTarget()
    type Forgery = [table: string, why: RegExp, forge: (lines: string[]) => string[]]
    const ofSignatures: Forgery[] = [
      [
        'signatures',
        /Signature \d+ on SOP-\d+ \S+: The record differs from what was signed in signer_full_name/,
        lines =>
          lines.map((line, index) => (index === 2 ? line.replace(/(Petra|Quentin) Example/, 'Eve Example') : line)),
      ],
      [
        'deviations',
        /Signature \d+ on DEV-\S+: Changed since signing: title/,
        lines => lines.map(line => line.replace('Valve V-12 leaked', 'Nothing happened')),
      ],
      [
        'capa_actions',
        /Signature \d+ on CAPA-\S+: Changed since signing: actions/,
        lines => lines.map(line => line.replace('Qualification report 12', 'No report')),
      ],
    ]
    const ofReferences: Forgery[] = [['document_versions', /violates foreign key constraint/, lines => lines.slice(1)]]
    for (const forgeries of [ofSignatures, ofReferences]) {
      const copy = join(folder, 'forged')
      cpSync(made, copy, { recursive: true })
      const { seal: _, ...manifest } = manifestOf(copy) as Manifest & { seal: string }
      for (const [table, , forge] of forgeries) {
        const path = tablePath(copy, table)
        const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
        writeFileSync(path, `${forge(lines).join('\n')}\n`)
        const { lines: rows, ...measure } = await measureLines(readLines(path))
        manifest.tables = manifest.tables.map(each => (each.name === table ? { ...each, rows, ...measure } : each))
      }
      unlinkSync(join(copy, 'manifest.json'))
      await writeManifest(copy, manifest, deriveKeys({ secret_key }).backup)
      const { code, err } = await run(['restore', '--from', copy], environment)
      assert.equal(code, 1, forgeries.join())
      for (const [, why] of forgeries) assert.match(err, why)
      assert.deepEqual(await rowsOf(target.superuser, 'select id from audit_entries limit 1'), [])
      assert.deepEqual(existsSync(uploads) ? readdirSync(uploads) : [], [])
      rmSync(copy, { recursive: true })
    }
    assert.equal((await run(['restore', '--from', made], environment)).code, 0, 'the good one fits all the same')
  })

  it('restores into an empty installation alone, and writes over nothing', async () => {
    const { environment, uploads } = await newTarget()
    mkdirSync(join(uploads, '2'), { recursive: true })
    assert.match((await run(['restore', '--from', made], environment)).err, /uploads is not empty/)
    rmSync(uploads, { recursive: true })
    const elsewhere = { ...source, DATA_DIR: environment.DATA_DIR }
    assert.match((await run(['restore', '--from', made], elsewhere)).err, /The database is not empty \(\w+ has rows\)/)
    assert.match((await run(['backup', '--to', made], source)).err, /made is not empty\n/)
    const { DATABASE_URL } = source
    assert.match(
      (await run(['backup', '--to', join(folder, 'no')], { DATA_DIR: world.folder, DATABASE_URL: DATABASE_URL! })).err,
      /MIGRATION_DATABASE_URL is not set/,
    )
    assert.match(
      (await run(['backup', '--to', join(folder, 'no')], { DATA_DIR: folder })).err,
      /There is no database in/,
    )
    assert.ok(!existsSync(join(folder, 'no')))
  })

  it('names a file that is missing or damaged, and leaves no backup that lacks it', async () => {
    const uploads = join(world.folder, 'uploads')
    const path = join(uploads, globSync('*/*/*', { cwd: uploads })[0]!)
    const bytes = readFileSync(path)
    for (const harm of [() => unlinkSync(path), () => writeFileSync(path, Buffer.alloc(bytes.length))]) {
      harm()
      const to = join(folder, 'harmed')
      const { code, err } = await run(['backup', '--to', to], source)
      writeFileSync(path, bytes)
      assert.equal(code, 1)
      assert.match(err, /the file \S+ (is missing from the storage|differs from the recorded file)/)
      assert.deepEqual(readdirSync(to), [])
    }
  })

  it('brings back the installation that it was, with its keys if told, or makes a copy that is another, with keys of its own', async () => {
    assert.deepEqual(globSync('**/*.pem', { cwd: made }), [])
    const text = globSync('**/*', { cwd: made }).filter(path => statSync(join(made, path)).isFile())
    for (const path of text) assert.ok(!readFileSync(join(made, path)).includes(secret_key), path)

    assert.equal((await run(['signing-key', 'list'], source)).code, 0, 'the first start gives it an identity')
    const from = await backUp('identified', source, '--include-keys')
    const idIn = async (database: pg.ClientConfig) =>
      (await rowsOf<{ id: string }>(database, 'select id from installation')).map(({ id }) => id).join()
    const original = await idIn(world.postgres.superuser)
    const same = await newTarget()
    const keys = join(same.environment.DATA_DIR, 'keys')
    mkdirSync(keys)
    const key = join(keys, 'signature.pem')
    writeFileSync(key, 'another')
    assert.match((await run(['restore', '--from', from], same.environment)).err, /differs from the key of the backup/)
    rmSync(keys, { recursive: true })
    assert.equal((await run(['restore', '--from', from], same.environment)).code, 0)
    assert.deepEqual(readFileSync(key), readFileSync(join(world.folder, 'keys/signature.pem')))
    assert.equal(statSync(key).mode & 0o077, 0)
    assert.equal(await idIn(same.target.superuser), original)
    assert.equal((await run(['signing-key', 'list'], same.environment)).code, 0)

    const copy = await newTarget()
    const atSame = { ...copy.environment, UPLOAD_DIR: same.uploads }
    for (const name of readdirSync(same.uploads).filter(each => !each.endsWith('.json')))
      rmSync(join(same.uploads, name), { recursive: true })
    const refused = await run(['restore', '--from', from, '--new-identity'], atSame)
    assert.match(
      refused.err,
      new RegExp(`uploads belongs to the installation ${original}, and the restored one becomes another`),
    )
    const another = await run(['restore', '--from', from, '--new-identity'], copy.environment)
    assert.deepEqual([another.code, another.err], [0, ''])
    assert.match(another.out, /run installation new-keys, then start/)
    const id = await idIn(copy.target.superuser)
    assert.notEqual(id, original)
    assert.deepEqual(globSync('**/*.pem', { cwd: copy.environment.DATA_DIR }), [])
    assert.match(
      (await run(['signing-key', 'list'], copy.environment)).err,
      /has no signing key and no key of the audit/,
    )
    assert.equal((await run(['installation', 'new-keys'], copy.environment)).code, 0)
    const { code, out } = await run(['doctor'], copy.environment)
    assert.deepEqual([code, out.includes(`belong to ${id}\n`)], [0, true], out)
  })

  it('brings an older backup up to this program', async () => {
    // It lacks every table that a restore reads only where it exists, such as those of API keys and removed files.
    const last = '0009_signatures.sql'
    const old = await at.newTarget()
    await migrate(old.target.owner, quiet, undefined, last)
    await rowsOf(
      old.target.superuser,
      `set session_replication_role = replica; insert into tenants (slug, name) values ('old', 'Old')`,
    )
    const from = await backUp(`old-${last}`, old.environment)
    assert.deepEqual(manifestOf(from).migrations.at(-1)!.name, last)
    const { target, environment } = await at.newTarget()
    const { code, err } = await run(['restore', '--from', from], environment)
    assert.deepEqual([code, err], [0, ''])
    assert.deepEqual(await rowsOf(target.superuser, 'select slug from tenants order by id'), [
      { slug: 'platform' },
      { slug: 'old' },
    ])
    assert.match((await run(['doctor'], environment)).out, /migrations: all are applied/)
  })

  it('is of one moment, whatever is written meanwhile', async () => {
    const { upload, submitted } = papers(world)
    const counts = { begun: 0, ended: 0 }
    let isOver = false
    const write = async () => {
      while (!isOver) {
        counts.begun += 1
        await (counts.begun % 2 ? upload({ title: `Meanwhile ${counts.begun}` }) : submitted())
        counts.ended += 1
      }
    }
    const documents = async () => Number((await world.rows<{ n: string }>('select count(*) as n from documents'))[0]!.n)
    const writers = [write(), write()]
    while (counts.ended < 4) await setTimeout(5)
    const least = await documents()
    const from = await backUp('meanwhile')
    const most = await documents()
    isOver = true
    await Promise.all(writers)
    assert.ok(most > least, 'something was written meanwhile')

    const { target, environment } = await newTarget()
    const { code, err } = await run(['restore', '--from', from], environment)
    assert.deepEqual([code, err], [0, ''])
    const restored = await rowsOf<{ n: string }>(target.superuser, 'select count(*) as n from documents')
    assert.ok(Number(restored[0]!.n) >= least && Number(restored[0]!.n) <= most)
    // All changes of a transaction are present: the condition of the audit guard, checked for every row.
    for (const [what, question] of [
      [
        'a document without its entry',
        `select id from documents d where not exists (select from audit_entries where action = 'document.created' and resource_id = d.id)`,
      ],
      [
        'an entry without its document',
        `select id from audit_entries a where action = 'document.created' and not exists (select from documents where id = a.resource_id)`,
      ],
      [
        'a document without its version',
        'select id from documents d where not exists (select from document_versions where document_id = d.id)',
      ],
      [
        'a number that was not counted',
        `select name from counters c where last <> (select count(*) from documents d where d.tenant_id = c.tenant_id and d.number like c.name || '-%') and name ~ '^[A-Z]+$'`,
      ],
    ] as const)
      assert.deepEqual(await rowsOf(target.superuser, question), [], what)
  })
})
