// A company leaves one installation with its export and comes into another, where everything of it is as it was.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import type { Route } from '#http'
import { writeFolder } from '#modules/tenant-exports'
import { readConfig } from '#platform/config.ts'
import { issueToken } from '#platform/crypto/jwt.ts'
import { openSigningKey, type SigningKey } from '#platform/crypto/signing-key.ts'
import { addRecords, inputOf, pathOf, type Records, resourceOfParameter } from '#test/builders/samples.ts'
import { cloneDatabase, quiet, urlsOf } from '#test/world/postgres.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { openService, type Service } from '../src/commands/service.ts'
import { tenantImport } from '../src/commands/tenant-import.ts'
import { signedManifest } from '../src/modules/audit/export/bundle-format.ts'
import { keyId } from '../src/modules/audit/log/note.ts'

/** Everybody of the company that moves is known to have this text in what they wrote, and nobody of the other has. */
const word = 'canaryofrival'
const root = mkdtempSync(join(tmpdir(), 'attest-moving-'))
const exported = join(root, 'export')

/** What differs after a move, and why. */
const differs: Record<string, string> = {
  '/api/auth/': 'log-ins, sessions and passkeys are those of an installation',
  '/api/jobs/': 'work of an installation',
  '/api/mails/': 'what was handed to the mail server of an installation',
  '/api/uploads/': 'files that no record names yet',
  '/api/tenant-exports/': 'archives of an installation',
  '/api/audit': 'the trail has gone on: compared entry by entry below',
  '/api/service-accounts/:id/keys': 'keys are made anew',
  '/api/service-accounts/': 'their keys are made anew',
  '/api/identity-providers/':
    'a provider has to be told the address of the other installation, and is switched off until then',
  '/api/sso-domains/': 'a domain is proven to each installation',
  '/api/storage/': 'files that no record names yet are counted too',
  '/api/status': 'the state of an installation',
  '/api/platform/': 'of the platform',
  '/api/set-up': 'of the platform',
  '/api/users/':
    'whether an account is locked or has a second factor is a matter of the installation: compared without below',
}

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

/** What the command prints, and what it refuses with. */
async function bring(target: Target, from: string, ...more: string[]) {
  const written = process.stdout.write
  let said = ''
  process.stdout.write = ((text: string) => {
    said += text
    return true
  }) as typeof process.stdout.write
  try {
    await tenantImport.run(['--from', from, ...more], target.env)
    return { said, refused: undefined }
  } catch (error) {
    return { said, refused: (error as Error).message, error: error as Error }
  } finally {
    process.stdout.write = written
  }
}

const digestOf = (folder: string) =>
  createHash('sha256')
    .update(readFileSync(join(folder, 'manifest.json')))
    .digest('hex')

const countRows = async (target: Target) =>
  Number((await target.owner.query('select count(*) as n from audit_entries where tenant_id > 1')).rows[0].n)

describe('a company that moves to another installation (proves: EXIT-01)', () => {
  let world: World
  let records: Records
  let tenantId: number
  let target: Target
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
    await (await import('node:fs/promises')).mkdir(exported)
    await writeFolder(world.services, tenantId, { folder: exported, reason: 'it moves', signal })
    target = await openTarget()
  })
  after(async () => {
    await moved?.close()
    await target?.close()
    await world.close()
    rmSync(root, { recursive: true })
  })

  it('is checked without anything being written, and comes in whole', async () => {
    const digest = digestOf(exported)
    const without = await bring(target, exported)
    assert.match(without.refused!, /--digest is needed/)
    const done = await bring(target, exported, '--digest', digest)
    assert.equal(done.refused, undefined, done.error?.stack)
    assert.ok(done.said.includes('All'), done.said)
  })
})
