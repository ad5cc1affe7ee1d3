import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { examplesFile, readExamples } from '#http/examples.ts'
import { completePlatform } from '#modules/accounts'
import { registerAuditKey, sealNow, tenantsToSeal } from '#modules/audit'
import { registerSigningKey } from '#modules/signatures'
import { readConfig } from '#platform/config.ts'
import { openSigningKey } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { createLog } from '#platform/log/log.ts'
import { openPdfRenderer } from '#platform/pdf/rendition.ts'
import { openTextExtractor } from '#platform/text-extraction/index.ts'
import { findDriftAnywhere } from '#test/builders/projections.ts'
import { ageDocument } from '#test/builders/retention-samples.ts'
import { differencesOf, playExamples, textOf } from '#test/examples/play.ts'
import { type Dns, openDns } from '#test/fakes/dns.ts'
import { type Forger, openForger, outboundHere } from '#test/fakes/oidc.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openSmtp, type Smtp } from '#test/fakes/smtp.ts'
import { makePdfHere } from '#test/world/make-pdf.ts'
import { cloneDatabase, quiet } from '#test/world/postgres.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld } from '#test/world/world.ts'
import { fill, platformUserSecret } from '../src/commands/demo/fill.ts'
import { markDemo, refuseDemoInProduction } from '../src/commands/demo/mark.ts'
import { cast, demoPassword, demoTenant } from '../src/commands/demo/people.ts'
import { keptSecretKey } from '../src/commands/demo/secret-key.ts'
import { openService, type Service } from '../src/commands/service.ts'
import { start } from '../src/commands/start.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-demo-'))
after(() => rmSync(folder, { recursive: true }))

/** So few that each start dies somewhere else; at least the four that one mark can need: two people log in, one reads, the other acts. */
const requests_each = roundsOf('DEMO_REQUESTS_EACH', 12)
const say = () => {}
const never = new AbortController().signal

/** Lets so many requests pass, and ends the work at the next: what a Ctrl-C does, at a known place. */
const afterRequests = (count: number) => {
  let left = count
  return {
    aborted: false,
    throwIfAborted() {
      if (left-- <= 0) throw new Error('interrupted')
    },
  } as unknown as AbortSignal
}

const companyLogin = 'https://login.linden-pharma.example'

