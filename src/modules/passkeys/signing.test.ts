// Signing with a passkey: every request that takes a proof of identity, and what is kept of it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { takesChallenge } from '#http/acts.ts'
import { printedIn } from '#kernel/print.ts'
import { listRecords, manifestationOf } from '#modules/signatures'
import { type Authenticator, proveActs, signWithPasskey, withPasskey } from '#test/builders/authenticator.ts'
import { capas } from '#test/builders/capas.ts'
import { addConfigurationChange } from '#test/builders/configuration-samples.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { migrationsOf } from '#test/builders/migrations.ts'
import { addFileRemoval } from '#test/builders/removal-samples.ts'
import { pastRetention } from '#test/builders/retention-samples.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

interface Act {
  by: string
  method?: 'POST' | 'PUT'
  path: string
  body: object
}

// proves: SSO-05, SIG-01, SIG-02
describe('a signature with a passkey', () => {
  let world: World
  const keys = new Map<string, Authenticator>()
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
  })
  after(() => world.close())

  async function keyOf(name: string): Promise<Authenticator> {
    const known = keys.get(name) ?? (await withPasskey(world, name)).authenticator
    keys.set(name, known)
    return known
  }
  const post = (name: string) => (url: string, body: object) => world.as(name).post(url, body)
  const newest = async () =>
    Number((await world.rows<{ id: string }>('select coalesce(max(id), 0) as id from signatures'))[0]!.id)

  const disposable = async () => {
    const type = Number(await world.typeId('SOP'))
    const { retention_years } = ok(await world.as('quinn').get(`/api/document-types/${type}`))
    const rule = { retention_years: 2, change_reason: 'By our procedure' }
    if (retention_years === null) ok(await world.as('quinn').put(`/api/document-types/${type}`, rule))
    const document_id = await pastRetention(world, 'alan', type)
    return { versions: [{ document_id, version: '1.0' }], reason: 'Past its retention day' }
  }
  const rehearsed = async (group: string) => {
    const imports = migrationsOf(world)
    const id = await imports.ofGroup(group)
    await imports.step(id, 'check')
    return imports.step(id, 'rehearse')
  }

  /** One act of each route that takes a proof of identity. */
  const acts: Record<string, () => Promise<Act>> = {
    async 'POST /api/signatures/'() {
      const { id } = await papers(world).effective()
      return {
        by: 'uma',
        path: '/api/signatures/',
        body: { document_id: id, signature_type: 'witness', intent: 'Seen' },
      }
    },
    async 'POST /api/signatures/:id/void'() {
      const { id } = await papers(world).effective()
      const said = { document_id: id, signature_type: 'witness', intent: 'Seen' }
      const signature = ok(await world.as('uma').post('/api/signatures/', said))
      return { by: 'ada', path: `/api/signatures/${signature.id}/void`, body: { reason: 'By mistake' } }
    },
    async 'POST /api/documents/:id/approve'() {
      const { id } = await papers(world).submitted()
      return { by: 'petra', path: `/api/documents/${id}/approve`, body: { comment: 'Fine' } }
    },
    async 'POST /api/documents/:id/withdraw-approval'() {
      const { id } = await papers(world).submitted()
      ok(await papers(world).approve('petra', id))
      return { by: 'petra', path: `/api/documents/${id}/withdraw-approval`, body: { reason: 'Too soon' } }
    },
    async 'POST /api/documents/:id/transition'() {
      const { id } = await papers(world).effective()
      return {
        by: 'quinn',
        path: `/api/documents/${id}/transition`,
        body: { transition: 'obsolete', comment: 'No longer made' },
      }
    },
    async 'POST /api/documents/:id/periodic-review'() {
      const { id } = await papers(world).effective()
      return {
        by: 'quinn',
        path: `/api/documents/${id}/periodic-review`,
        body: { outcome: 'keep_effective', comment: 'As it is done' },
      }
    },
    async 'PUT /api/deviations/:id'() {
      const { id } = await deviations(world).inState('pending_approval', { severity: 'major' })
      return {
        by: 'quentin',
        method: 'PUT',
        path: `/api/deviations/${id}`,
        body: { status: 'closed', change_reason: 'All is done' },
      }
    },
    async 'PUT /api/capa/:id'() {
      const capa = capas(world)
      const { id } = await capa.inState('pending_effectiveness')
      const [review] = await capa.get('quinn', id, '/effectiveness')
      ok(await capa.conclude('quentin', id, review.id))
      return {
        by: 'quinn',
        method: 'PUT',
        path: `/api/capa/${id}`,
        body: { status: 'closed', change_reason: 'It works' },
      }
    },
    async 'PUT /api/capa/:id/effectiveness/:review_id'() {
      const capa = capas(world)
      const { id } = await capa.inState('pending_effectiveness')
      const [review] = await capa.get('quinn', id, '/effectiveness')
      return {
        by: 'quentin',
        method: 'PUT',
        path: `/api/capa/${id}/effectiveness/${review.id}`,
        body: { result: 'effective', conclusion: 'None in 40 batches', change_reason: '40 batches were made' },
      }
    },
    async 'POST /api/training/:id/complete'() {
      const training = trainings(world)
      const program = await training.create({ type: 'quiz', questions })
      await training.assign(program.id, ['uma'])
      ok(await training.start('uma', program.id))
      const asked = await training.get('uma', program.id)
      return {
        by: 'uma',
        path: `/api/training/${program.id}/complete`,
        body: { answers: training.answersTo(asked) },
      }
    },
    async 'POST /api/training/assignments/:id/verify'() {
      const training = trainings(world)
      const program = await training.create({ requires_verification: true })
      const assignment = await training.assign(program.id, ['uma'])
      ok(await training.complete('uma', program.id))
      return { by: 'petra', path: `/api/training/assignments/${assignment}/verify`, body: { comment: 'Seen' } }
    },
    async 'POST /api/audit/reviews/'() {
      const body = { date_from: '2020-01-01', date_to: new Date(Date.now() - 1).toISOString(), outcome: 'no_findings' }
      return { by: 'quinn', path: '/api/audit/reviews/', body }
    },
    async 'POST /api/users/access-reviews/'() {
      const { accounts_sha256 } = ok(await world.as('ada').get('/api/users/access-review'))
      return { by: 'ada', path: '/api/users/access-reviews/', body: { accounts_sha256, outcome: 'no_findings' } }
    },
    async 'POST /api/configuration-changes/:id/approve'() {
      const [builtIn] = await world.rows<{ id: string }>(
        `select w.id from workflow_templates w where tenant_id = $1 order by id limit 1`,
        [world.people.ada!.tenant_id],
      )
      const { definition } = ok(await world.as('ada').get(`/api/workflow-templates/${builtIn!.id}`))
      const template = ok(await world.as('ada').post('/api/workflow-templates/', { name: 'Own', definition }))
      const { configuration_change: id } = await addConfigurationChange(world, {
        ...{ word: 'acmes', admin: 'ada', by: 'quinn', template: template.id, isRejected: false },
      })
      return { by: 'ada', path: `/api/configuration-changes/${id}/approve`, body: {} }
    },
    async 'POST /api/file-removals/'() {
      const { id: deviation } = await deviations(world).inState('open')
      const file = { bytes: pdf('wrong'), name: 'wrong.pdf' }
      const { id: attachment_id } = ok(
        await world.as('uma').upload(`/api/deviations/${deviation}/attachments`, { description: 'Wrong' }, file),
      )
      return { by: 'quinn', path: '/api/file-removals/', body: { attachment_id, reason: 'Names a patient' } }
    },
    async 'POST /api/file-removals/:id/approve'() {
      const people = { admin: 'ada', author: 'alan', requester: 'quinn' }
      const { file_removal: id } = await addFileRemoval(world, { ...people, word: 'A patient', isDecided: false })
      return { by: 'ada', path: `/api/file-removals/${id}/approve`, body: { decision_reason: 'It does' } }
    },
    async 'POST /api/disposals/'() {
      return { by: 'petra', path: '/api/disposals/', body: await disposable() }
    },
    async 'POST /api/disposals/:id/approve'() {
      const { id } = ok(await world.as('petra').post('/api/disposals/', { ...(await disposable()), password }))
      return { by: 'quinn', path: `/api/disposals/${id}/approve`, body: { decision_reason: 'Past its day' } }
    },
    async 'POST /api/legal-holds/:id/lift'() {
      const { id } = ok(await world.as('quinn').post('/api/legal-holds/', { department: 'Filling', reason: 'A claim' }))
      return { by: 'ada', path: `/api/legal-holds/${id}/lift`, body: { lift_reason: 'It is settled' } }
    },
    async 'POST /api/migrations/:id/accept'() {
      const { id, report_sha256 } = await rehearsed('Accepted')
      return { by: 'quinn', path: `/api/migrations/${id}/accept`, body: { report_sha256 } }
    },
    async 'POST /api/migrations/:id/release'() {
      const { id } = await rehearsed('Released')
      ok(await migrationsOf(world).accept(id))
      await world.work()
      return { by: 'quinn', path: `/api/migrations/${id}/release`, body: {} }
    },
    async 'POST /api/tenant-exports/'() {
      return { by: 'ada', path: '/api/tenant-exports/', body: { reason: 'The contract ends' } }
    },
  }
  const withoutSignature = ['POST /api/signatures/:id/void', 'POST /api/tenant-exports/']

  it('can be given by every request that takes a proof of identity', () => {
    const routes = world.app.routes.filter(takesChallenge).map(({ method, url }) => `${method} ${url}`)
    assert.deepEqual(routes.sort(), Object.keys(acts).sort())
  })

  for (const [route, make] of Object.entries(acts))
    it(`${route}: the challenge names what is signed, and the evidence of it verifies`, async () => {
      const { by, method = 'POST', path, body } = await make()
      const authenticator = await keyOf(by)
      const last = await newest()
      const challenge = ok(
        await world.as(by).post('/api/signing-challenges/', { kind: 'passkey', acts: [{ method, path, body }] }),
      )
      const { signs } = challenge.acts[0]
      assert.equal(signs === null, withoutSignature.includes(route))
      assert.equal(await newest(), last, 'nothing is signed yet')
      ok(
        await world.as(by).post(`/api/signing-challenges/${challenge.id}/passkey`, {
          response: authenticator.get(challenge.passkey),
        }),
      )
      const send = method === 'POST' ? world.as(by).post : world.as(by).put
      ok(await send(path, { ...body, signing_challenge: challenge.id }))
      if (signs === null) return
      const id = await newest()
      assert.notEqual(id, last)
      const signature = ok(await world.as(by).get(`/api/signatures/${id}`))
      assert.equal(signature.method, 'passkey')
      assert.deepEqual(
        [signature.intent, signature.signature_type, signature.evidence.challenge],
        [signs.intent, signs.meaning, challenge.text],
      )
      assert.deepEqual(
        signature.verification.checks.filter(({ passed }: Json) => !passed),
        [],
      )
      const evidence = signature.verification.checks.find(({ name }: Json) => name === 'evidence')
      assert.equal(evidence.detail, 'The signer confirmed this content, and the proof of it verifies')
    })

  it('is given to fifty requests with one answer of the device', async () => {
    const paper = papers(world)
    const authenticator = await keyOf('anna')
    const bodies: Json[] = []
    for (let n = 0; n < 5; n++) {
      const { id } = await paper.effective()
      bodies.push({ document_id: id, signature_type: 'acknowledgement', intent: `Read ${n}` })
    }
    const signing_challenge = await proveActs(
      post('anna'),
      authenticator,
      bodies.map(body => ({ path: '/api/signatures/', body })),
    )
    world.clock.moved_ms += 9 * 60_000
    for (const body of bodies.toReversed())
      ok(await world.as('anna').post('/api/signatures/', { ...body, signing_challenge }))
    const [row] = await world.rows<{ count: number }>(
      `select count(distinct evidence_id)::int as count from signatures where method = 'passkey' and intent like 'Read %'`,
    )
    assert.equal(row!.count, 1)
  })

  it('says on paper by which method it was given', async () => {
    const { by, path, body } = await acts['POST /api/documents/:id/approve']!()
    const approved = ok(await signWithPasskey(world, by, await keyOf(by), { path, body }))
    const { tenant_id: tenantId } = world.people.petra!
    const signatures = await world.services.database.transaction({ tenantId, userId: null }, 'read only', tx =>
      listRecords(tx, { document_id: approved.id }),
    )
    const printed = JSON.stringify(printedIn('en', manifestationOf(signatures)))
    assert.match(printed, /"Identity proved by","passkey on a device, unlocked for this signature"/)
  })

  it('says nothing beforehand of whether the answers of a training pass', async () => {
    const training = trainings(world)
    const program = await training.create({ type: 'quiz', questions, passing_score: 100 })
    await training.assign(program.id, ['anna'])
    ok(await training.start('anna', program.id))
    const asked = await training.get('anna', program.id)
    const begin = async (wrong: number) => {
      const body = { answers: training.answersTo(asked, { wrong }) }
      const path = `/api/training/${program.id}/complete`
      const acts = [{ method: 'POST', path, body }]
      const challenge = ok(await world.as('anna').post('/api/signing-challenges/', { kind: 'passkey', acts }))
      return challenge.acts[0]
    }
    await keyOf('anna')
    const [right, wrong] = [await begin(0), await begin(1)]
    assert.deepEqual(right.signs, wrong.signs)
    const [attempts] = await world.rows<{ count: number }>('select count(*)::int from training_attempts')
    const body = { answers: training.answersTo(asked, { wrong: 1 }) }
    const reply = ok(
      await signWithPasskey(world, 'anna', await keyOf('anna'), { path: `/api/training/${program.id}/complete`, body }),
    )
    assert.equal(reply.passed, false)
    const [after] = await world.rows<{ count: number }>('select count(*)::int from training_attempts')
    assert.equal(after!.count - attempts!.count, 1, 'only the request itself counts as an attempt')
  })

  it('is refused by the request itself: what it would refuse, the challenge refuses', async () => {
    const { id } = await papers(world).submitted()
    const begin = (by: string, path: string, body: object) =>
      world.as(by).post('/api/signing-challenges/', { kind: 'passkey', acts: [{ method: 'POST', path, body }] })
    await keyOf('uma')
    const cases: [string, string, object][] = [
      ['uma', `/api/documents/${id}/approve`, { comment: 'Fine' }],
      ['petra', '/api/documents/999999999/approve', { comment: 'Fine' }],
      ['petra', `/api/documents/${id}/approve`, { comment: 7 }],
      ['petra', `/api/documents/${id}/approve`, { unknown: 'field' }],
      ['quinn', `/api/documents/${id}/periodic-review`, { outcome: 'keep_effective', comment: 'Too soon' }],
    ]
    for (const [by, path, body] of cases) {
      const [own, tried] = [await world.as(by).post(path, { ...body, password }), await begin(by, path, body)]
      assert.ok(own.statusCode >= 400)
      assert.deepEqual([tried.statusCode, tried.json().code], [own.statusCode, own.json().code], path)
    }
    const wrong = (await begin('petra', `/api/documents/${id}/approve`, { comment: 7 })).json()
    assert.deepEqual(wrong.detail[0].loc, ['body', 'acts', 0, 'body', 'comment'])
    const unknown = await begin('petra', '/api/documents/', {})
    assert.equal(unknown.json().detail[0].type, 'signing_act_unknown')
  })

  it('is not begun by who has no passkey that signs here', async t => {
    const other = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    t.after(() => other.close())
    const { id } = await papers(other).effective()
    const acts = [
      {
        method: 'POST',
        path: '/api/signatures/',
        body: { document_id: id, signature_type: 'witness', intent: 'Seen' },
      },
    ]
    const begin = () => other.as('uma').post('/api/signing-challenges/', { kind: 'passkey', acts })
    assert.equal((await begin()).json().code, 'passkey_none_to_sign')
    const { authenticator } = await withPasskey(other, 'uma', { isSynced: true })
    ok(await begin())
    ok(await other.as('ada').put('/api/settings/', { passkeys_device_bound: true }))
    assert.equal((await begin()).json().code, 'passkey_none_device_bound')
    assert.ok(authenticator)
  })

  it('is the only one where the company accepts no other', async t => {
    const strict = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    t.after(() => strict.close())
    const { id } = await papers(strict).effective()
    const set = (signature_methods: string[]) => strict.as('ada').put('/api/settings/', { signature_methods })
    const nobody = await set(['passkey'])
    assert.deepEqual([nobody.statusCode, nobody.json().code], [409, 'signing_methods_of_nobody'])
    const { authenticator } = await withPasskey(strict, 'uma')
    ok(await set(['passkey']))
    const body = { document_id: id, signature_type: 'witness', intent: 'Seen' }
    const byPassword = await strict.as('uma').post('/api/signatures/', { ...body, password })
    assert.deepEqual([byPassword.statusCode, byPassword.json().code], [401, 'signing_method_not_accepted'])
    const bySession = await strict.as('uma').post('/api/signatures/', body)
    assert.equal(bySession.statusCode, 401)
    ok(await signWithPasskey(strict, 'uma', authenticator, { path: '/api/signatures/', body }))
    ok(await set(['password']))
    const acts = [{ method: 'POST', path: '/api/signatures/', body: { ...body, intent: 'Again' } }]
    const begun = await strict.as('uma').post('/api/signing-challenges/', { kind: 'passkey', acts })
    assert.deepEqual([begun.statusCode, begun.json().code], [401, 'signing_method_not_accepted'])
  })

  it('counts as two factors where signatures need a code', async t => {
    const strict = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    t.after(() => strict.close())
    const { id } = await papers(strict).effective()
    ok(await strict.as('ada').put('/api/settings/', { signature_otp_required: true }))
    const { authenticator } = await withPasskey(strict, 'uma')
    const body = { document_id: id, signature_type: 'witness', intent: 'Seen' }
    const byPassword = await strict.as('uma').post('/api/signatures/', { ...body, password })
    assert.equal(byPassword.json().code, 'signing_second_factor_missing')
    ok(await signWithPasskey(strict, 'uma', authenticator, { path: '/api/signatures/', body }))
  })
})
