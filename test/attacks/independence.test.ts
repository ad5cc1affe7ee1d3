// One person where there must be two: attempts of somebody to decide about their own work on deviations.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let cases: ReturnType<typeof deviations>
before(async () => {
  world = await openWorld()
  cases = deviations(world)
})
after(() => world.close())

const refusal = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const closing = { status: 'closed', change_reason: 'Complete and plausible', password }
const reassigned = (name: string) => ({ assigned_to: world.people[name]!.id, change_reason: 'Holiday' })
const awaits = async (name: string, id: number) =>
  ok(await world.as(name).get('/api/dashboard/pending-approvals?limit=100')).deviations.some(
    (each: Json) => each.id === id,
  )

// proves: DEV-01, ROLE-05
describe('the closure of a deviation', () => {
  const refused = async (name: string, id: number, sentence: RegExp, more: object = {}) => {
    const reply = await cases.put(name, id, { ...closing, ...more })
    assert.equal(refusal(reply), '403 deviation_closer_is_involved')
    assert.match(reply.json().detail, sentence)
    const closers = reply.json().params.others as string[]
    assert.equal(closers.includes(name), false)
    if (Object.keys(more).length === 0) assert.equal(await awaits(name, id), false)
    return closers
  }

  it('is not for a former assignee, who is told until when, and by whom instead', async () => {
    const { id, number } = await cases.inState('under_investigation', { severity: 'major' })
    ok(await cases.put('petra', id, reassigned('quentin')))
    ok(await cases.put('quentin', id, reassigned('anna')))
    ok(
      await cases.put('petra', id, {
        ...{ status: 'pending_approval', impact_assessment: 'None', change_reason: 'Investigated' },
        root_cause: { method: 'other', category: 'equipment_failure', summary: 'The seal was worn' },
      }),
    )
    const today = new Date().toISOString().slice(0, 10)
    const closers = await refused(
      'quentin',
      id,
      new RegExp(`^You were the assignee of ${number} until ${today}, so another person`),
    )
    assert.deepEqual(closers, ['ada', 'quinn'])
    assert.ok(await awaits('quinn', id))
    ok(await cases.put('quinn', id, closing))
  })

  it('is not for the author of the investigation, nor for who submits it', async () => {
    const { id } = await cases.inState('under_investigation')
    ok(await cases.put('quentin', id, { investigation: 'Seen on site', change_reason: 'Found' }))
    ok(await cases.put('quinn', id, { status: 'pending_approval', change_reason: 'Investigated' }))
    for (const name of ['quentin', 'quinn']) await refused(name, id, /^You investigated /)
    ok(await cases.put('ada', id, closing))
  })

  it('is not for who reassigns or investigates in the same request', async () => {
    const { id } = await cases.inState('pending_approval')
    await refused('quentin', id, /^You reassigned /, reassigned('anna'))
    await refused('quentin', id, /^You investigated /, { investigation: 'I know better' })
    ok(await cases.put('quentin', id, closing))
  })

  it('is not for a former assignee after it was reopened', async () => {
    const { id } = await cases.inState('closed')
    ok(await cases.put('quinn', id, { status: 'under_investigation', ...reassigned('quinn') }))
    ok(await cases.put('quinn', id, reassigned('anna')))
    ok(await cases.put('petra', id, { status: 'pending_approval', change_reason: 'Investigated' }))
    await refused('quinn', id, /^You (were the assignee|reassigned)/)
    ok(await cases.put('quentin', id, closing))
  })

  it('says that nobody is left to close it', async () => {
    const { id } = await cases.inState('pending_approval')
    ok(await world.as('ada').put('/api/settings/', { admin_may_approve: false }))
    try {
      for (const name of ['quentin', 'quinn'])
        ok(await cases.put(name, id, { ...reassigned(name), change_reason: 'My turn' }))
      await refused('quinn', id, /an Admin has to give somebody else the permission deviations\.close\.$/)
    } finally {
      ok(await world.as('ada').put('/api/settings/', { admin_may_approve: true }))
    }
  })
})

// proves: DEV-01, SIG-01
describe('the cancellation of a major or critical deviation', () => {
  const cancelling = { status: 'cancelled', change_reason: 'Condensate, which is expected there' }

  it('is signed, and not by its reporter', async () => {
    for (const severity of ['major', 'critical']) {
      const { id } = await cases.report({ by: 'quinn', severity })
      assert.equal(
        refusal(await cases.put('quinn', id, { ...cancelling, password })),
        '403 deviation_reporter_cannot_cancel',
      )
      const wrong = await cases.put('quentin', id, { ...cancelling, password: 'wrong' })
      assert.equal(wrong.statusCode, 401)
      ok(await cases.put('quentin', id, { ...cancelling, password }))
      const { signature_id } = (await cases.get('uma', id, '/history')).at(-1)
      const { verification, signer } = ok(await world.as('otto').get(`/api/signatures/${signature_id}`))
      assert.deepEqual([signer.username, verification.status], ['quentin', 'valid'])
    }
  })

  it('does not become unsigned by a lower severity in the same request', async () => {
    const { id } = await cases.report({ severity: 'critical' })
    const reply = await cases.put('quentin', id, { ...cancelling, severity: 'minor' })
    assert.equal(refusal(reply), '409 deviation_severity_fixed_by_cancelling')
  })

  it('of a minor one is the reporter’s own', async () => {
    const { id } = await cases.report({ by: 'quinn' })
    ok(await cases.put('quinn', id, cancelling))
  })
})