describe('the data of the demo', () => {
  let app: Service
  let drop: () => Promise<void>
  let superuser: pg.Client
  let model: Openai
  let smtp: Smtp
  let forger: Forger
  let dns: Dns

  before(async () => {
    const postgres = await cloneDatabase()
    drop = postgres.drop
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
    ;[model, smtp, dns] = await Promise.all([openOpenai(), openSmtp(), openDns()])
    forger = await openForger({ as: companyLogin })
    const outbound = outboundHere([dns.server])
    const config = readConfig({
      SECRET_KEY: await keptSecretKey(folder),
      DATA_DIR: folder,
      ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'qms@linden-pharma.example' },
      ...{ PUBLIC_URL: 'https://qms.linden-pharma.example', ...model.environment },
      // Twenty people log in from here within a minute.
      RATE_LIMITS: 'off',
      ...{ REGISTRATION_ENABLED: 'true', REGISTRATION_TENANT: demoTenant.slug },
    })
    const log = createLog({ format: 'json', level: 'critical', write() {} })
    const database = new Database(openPool(postgres.app, quiet))
    const keys = join(folder, 'keys')
    app = await openService(config, log, {
      outside: {
        database,
        signingKey: await openSigningKey(keys),
        auditKey: await openSigningKey(keys, 'audit'),
        previousAuditKey: undefined,
        embeddings: undefined,
        // The name of the company's provider is of this machine.
        outbound: {
          ...outbound,
          send: (address, asked) => outbound.send(address.replace(companyLogin, forger.address), asked),
        },
        pdf: openPdfRenderer({ make: makePdfHere }),
        // A process reads each file: those of one kind suffice for the assistant.
        texts: { ...openTextExtractor(), canRead: ending => ending === 'md' },
      },
    })
    await registerSigningKey(database, app.services.signingKey)
    await registerAuditKey(database, app.services.auditKey)
    await completePlatform(app.services.runner, { requestId: '', clientAddr: '' })
  })
  after(async () => {
    await app.close()
    await app.services.database.close()
    await superuser.end()
    await drop()
    await Promise.all([model.close(), smtp.close(), forger.close(), dns.close()])
  })

  const login = (username: string, otp?: string) =>
    app.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username, password: demoPassword, ...(otp && { otp }) },
    })
  const get = async (username: string, url: string) => {
    const { access_token } = (await login(username)).json()
    return (await app.server.inject({ url, headers: { authorization: `Bearer ${access_token}` } })).json()
  }

  it('are completed by later starts when the first ones were interrupted', async () => {
    let interruptions = 0
    for (let isComplete = false; !isComplete; ) {
      assert.ok(interruptions < 100, 'each start gets further')
      isComplete = await fill(app, { say, signal: afterRequests(requests_each) }).then(
        () => true,
        (error: Error) => {
          assert.equal(error.message, 'interrupted')
          interruptions += 1
          return false
        },
      )
    }
    assert.ok(interruptions > 40 / requests_each, `${interruptions} interruptions`)
  })

  it('leave every search index, count and mark as the records say', async () => {
    assert.deepEqual(await findDriftAnywhere(app.services), [])
  })

  it('are documents in every state that a document can be in, as an auditor sees them', async () => {
    const { items } = await get('hana', '/api/documents/?sort=number:asc&page_size=100')
    assert.deepEqual(
      items.map(({ number, version, status }: Record<string, string>) => [number, version, status]),
      [
        ['DOC-0001', '1.0', 'draft'],
        ['FRM-0001', '1.0', 'effective'],
        ['POL-0001', '1.0', 'effective'],
        ['REP-0001', '1.0', 'obsolete'],
        ['SOP-0001', '2.0', 'effective'],
        ['SOP-0002', '1.0', 'effective'],
        ['SOP-0003', '1.0', 'in_review'],
        ['SPEC-0001', '1.0', 'in_approval'],
        ['VP-0001', '1.0', 'draft'],
        ['WI-0001', '1.0', 'effective'],
        ['WI-0002', '1.0', 'draft'],
      ],
    )
  })

  it('hold the superseded version beside the effective one, and signatures that verify', async () => {
    const { items } = await get('hana', '/api/documents/?q=powder%20blender&status=effective')
    const versions = await get('hana', `/api/documents/${items[0].id}/versions`)
    assert.deepEqual(
      versions.map(({ version, status }: Record<string, string>) => [version, status]),
      [
        ['2.0', 'effective'],
        ['1.0', 'superseded'],
      ],
    )
    const signatures = await get('hana', `/api/signatures/?document_id=${items[0].id}`)
    assert.equal(signatures.total, 4)
    for (const { id } of signatures.items) {
      const { verification } = await get('hana', `/api/signatures/${id}`)
      assert.equal(verification.valid, true)
    }
  })

  it('are deviations in every state that one can be in, one of them reopened, closed with signatures that verify', async () => {
    const { items } = await get('hana', '/api/deviations/?sort=number:asc')
    assert.deepEqual(
      items.map(({ severity, status }: Record<string, string>) => [severity, status]),
      [
        ['minor', 'open'],
        ['major', 'under_investigation'],
        ['major', 'pending_approval'],
        ['critical', 'closed'],
        ['minor', 'cancelled'],
        ['minor', 'under_investigation'],
      ],
    )
    const signatures = await get('hana', `/api/signatures/?resource_type=deviation`)
    assert.equal(signatures.total, 1)
    const { verification } = await get('hana', `/api/signatures/${signatures.items[0].id}`)
    assert.equal(verification.valid, true)
    const [history, files] = [
      await get('hana', `/api/deviations/${items[5].id}/history`),
      await get('hana', `/api/deviations/${items[1].id}/attachments`),
    ]
    assert.deepEqual([history.length, files.total], [5, 1])
  })

  it('are CAPAs in every state that one can be in, linked to deviations, their signatures good', async () => {
    const { items } = await get('hana', '/api/capa/?sort=number:asc')
    assert.deepEqual(
      items.map(({ priority, status }: Record<string, string>) => [priority, status]),
      [
        ['high', 'draft'],
        ['critical', 'open'],
        ['low', 'in_progress'],
        ['critical', 'pending_effectiveness'],
        ['medium', 'closed'],
        ['low', 'rejected'],
        ['medium', 'cancelled'],
      ],
    )
    const linked = await Promise.all(items.slice(0, 4).map(({ id }: { id: number }) => get('hana', `/api/capa/${id}`)))
    for (const { deviation_ids, number } of linked) assert.equal(deviation_ids.length, 1, number)
    for (const type of ['capa', 'effectiveness_review'])
      for (const { id } of (await get('hana', `/api/signatures/?resource_type=${type}`)).items)
        assert.equal((await get('hana', `/api/signatures/${id}`)).verification.valid, true, type)
    const [review] = await get('hana', `/api/capa/${items[2].id}/effectiveness`)
    assert.equal(review.result, 'not_effective')
  })

  it('are training in every state that it can be in, verified and to be verified, their signatures good', async () => {
    const { items } = await get('hana', '/api/training/assignments/?sort=id:asc&page_size=100')
    assert.deepEqual(
      items.map(
        ({
          number,
          user,
          status,
          is_valid,
        }: { number: string; user: { username: string } } & Record<string, unknown>) => [
          number,
          user.username,
          status,
          is_valid,
        ],
      ),
      [
        ['TRN-0001', 'tom', 'completed', true],
        ['TRN-0001', 'emil', 'failed', false],
        ['TRN-0001', 'lucia', 'waived', false],
        ['TRN-0002', 'tom', 'completed', true],
        ['TRN-0002', 'emil', 'in_progress', false],
        ['TRN-0002', 'lucia', 'assigned', false],
        ['TRN-0003', 'tom', 'completed', true],
        ['TRN-0003', 'lucia', 'completed', false],
      ],
    )
    const signatures = await get('hana', '/api/signatures/?resource_type=training_assignment')
    assert.equal(signatures.total, 5)
    for (const { id } of signatures.items)
      assert.equal((await get('hana', `/api/signatures/${id}`)).verification.valid, true)
    assert.equal((await get('tom', '/api/training/my-training')).total, 3)
  })

  it('let everybody log in, the platform user with a code', async () => {
    for (const { username, role } of cast) assert.equal((await login(username)).json().user?.role, role)
    assert.equal((await login('olga')).statusCode, 401)
    const { TOTP } = await import('otpauth')
    const otp = new TOTP({ secret: (await platformUserSecret(app))! }).generate()
    assert.equal((await login('olga', otp)).statusCode, 200)
  })

  it('stay as they are at the next start, which asks nobody to log in', async () => {
    const before = await get('hana', '/api/audit/')
    await fill(app, { say: ({ text }) => assert.fail(text), signal: never })
    const afterwards = await get('hana', '/api/audit/')
    // One entry more: the log-in that asked.
    assert.equal(afterwards.total, before.total + 1)
  })

  it('are what the examples in the description of the API are taken from', async () => {
    const { database } = app.services
    const played = await playExamples({
      ...{ app, model, smtp, forger, dns },
      work: async () => {
        await app.services.loginLimits.linkWork.settled()
        await app.background.runPending()
      },
      age: (document_id, years) =>
        ageDocument(
          { superuser, rows: async (text, values) => (await superuser.query(text, values)).rows },
          document_id,
          years,
        ),
      seal: async () => {
        for (const { tenant_id } of await tenantsToSeal(database)) await sealNow(app.services, tenant_id)
      },
    })
    if (process.env.UPDATE_EXAMPLES) writeFileSync(examplesFile, textOf(played))
    const examples = readExamples()
    assert.deepEqual(differencesOf(examples, played), [], 'run npm run examples')
  })
})

