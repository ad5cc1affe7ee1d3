// Two hosts on one database: real processes, with a folder of their own each.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { auditKeys, verifierKeysOf } from '#modules/audit'
import { papers } from '#test/builders/documents.ts'
import { openCommands } from '#test/processes/commands.ts'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { emptyDatabase, urlsOf } from '#test/world/postgres.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

const verifier = join(import.meta.dirname, '../verifier/attest-audit-verify.mjs')

describe('two hosts on one database (proves: OPS-02)', { timeout: 600_000 }, () => {
  let world: World
  let folder: string
  let shared: Record<string, string>
  const running: ServiceProcess[] = []
  before(async () => {
    world = await openWorld()
    folder = mkdtempSync(join(tmpdir(), 'attest-hosts-'))
    shared = { SECRET_KEY: world.services.config.secret_key, ...urlsOf(world.postgres) }
  })
  after(async () => {
    await commands.close()
    for (const { child, ended } of running) {
      child.kill('SIGTERM')
      await ended
    }
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const commands = openCommands(() => shared)
  async function start(environment: Record<string, string>) {
    const service = await startService({ ...shared, ...environment })
    running.push(service)
    return service
  }
  const call = async ({ address }: ServiceProcess, by: string, path: string, body?: object) => {
    const answer = await fetch(`${address}${path}`, {
      headers: { authorization: `Bearer ${await world.tokenOf(by)}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    assert.ok(answer.ok, `${answer.status}: ${await answer.clone().text()}`)
    return answer
  }
  const foldersOf = (name: string) => ({ DATA_DIR: join(folder, name) })

  it('the second begins only with the keys and the store of the first, and then both do the same work', async () => {
    const first = await start({ DATA_DIR: world.folder })

    // With a folder of its own, as one would start it who knows of nothing else.
    const alone = foldersOf('alone')
    const refused = await startService({ ...shared, ...alone }).then(
      () => assert.fail('it started'),
      (error: Error) => error.message,
    )
    assert.match(refused, /it ended with 1/)
    assert.match(refused, /uploads is not the store of this installation/)
    assert.match(
      refused,
      /keys has no signing key and no key of the audit trail, and this installation has been using one: copy DATA_DIR\/keys/,
    )
    assert.doesNotMatch(refused, /listening on|at .*\.ts:\d/)
    assert.ok(!existsSync(join(alone.DATA_DIR, 'keys')), 'no key was made')
    const looked = await commands.run(['doctor'], alone)
    assert.equal(looked.code, 1)
    const told = [...looked.out.matchAll(/^FAIL {2}[^:]+: (.*)$/gm)].map(([, line]) => line!)
    for (const line of told.filter(each => !each.includes('UPLOAD_DIR, or STORAGE_TYPE')))
      assert.ok(refused.includes(line), line)
    assert.equal(told.length, 2)

    // With the keys as secrets are mounted, and the folder of files that both see.
    const secrets = join(folder, 'secrets')
    mkdirSync(secrets)
    for (const name of ['signature.pem', 'audit.pem']) {
      copyFileSync(join(world.folder, 'keys', name), join(secrets, name))
      chmodSync(join(secrets, name), 0o444)
    }
    const second = {
      ...foldersOf('second'),
      UPLOAD_DIR: world.services.config.upload_dir,
      SIGNING_KEY_FILE: join(secrets, 'signature.pem'),
      AUDIT_KEY_FILE: join(secrets, 'audit.pem'),
    }
    const healthy = await commands.run(['doctor'], second)
    assert.deepEqual([healthy.code, healthy.err], [0, ''], healthy.out)
    const other = await start(second)
    assert.ok(!existsSync(join(folder, 'second/keys')))
    const { id } = await papers(world).submitted()
    await call(first, 'petra', `/api/documents/${id}/approve`, { comment: 'Complete', password })
    await call(other, 'quentin', `/api/documents/${id}/approve`, { comment: 'For use', password })
    for (const host of [first, other]) {
      const file = await call(host, 'alan', `/api/documents/${id}/download`)
      assert.deepEqual(Buffer.from(await file.arrayBuffer()), pdf())
      const { items } = (await (await call(host, 'quinn', `/api/signatures/?document_id=${id}`)).json()) as {
        items: { id: number }[]
      }
      assert.equal(items.length, 2)
      for (const signature of items) {
        const read = await (await call(host, 'quinn', `/api/signatures/${signature.id}`)).json()
        assert.equal((read as { verification: { status: string } }).verification.status, 'valid')
      }
    }
    await world.seal()
    const vkey = await verifierKeysOf(world.database, world.people.quinn!.tenant_id)
    const [key, ...more] = await auditKeys(world.database)
    assert.deepEqual(more, [], 'one key has signed all of it')
    for (const [name, host] of Object.entries({ first, other })) {
      const bundle = join(folder, `${name}.zip`)
      const exported = await call(host, 'quinn', '/api/audit/export?format=bundle')
      writeFileSync(bundle, Buffer.from(await exported.arrayBuffer()))
      const said = execFileSync(process.execPath, [verifier, bundle, '--vkey', vkey(key!)], { encoding: 'utf8' })
      assert.match(said, /\nVALID\n$/)
    }

    // The store of another, and the keys of another: the command line begins as the service does.
    const foreign = foldersOf('foreign')
    const third = await emptyDatabase()
    try {
      const made = await commands.run(['signing-key', 'list'], { ...foreign, ...urlsOf(third) })
      assert.deepEqual([made.code, made.err], [0, ''])
    } finally {
      await third.drop()
    }
    const stored = await commands.run(['signing-key', 'list'], {
      ...second,
      UPLOAD_DIR: join(foreign.DATA_DIR, 'uploads'),
    })
    assert.deepEqual([stored.code, stored.out], [1, ''])
    assert.match(
      stored.err,
      /^\S+foreign\/uploads is the store of another installation \([0-9a-f-]{36}\), and this database is of [^\n]*\n$/,
    )
    const keyed = await commands.run(['signing-key', 'list'], {
      ...second,
      SIGNING_KEY_FILE: join(foreign.DATA_DIR, 'keys/signature.pem'),
    })
    assert.deepEqual([keyed.code, keyed.out], [1, ''])
    assert.match(
      keyed.err,
      /^the signing key [0-9a-f]{16} \(SIGNING_KEY_FILE\) is not of this installation, whose newest is [^\n]*\n$/,
    )

    // A new key for secrets is written where it is asked for, and known before it is used.
    const refusal = await commands.run(['signing-key', 'rotate'], second)
    assert.match(refusal.err, /^SIGNING_KEY_FILE and AUDIT_KEY_FILE are set, .* with --to FILE/)
    const next = join(folder, 'next.pem')
    const rotated = await commands.run(['signing-key', 'rotate', '--to', next], second)
    assert.deepEqual([rotated.code, rotated.err], [0, ''])
    assert.equal((await commands.run(['doctor'], { ...second, SIGNING_KEY_FILE: next })).code, 0)
    const audit = join(folder, 'next-audit.pem')
    assert.equal((await commands.run(['audit-key', 'rotate', '--to', audit], second)).code, 0)
    const both = { ...second, AUDIT_KEY_FILE: audit, PREVIOUS_AUDIT_KEY_FILE: second.AUDIT_KEY_FILE }
    assert.match((await commands.run(['audit-key', 'list'], both)).out, /until the rotation is finished\n.*in use\n$/)
    assert.match((await commands.run(['audit-key', 'rotate', '--finish'], both)).err, /unset PREVIOUS_AUDIT_KEY_FILE/)
    assert.equal(
      readFileSync(second.AUDIT_KEY_FILE, 'utf8'),
      readFileSync(join(world.folder, 'keys/audit.pem'), 'utf8'),
    )
  })

  it('that start for the first time at the same moment make one installation', async () => {
    const database = await emptyDatabase()
    const environment = { ...foldersOf('new'), ...urlsOf(database) }
    const services = await Promise.all([startService(environment), startService(environment)])
    try {
      const { out } = await commands.run(['doctor'], { ...environment, SECRET_KEY: shared.SECRET_KEY })
      assert.match(out, /^ok {4}installation: database, storage and keys belong to [0-9a-f-]{36}$/m)
    } finally {
      for (const { child, ended } of services) {
        child.kill('SIGTERM')
        assert.equal(await ended, 0)
      }
      await database.drop()
    }
  })
})
