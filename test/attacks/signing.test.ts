// Signatures that claim more than their signer may, or that show less than an inspector needs.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readConfig } from '#platform/config.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const signAs = (name: string, document_id: number, signature_type: string, more: object = {}) =>
  world.as(name).post('/api/signatures/', { document_id, signature_type, intent: 'As I see it', ...more })
const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const attested = ['review', 'approval', 'rejection', 'verification', 'release']

// proves: SIG-01, ROLE-05
describe('a signature outside of a workflow', () => {
  it('never means a decision, where its signer may only read', async () => {
    const { id } = await paper.effective()
    for (const type of [...attested, 'authorship'])
      assert.equal(refusal(await signAs('uma', id, type)), '403 signature_meaning_not_permitted')
    for (const type of ['acknowledgement', 'witness']) ok(await signAs('uma', id, type))
  })

  it('never judges the own document, whoever signs', async () => {
    const { id } = await paper.upload({ by: 'quinn' })
    for (const type of attested) assert.equal(refusal(await signAs('quinn', id, type)), '403 signature_own_document')
    ok(await signAs('quinn', id, 'authorship'))
    ok(await signAs('petra', id, 'review'))
  })

  it('is refused before the password is checked', async () => {
    const { id } = await paper.effective()
    assert.equal(
      refusal(await signAs('uma', id, 'release', { password: 'wrong' })),
      '403 signature_meaning_not_permitted',
    )
    const [{ failed_attempts }] = (await world.rows('select failed_attempts from credentials where user_id = $1', [
      world.people.uma!.id,
    ])) as [{ failed_attempts: number }]
    assert.equal(failed_attempts, 0)
  })
})

// proves: SIG-01, SIG-02
describe('a signer without a full name', () => {
  const nameless = async (name: string, full_name: string | null) => {
    const { id } = world.people[name]!
    return ok(await world.as('ada').put(`/api/users/${id}`, { full_name, change_reason: 'As in the passport' }))
  }

  it('signs nothing until it is entered, and does everything else', async () => {
    const { id } = await paper.submitted()
    const training = trainings(world)
    const program = await training.create()
    await training.assign(program.id, ['petra'])
    await nameless('petra', null)
    for (const reply of [
      await signAs('petra', id, 'acknowledgement', { password }),
      await paper.approve('petra', id, { password }),
      await training.complete('petra', program.id, { password }),
    ])
      assert.equal(refusal(reply), '403 signing_full_name_missing')
    ok(await world.as('petra').post(`/api/documents/${id}/comments`, { text: 'Step 3 is missing' }))
    await nameless('petra', 'Petra Example')
    ok(await paper.approve('petra', id, { password }))
  })

  it('is not the first Admin, whose name the environment gives', () => {
    const environment = {
      SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test',
      BOOTSTRAP_TENANT: 'Acme',
      BOOTSTRAP_ADMIN_USERNAME: 'ada',
      BOOTSTRAP_ADMIN_EMAIL: 'ada@acme.example',
      BOOTSTRAP_ADMIN_PASSWORD: 'Correct horse 1 battery',
    }
    const named = readConfig({ ...environment, BOOTSTRAP_ADMIN_FULL_NAME: 'Ada Lovelace' })
    assert.deepEqual(
      [named.bootstrap!.full_name, readConfig(environment).bootstrap!.full_name],
      ['Ada Lovelace', undefined],
    )
  })

  it('is found by the verification, where a signature has none', async () => {
    const { id } = await paper.effective()
    const signed = ok(await signAs('anna', id, 'acknowledgement'))
    const { payload } = ok(await world.as('otto').get(`/api/signatures/${signed.id}`))
    const altered = JSON.stringify({
      ...JSON.parse(payload),
      signer: { ...JSON.parse(payload).signer, full_name: null },
    })
    await behindTheApi(
      world,
      'signatures',
      'update signatures set payload = $2, signer_full_name = null where id = $1',
      [signed.id, altered],
    )
    const { verification } = ok(await world.as('otto').get(`/api/signatures/${signed.id}`))
    assert.equal(verification.valid, false)
    const completeness = verification.checks.find(({ name }: Json) => name === 'completeness')
    assert.deepEqual([completeness.passed, completeness.detail], [false, 'The printed name of the signer is missing'])
  })
})

// proves: SIG-01, TRN-03
describe('signing with a session that is left open', () => {
  it('needs the password each time in production, unless somebody chose otherwise', () => {
    const production = { ENVIRONMENT: 'production', SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-production' }
    assert.equal(readConfig(production).signature_reauth_minutes, 0)
    assert.equal(readConfig({ ...production, SIGNATURE_REAUTH_MINUTES: '15' }).signature_reauth_minutes, 15)
    assert.equal(readConfig({ SECRET_KEY: production.SECRET_KEY }).signature_reauth_minutes, 15)
  })

  it('needs it for a training too, and takes three fields where the tenant allows minutes', async t => {
    const production = await openWorld({ SIGNATURE_REAUTH_MINUTES: '0' })
    t.after(() => production.close())
    const { id } = await papers(production).upload()
    const training = trainings(production)
    const program = await training.create()
    await training.assign(program.id, ['uma'])
    const three = { document_id: id, signature_type: 'acknowledgement', intent: 'I have read it' }
    const sign = (more: object = {}) => production.as('alan').post('/api/signatures/', { ...three, ...more })
    assert.equal(refusal(await sign()), '401 signing_password_required')
    const completion = await production.as('uma').post(`/api/training/${program.id}/complete`, {})
    assert.equal(refusal(completion), '401 signing_password_required')
    ok(await training.complete('uma', program.id, { password }))
    ok(await production.as('ada').put('/api/settings/', { signature_reauth_minutes: 15 }))
    ok(await sign())
  })
})