it('the folder of a demo never starts in production, and that of an installation is never marked', async () => {
  const [demo, installation] = [mkdtempSync(join(folder, 'marked-')), mkdtempSync(join(folder, 'real-'))]
  await openSigningKey(join(installation, 'keys'))
  for (const each of [demo, installation]) await markDemo(each)
  const secret = 'f0d1c2b3a495867718293a4b5c6d7e8f-test'
  const inProduction = (DATA_DIR: string) => readConfig({ SECRET_KEY: secret, DATA_DIR, ENVIRONMENT: 'production' })
  const log = createLog({ format: 'json', level: 'critical', write() {} })
  await assert.rejects(start(inProduction(demo), log), /belongs to a demo/)
  refuseDemoInProduction(inProduction(installation))
})

it('the demo keeps its SECRET_KEY for itself', async () => {
  const data = join(folder, 'kept')
  const [first, second] = await Promise.all([keptSecretKey(data), keptSecretKey(data)])
  assert.equal(first, second)
  assert.equal(await keptSecretKey(data), first)
  assert.ok(Buffer.byteLength(first) >= 32)
  assert.equal(statSync(join(data, 'secret-key')).mode & 0o777, 0o600)
})

it('the demo does not put its people among those of a real installation', async () => {
  const world = await openWorld()
  try {
    await assert.rejects(fill(world.app, { say, signal: never }), /holds tenants that are not the demo's/)
    assert.deepEqual(await world.rows('select from users where username = any($1)', [cast.map(p => p.username)]), [])
  } finally {
    await world.close()
  }
})
