// A company leaves one installation with its export and comes into another, where everything of it is as it was.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { createUser, systemActor } from '#modules/accounts'
import { sealNow } from '#modules/audit'
import { projections } from '#modules/projections'
import { findRoleByName } from '#modules/roles'
import { listImportedKeys, listSigningKeys, readTrustedKeys } from '#modules/signatures'
import { writeFolder } from '#modules/tenant-exports'
import { readConfig } from '#platform/config.ts'
import { issueToken } from '#platform/crypto/jwt.ts'
import { withImportedKeys } from '#platform/crypto/key-succession.ts'
import { openSigningKey, type SigningKey } from '#platform/crypto/signing-key.ts'
import { createLog } from '#platform/log/log.ts'
import { addRecords, type Records, sampleRequest } from '#test/builders/samples.ts'
import { openCommands } from '#test/processes/commands.ts'
import { environmentOfPrograms } from '#test/world/environment.ts'
import { cloneDatabase, urlsOf } from '#test/world/postgres.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { openService, type Service } from '../src/commands/service.ts'
import { signedManifest } from '../src/modules/audit/export/bundle-format.ts'
import { keyId } from '../src/modules/audit/log/note.ts'
import { writeTables } from '../src/modules/tenant-exports/tables.ts'

/** Everybody of the company that moves is known to have this text in what they wrote, and nobody of the other has. */
const word = 'canaryofrival'
const root = mkdtempSync(join(tmpdir(), 'attest-moving-'))
const exported = join(root, 'export')

/** What GET answers differently after a move, and why. What is not here is the same, to the byte. */
const differs: Record<string, string> = {
  '/api/users/': 'locks are those of an installation',
  '/api/users/access-review': 'second factors and passkeys are those of an installation',
  '/api/users/:id/passkeys': 'a passkey is bound to the address of an installation',
  '/api/auth/passkeys/': 'the same',
  '/api/settings/': 'how many people have a second factor',
  '/api/set-up/': 'whether log-in by a provider is set up',
  '/api/auth/sessions/': 'sessions are those of an installation',
  '/api/service-accounts/': 'programs get new keys',
  '/api/service-accounts/:id': 'the same',
  '/api/service-accounts/:id/keys': 'the same',
  '/api/identity-providers/': 'the secret stays behind, and the provider is off until it knows the other address',
  '/api/identity-providers/:id': 'the same',
  '/api/sso-domains/': 'a domain is proven to each installation',
  '/api/documents/:id': 'when the text of a file was read',
  '/api/documents/:id/versions': 'the same',
  '/api/notifications/': 'a link to a passkey leads nowhere',
  '/api/uploads/:id': 'files that no record names yet',
  '/api/search/': 'which models an installation has',
  '/api/audit/': 'the trail has gone on: compared below',
  '/api/audit/verify': 'the same',
  '/api/audit/checkpoint': 'the same',
  '/api/audit/:id/proof': 'the same',
  '/api/jobs/': 'work of an installation',
  '/api/jobs/:id': 'the same',
  '/api/mails/': 'what was handed to the mail server of an installation',
  '/api/tenant-exports/': 'archives of an installation',
  '/api/tenant-exports/:id': 'the same',
  '/api/tenant-exports/:id/download': 'the same',
}
/** Says the moment at which it was printed; what it is printed from is compared. */
const isPaper = (url: string) => /\/(dossier|record\.pdf|export|text)$/.test(url)

/** The files of a second export that are not those of the first, and why. All files of records and all other tables are. */
const grows: Record<string, string> = {
  'tables/audit_checkpoints.jsonl': 'the trail has gone on',
  'tables/audit_entries.jsonl': 'the trail has gone on',
  'tables/audit_epochs.jsonl': 'the trail has gone on',
  'tables/audit_leaves.jsonl': 'the trail has gone on',
  'tables/audit_logs.jsonl': 'the trail has gone on',
  'tables/notifications.jsonl': 'the Admins hear of the second export',
  'tables/signing_keys.jsonl': 'has the key of the second installation too',
  'tables/audit_keys.jsonl': 'has the key of the second installation too',
  'tables/imported_signing_keys.jsonl': 'the second installation vouches for the keys of the first',
  'tables/tables.json': 'names the keys in use',
  'keys.json': 'has the key of the second installation too',
  'signatures.jsonl': 'says when each was verified',
  'audit/trail.zip': 'the trail has gone on',
  'records/documents.jsonl': 'when the text of a file was read',
  'records/users.jsonl': 'locks are those of an installation',
  'records/service_accounts.jsonl': 'programs get new keys',
  'records/identity_providers.jsonl': 'a provider is off until it knows the other address',
  'records/settings.jsonl': 'how many people have a second factor',
  'README.md': 'says when it was made',
  SHA256SUMS: 'has the hashes of these',
}
/** Made of the records, for reading. */
const isForReading = (path: string) => /^(csv|pages)\/|^index\.html$/.test(path)

interface Target {
  env: Record<string, string>
  owner: pg.Client
  folder: string
  close(): Promise<void>
}
async function openTarget(): Promise<Target> {
  const database = await cloneDatabase()
  const owner = new pg.Client(database.superuser)
  await owner.connect()
  const folder = mkdtempSync(join(root, 'target-'))
  const env = {
    ...{ SECRET_KEY: '9c1e5b39d2f04a687b61ce02aa17d5f3', DATA_DIR: folder, PUBLIC_URL: 'https://other.example' },
    ...{ PORT: '0', RATE_LIMITS: 'off', ...urlsOf(database) },
  }
  return {
    ...{ env, owner, folder },
    async close() {
      await owner.end()
      await database.drop()
    },
  }
}

const commands = openCommands()

/** What the command prints, and what it refuses with. A bug would show its traceback. */
async function bring({ env }: Target, from: string, ...more: string[]) {
  const { code, out, err } = await commands.run(['tenant', 'import', '--from', from, ...more], env)
  assert.doesNotMatch(err, /^ +at /m, err)
  return { code, said: out, refused: err }
}

/** The process of the command is killed as it prints a line that matches, or as soon as `isTime`. */
async function killAt({ env }: Target, words: readonly string[], how: { line: RegExp } | { isTime: () => boolean }) {
  const at = 'line' in how ? ['--import', resolve(import.meta.dirname, 'support/processes/kill-at.ts')] : []
  const child = spawn(process.execPath, [...at, resolve(import.meta.dirname, '../src/main.ts'), ...words], {
    env: { ...environmentOfPrograms(), ...env, ...('line' in how && { KILL_AT: how.line.source }) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const watch = 'isTime' in how && setInterval(() => how.isTime() && child.kill('SIGKILL'), 1)
  const [code, signal] = await ended
  if (watch) clearInterval(watch)
  assert.equal(signal, 'SIGKILL', `it ended by itself, with ${code}`)
}

/** What doctor finds wrong. */
async function examine({ env }: Target) {
  const { code, out, err } = await commands.run(['doctor', '--deep', '--files', 'all'], env)
  assert.equal(err, '', out)
  return { code, said: out, failed: out.split('\n').filter(line => line.startsWith('FAIL')) }
}

const digestOf = (folder: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'manifest.json')))
    .digest('hex')

const listedIn = (folder: string) => {
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    files: { path: string; sha256: string }[]
  }
  return new Map(files.map(({ path, sha256 }) => [path, sha256]))
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function rewrite(folder: string, path: string, change: (text: string) => string) {
  const before = readFileSync(join(folder, path), 'utf8')
  const after = change(before)
  assert.notEqual(after, before, `${path} was not changed`)
  writeFileSync(join(folder, path), after)
}

const written = async ({ owner }: Target) => {
  const { rows } =
    await owner.query(`select (select count(*)::int from tenants) as tenants, (select count(*)::int from users) as users,
    (select count(*)::int from audit_entries where tenant_id > 1) as entries, (select count(*)::int from signing_keys) as keys`)
  return rows[0]
}

describe('a company that moves to another installation (proves: EXIT-01)', () => {
  let world: World
  let records: Records
  let tenantId: number
  let target: Target
  /** Where nothing may be written. */
  let empty: Target
  let moved: Service
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    records = await addRecords(world, word)
    tenantId = world.people.rex!.tenant_id
    // A hash that the samples put in the place of a tile, which takes 256 entries.
    await world.superuser.query(`alter table audit_tiles disable trigger append_only;
      delete from audit_tiles where level = 7; alter table audit_tiles enable always trigger append_only`)
    await world.work()
    await world.seal()
    const { signal } = new AbortController()
    mkdirSync(exported)
    await writeFolder(world.services, tenantId, { folder: exported, reason: 'it moves', signal })
    target = await openTarget()
    empty = await openTarget()
  })
  after(async () => {
    await commands.close()
    await moved?.close()
    await target?.close()
    await empty?.close()
    await world.close()
    rmSync(root, { recursive: true })
  })

  /** As a person of the company, in the other installation. */
  const as = (name: string) => {
    const send = async (method: 'GET' | 'POST', url: string, payload?: object | Buffer, headers: object = {}) => {
      const { id } = world.people[name]!
      const now = new Date()
      const claims = {
        sub: String(id),
        tid: tenantId,
        auth_time: Math.floor(now.getTime() / 1000),
        amr: ['pwd'],
        ver: 1,
      }
      const token = await issueToken(moved.services.keys.jwt, claims, { lifetime_seconds: 28_800, now })
      const authorization = `Bearer ${token}`
      return moved.server.inject({ method, url, headers: { authorization, ...headers }, ...(payload && { payload }) })
    }
    return {
      get: (url: string) => send('GET', url),
      post: (url: string, body: object) => send('POST', url, body),
      async upload(url: string, fields: Record<string, string>) {
        const form = new FormData()
        for (const [field, value] of Object.entries(fields)) form.append(field, value)
        form.append('file', new Blob([new Uint8Array(pdf('of the other installation'))]), 'procedure.pdf')
        const encoded = new Response(form)
        return send('POST', url, Buffer.from(await encoded.arrayBuffer()), {
          'content-type': encoded.headers.get('content-type')!,
        })
      },
    }
  }

  /** A copy of the export with a change, and a manifest that matches it: signed by this key, and named as the key in use if asked for. */
  async function forge(
    change: (folder: string) => void,
    { by, isNamed = false }: { by: SigningKey; isNamed?: boolean },
  ) {
    const folder = mkdtempSync(join(root, 'forged-'))
    cpSync(exported, folder, { recursive: true })
    change(folder)
    if (isNamed)
      rewrite(folder, 'tables/tables.json', text => {
        const list = JSON.parse(text)
        list.keys.audit = { key_id: by.key_id, public_key: by.public_key }
        return JSON.stringify(list)
      })
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    for (const file of manifest.files) {
      if (!existsSync(join(folder, file.path))) continue
      const bytes = readFileSync(join(folder, file.path))
      file.size = bytes.length
      file.sha256 = sha256(bytes)
    }
    const text = JSON.stringify(manifest)
    writeFileSync(join(folder, 'manifest.json'), text)
    const { origin } = manifest.audit_trail
    const id = keyId(origin, Buffer.from(by.public_key, 'base64'))
    writeFileSync(
      join(folder, 'manifest.sig'),
      signedManifest(`attest-tenant-1\n${sha256(Buffer.from(text))}\n`, origin, id, by),
    )
    return folder
  }
  /** With --check no start is repeated. */
  const refusalOf = async (folder: string, how: readonly string[] = ['--check']) => {
    const { code, refused } = await bring(empty, folder, ...how)
    assert.equal(code, 1, refused)
    return refused.trim()
  }

  it('is refused where one value was changed, whoever signed the manifest again', async () => {
    const stranger = await openSigningKey(mkdtempSync(join(root, 'keys-')), 'audit')
    const insider = world.services.auditKey
    const signed = (folder: string) =>
      rewrite(folder, 'tables/signatures.jsonl', text => text.replace(/"intent":"[^"]*"/, '"intent":"something else"'))
    const entry = (folder: string) =>
      rewrite(folder, 'tables/audit_entries.jsonl', text => text.replace(/"user_role":"[^"]*"/, '"user_role":"Nobody"'))
    const file = (folder: string) => {
      const version = JSON.parse(readFileSync(join(folder, 'tables/document_versions.jsonl'), 'utf8').split('\n')[0]!)
      writeFileSync(join(folder, 'files', version.sha256), 'other bytes')
    }
    const itsOwn = await forge(() => {}, { by: stranger, isNamed: true })
    assert.match(await refusalOf(await forge(signed, { by: stranger })), /not signed by the key of the audit trail/)
    assert.match(await refusalOf(itsOwn, ['--digest', digestOf(itsOwn)]), /is not signed by a key of this trail/)
    assert.match(await refusalOf(await forge(signed, { by: insider })), /Signature \d+ on .*/)
    assert.match(
      await refusalOf(await forge(entry, { by: insider })),
      /Entry \d+: This entry does not match its hashed text/,
    )
    assert.match(await refusalOf(await forge(file, { by: insider })), /Signature \d+ on .*/)
    // Without a new manifest.
    const torn = mkdtempSync(join(root, 'torn-'))
    cpSync(exported, torn, { recursive: true })
    file(torn)
    assert.match(await refusalOf(torn), /^files\/[0-9a-f]{64} is not what the manifest says/)
    rmSync(join(torn, 'files'), { recursive: true })
    assert.match(await refusalOf(torn), /is missing$/)
    assert.match((await bring(empty, torn, '--digest', '0'.repeat(64))).refused, /this is another export/)
  })

  it('is refused with rows of another company, columns that nobody decided about, and tables of another release', async () => {
    const by = world.services.auditKey
    const other = (folder: string) =>
      rewrite(folder, 'tables/groups.jsonl', text => text.replace(/"tenant_id":"\d+"/, '"tenant_id":"1"'))
    const column = (folder: string) =>
      rewrite(folder, 'tables/credentials.jsonl', text => text.replace('{', '{"password_hash":"$argon2id$x",'))
    const release = (folder: string) =>
      rewrite(folder, 'tables/tables.json', text =>
        text.replace(/"schema_sha256": ?"./, '"schema_sha256":"'.concat('x')),
      )
    const older = (folder: string) =>
      rewrite(folder, 'tables/tables.json', text => {
        const list = JSON.parse(text)
        return JSON.stringify({ ...list, last_migration: '0001_foundation.sql', schema_sha256: '0'.repeat(64) })
      })
    const fewer = (folder: string) => rewrite(folder, 'tables/groups.jsonl', text => text.slice(text.indexOf('\n') + 1))
    assert.match(
      await refusalOf(await forge(other, { by })),
      /tables\/groups\.jsonl, line 1, is no row of this company/,
    )
    assert.match(await refusalOf(await forge(column, { by })), /tables\/credentials\.jsonl, line 1, is no row/)
    assert.match(await refusalOf(await forge(release, { by })), /does not list the tables and columns/)
    assert.match(await refusalOf(await forge(older, { by })), /last migration is 0001_foundation\.sql/)
    assert.match(await refusalOf(await forge(fewer, { by })), /rows, and \d+ are listed/)
  })

  it('is checked without anything being written, and refused by name where something is taken', async () => {
    const digest = digestOf(exported)
    assert.match((await bring(empty, exported)).refused, /--digest is needed/)
    const checked = await bring(empty, exported, '--check')
    assert.equal(checked.code, 0, checked.refused)
    assert.match(checked.said, /Nothing was written/)
    // A store that takes nothing, as one that is full.
    writeFileSync(join(empty.folder, 'uploads', String(tenantId)), '')
    const stopped = await bring(empty, exported, '--digest', digest)
    assert.match(stopped.said, /another import goes on with them/)
    assert.equal(stopped.code, 1)
    assert.deepEqual(await written(empty), { tenants: 1, entries: 0, users: 0, keys: 1 })

    await empty.owner.query(`begin; set local session_replication_role = replica;
      insert into tenants (id, slug, name) values (900, 'rival', 'Other');
      insert into roles (tenant_id, name, description, is_system, granted, denied) values (900, 'R', '', false, '{}', '{}');
      insert into users (tenant_id, username, email, full_name, role_id) values (900, 'REX', 'else@example.com', 'Another Rex', 1);
      insert into groups (tenant_id, id, name, description, group_type) overriding system value
        values (900, (${records.rival.group}), 'G', '', 'department'); commit`)
    const refused = (await bring(empty, exported, '--digest', digest)).refused
    assert.match(refused, /short name rival is here already/)
    assert.match(refused, /user names or addresses are taken here: REX/)
    assert.match(refused, /table groups has rows with these ids already: \d+/)
    await empty.owner.query(
      'begin; set local session_replication_role = replica; update tenants set id = $1 where id = 900; commit'.replace(
        '$1',
        String(tenantId),
      ),
    )
    assert.match(
      (await bring(empty, exported, '--digest', digest)).refused,
      /A company with the id \d+ is here already/,
    )
  })

  it('comes in whole, and every record answers as before but for what belongs to an installation', async () => {
    const done = await bring(target, exported, '--digest', digestOf(exported))
    assert.equal(done.code, 0, done.refused)
    assert.match(done.said, /All \d+ signatures verify/)
    moved = await openService(readConfig(target.env), createLog({ format: 'json', level: 'error', write() {} }))
    for (const schedule of moved.schedules.filter(({ name }) => name === 'queue.recovery'))
      await schedule.round(moved.services, new AbortController().signal)
    await moved.background.runPending(0)

    const mine: Records = { acme: records.rival, rival: records.acme }
    const found: string[] = []
    let same = 0
    for (const route of world.app.routes) {
      const { method, url, action } = route
      if (method !== 'GET' || action.kind === 'open' || action.permission.startsWith('platform.') || isPaper(url))
        continue
      const { path, query = {} } = sampleRequest(route, mine)
      const asked = `${path}?${new URLSearchParams(query as Record<string, string>).toString()}`
      const [here, there] = [await world.as('rex').get(asked), await as('rex').get(asked)]
      const steady = (body: string) => body.replace(/"(verified_at|made_at)":"[^"]*"/g, '')
      if (here.statusCode === there.statusCode && steady(here.body) === steady(there.body)) same += 1
      else found.push(url)
    }
    assert.deepEqual(
      found.filter(url => !differs[url]),
      [],
    )
    assert.ok(same > 60, `${same} are the same`)
    const document = async (name: 'source' | 'target') => {
      const url = `/api/documents/${records.rival.document}`
      const { content, ...rest } = (
        name === 'source' ? await world.as('rex').get(url) : await as('rex').get(url)
      ).json()
      return { ...rest, status: content.status, pages: content.pages }
    }
    assert.deepEqual(await document('target'), await document('source'))
  })

  it('exports the same again, but for what is listed', async () => {
    const again = join(root, 'again')
    mkdirSync(again)
    await writeFolder(moved.services, tenantId, {
      folder: again,
      reason: 'it moves',
      signal: new AbortController().signal,
    })
    const [first, second] = [listedIn(exported), listedIn(again)]
    const changed = [...new Set([...first.keys(), ...second.keys()])].filter(
      path => first.get(path) !== second.get(path),
    )
    assert.deepEqual(
      changed.filter(path => !grows[path] && !isForReading(path)),
      [],
    )
    const [before, after] = [exported, again].map(folder =>
      readFileSync(join(folder, 'tables/audit_entries.jsonl'), 'utf8').split('\n').filter(Boolean),
    )
    assert.deepEqual(after!.slice(0, before!.length), before, 'every entry of the first installation, as it was')
  })

  it('has one trail through both installations, and every signature valid in both', async () => {
    await sealNow(moved.services, tenantId)
    const { valid, failures, checked } = (await as('rex').get('/api/audit/verify')).json()
    assert.deepEqual([valid, failures, checked.epochs], [true, [], 2])
    const { rows } = await target.owner.query(
      `select action, reason, changes from audit_entries e join audit_leaves l on l.tenant_id = e.tenant_id and l.entry_id = e.id
        where e.tenant_id = $1 and l.epoch > 1 order by seq limit 3`,
      [tenantId],
    )
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['audit.epoch_started', 'audit.key_rotated', 'tenant.imported'],
    )
    const [start] = rows
    const { root: last, size } = JSON.parse(readFileSync(join(exported, 'manifest.json'), 'utf8')).audit_trail
    assert.ok(start.reason.includes(digestOf(exported)))
    assert.deepEqual(start.changes.last_anchored.to, { epoch: 1, root: last, size })
    const { items } = (await as('rex').get('/api/signatures/?page_size=100')).json()
    assert.ok(items.length > 5)
    for (const { id } of items) {
      const [here, there] = [
        await world.as('rex').get(`/api/signatures/${id}`),
        await as('rex').get(`/api/signatures/${id}`),
      ]
      const verifications = [here, there].map(({ body }) => ({ ...JSON.parse(body).verification, verified_at: null }))
      assert.deepEqual(verifications[1], verifications[0])
      assert.ok(['valid', 'void', 'superseded'].includes(verifications[1].status), JSON.stringify(verifications[1]))
    }
    const platform = await target.owner.query(
      `select resource_id from audit_entries where tenant_id = 1 and action = 'tenant.imported'`,
    )
    assert.deepEqual(
      platform.rows.map(({ resource_id }) => Number(resource_id)),
      [tenantId],
    )
  })

  it('trusts the keys of its past for this company alone', async () => {
    const { signingKey, database } = moved.services
    const source = world.services.signingKey.public_key
    const trusted = (tenant: number | null) =>
      database.transaction({ tenantId: tenant, userId: null }, 'read only', tx => readTrustedKeys(tx, [signingKey]))
    assert.ok((await trusted(tenantId)).has(source))
    for (const other of [null, 1, tenantId + 1]) assert.deepEqual([...(await trusted(other))], [signingKey.public_key])
    // Nor does the row count for another company, should somebody copy it.
    const copied = await database.transaction({ tenantId, userId: null }, 'read only', listImportedKeys)
    const of = (tenant: number) =>
      withImportedKeys(
        new Set([signingKey.public_key]),
        copied.map(key => ({ ...key, tenant: String(tenant) })),
      )
    assert.ok(of(tenantId).has(source) && !of(tenantId + 1).has(source))
    assert.deepEqual(
      (await database.transaction({ tenantId: 1, userId: null }, 'read only', listSigningKeys)).map(
        ({ key_id }) => key_id,
      ),
      [signingKey.key_id],
    )
  })

  it('goes on working: people come in, make, sign and seal', async () => {
    const { runner } = moved.services
    const origin = { requestId: '', clientAddr: '' }
    const system = systemActor(tenantId)
    const role = await moved.services.database.transaction(system, 'read only', tx => findRoleByName(tx, 'Admin'))
    const body = {
      username: 'nora',
      email: 'nora@example.com',
      full_name: 'Nora Example',
      password: 'Correct horse 2 battery',
      must_change_password: false,
      role_id: role!.id,
    }
    await runner.run(createUser, system, { body } as never, { origin })
    const logIn = (username: string, secret: string) =>
      moved.server.inject({ method: 'POST', url: '/api/auth/token', payload: { username, password: secret } })
    assert.equal((await logIn('nora', 'Correct horse 2 battery')).statusCode, 200)
    assert.equal((await logIn('rex', password)).statusCode, 401, 'a password does not travel')
    const fields = { title: 'Made after the move', document_type: String(records.rival.document_type) }
    const uploaded = await as('rob').upload('/api/documents/upload', fields)
    assert.equal(uploaded.statusCode, 201, uploaded.body)
    const { id } = uploaded.json()
    const signed = await as('rob').post('/api/signatures/', {
      document_id: id,
      signature_type: 'authorship',
      intent: 'made here',
    })
    assert.equal(signed.statusCode, 201, signed.body)
    const verified = (await as('rex').get(`/api/signatures/${signed.json().id}`)).json().verification
    assert.equal(verified.valid, true, JSON.stringify(verified))
    await sealNow(moved.services, tenantId)
    const { valid, failures } = (await as('rex').get('/api/audit/verify')).json()
    assert.deepEqual([valid, failures], [true, []])
    await moved.services.database.transaction(system, 'read only', async tx => {
      for (const projection of projections) assert.deepEqual(await projection.findDrift(tx), [], projection.name)
    })
  })

  it('is found clean by doctor --deep, with every file, signature and entry', async () => {
    const { code, said, failed } = await examine(target)
    assert.deepEqual([code, failed], [0, []], said)
  })

  it('moves on from there, through imports that are killed: nothing half-done stays, and the next one goes on', async () => {
    const onward = join(root, 'onward')
    mkdirSync(onward)
    const { signal } = new AbortController()
    await writeFolder(moved.services, tenantId, { folder: onward, reason: 'it moves on', signal })
    const third = await openTarget()
    try {
      const words = ['tenant', 'import', '--from', onward, '--digest', digestOf(onward)]
      const uploads = join(third.folder, 'uploads', String(tenantId))
      const copied = () => (existsSync(uploads) ? readdirSync(uploads, { recursive: true }).length : 0)
      // While rows are loaded, and while files are copied.
      for (const how of [{ line: /^documents: / }, { isTime: () => copied() > 2 }]) {
        await killAt(third, words, how)
        assert.deepEqual(await written(third), { tenants: 1, entries: 0, users: 0, keys: 1 })
      }
      assert.ok(copied() > 2, 'files without a record')
      // The next one goes on with them. It is killed when it has committed.
      await killAt(third, words, { line: /^rival is here/ })
      assert.match((await bring(third, onward, '--digest', digestOf(onward))).refused, /is here already/)

      const { code, said, failed } = await examine(third)
      assert.deepEqual([code, failed], [0, []], said)
      const { rows } = await third.owner.query(
        `select (select count(*)::int from audit_epochs where tenant_id = $1) as epochs,
          (select array_agg(distinct k.key_id) from imported_signing_keys k where tenant_id = $1) as key_ids,
          (select count(*)::int from signatures where tenant_id = $1) as signatures,
          (select count(*)::int from document_versions where tenant_id = $1 and title = 'Made after the move') as made`,
        [tenantId],
      )
      const [{ key_ids, ...counts }] = rows
      const here = await target.owner.query('select count(*)::int as n from signatures where tenant_id = $1', [
        tenantId,
      ])
      assert.deepEqual([counts.epochs, counts.made, counts.signatures], [3, 1, here.rows[0].n])
      // Signatures of both installations before count here, by the keys of both.
      for (const { key_id } of [world.services.signingKey, moved.services.signingKey])
        assert.ok(key_ids.includes(key_id), key_id)
    } finally {
      await third.close()
    }
  })

  it('takes no row of another company with it, and none of the platform', async () => {
    const acme = world.people.ada!.tenant_id
    const files = new Map<string, string>()
    await world.services.database.transaction({ tenantId: acme, userId: null }, 'snapshot', tx =>
      writeTables(
        tx,
        {
          async add(path, content) {
            const pieces: Uint8Array[] = []
            for await (const piece of content) pieces.push(piece)
            files.set(path, Buffer.concat(pieces).toString())
            return { size: 0, sha256: '' }
          },
        },
        world.services,
      ),
    )
    for (const [path, text] of files) {
      assert.ok(!text.includes(word), `${path} has a text of the other company`)
      if (!path.endsWith('.jsonl') || /_keys?(_links)?\.jsonl$/.test(path)) continue
      const owners = new Set(
        text
          .split('\n')
          .filter(Boolean)
          .map(line => JSON.parse(line)[path === 'tables/tenants.jsonl' ? 'id' : 'tenant_id']),
      )
      assert.ok(
        [...owners].every(owner => owner === String(acme)),
        `${path}: ${[...owners].join()}`,
      )
    }
    const keys = (name: string) =>
      files
        .get(`tables/${name}.jsonl`)!
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line).key_id)
    assert.ok(keys('signing_keys').includes(world.services.signingKey.key_id))
    // The samples give each of the two a key of its past.
    const [theirs] = await world.rows<{ key_id: string }>(
      'select key_id from imported_signing_keys where tenant_id = $1',
      [tenantId],
    )
    assert.ok(!keys('signing_keys').includes(theirs!.key_id), 'a key that the other company came with')
    assert.deepEqual(keys('audit_keys'), [world.services.auditKey.key_id])
    const secrets = await world.rows<{ hash: string }>(
      'select password_hash as hash from credentials where password_hash is not null',
    )
    const all = [...files.values()].join('')
    for (const { hash } of secrets) assert.ok(!all.includes(hash))
  })
})
