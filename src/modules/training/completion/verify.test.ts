import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { signatures } from '#test/builders/signatures.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let training: ReturnType<typeof trainings>
let seals: ReturnType<typeof signatures>

before(async () => {
  world = await openWorld()
  training = trainings(world)
  seals = signatures(world)
})
after(() => world.close())

const detailOf = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().detail}`
const onTheJob = (fields: object = {}) =>
  training.create({ type: 'on_the_job', requires_verification: true, ...fields })

describe('what was completed of a program that asks for a trainer', () => {
  it('counts once one has verified it, with a signature of their own', async () => {
    const { id, number } = await onTheJob()
    const assignment = await training.assign(id, ['uma'])
    const done = ok(await training.complete('uma', id))
    assert.deepEqual([done.status, done.is_valid, done.verification.required], ['completed', false, true])
    const verified = ok(await training.verify('petra', assignment, { comment: 'Watched twice' }))
    assert.deepEqual(
      [verified.is_valid, verified.verification.verified_by.username, verified.status],
      [true, 'petra', 'completed'],
    )
    const listed = await seals.listed('training_assignment', assignment)
    assert.deepEqual(
      listed.map(each => [each.signature_type, each.signer.username, each.occasion.kind, each.intent]),
      [
        ['training', 'uma', 'training', `I have completed ${number}: Gowning`],
        ['verification', 'petra', 'training_verification', 'Watched twice'],
      ],
    )
    assert.match(detailOf(await training.verify('quentin', assignment)), /^409 .* has already been verified/)
    await assert.rejects(
      world.rows('update training_assignments set verified_at = now() where id = $1', [assignment]),
      /training assignment \d+ is verified/,
    )
  })

  it('is verified by another person than the trainee, who is refused and remembered', async () => {
    const { id } = await onTheJob()
    const assignment = await training.assign(id, ['petra'])
    ok(await training.complete('petra', id))
    assert.match(
      detailOf(await training.verify('petra', assignment)),
      /^403 You completed TRN-\d+ yourself, so another person must verify it\.$/,
    )
    const denied = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc')).items[0]
    assert.match(denied.reason, /another person must verify it\.$/)
    ok(await training.verify('quentin', assignment))
  })

  it('is not verified before it is completed, nor where nobody asks for it, nor by who proves no identity', async () => {
    const { id } = await onTheJob()
    const assignment = await training.assign(id, ['uma'])
    assert.match(
      detailOf(await training.verify('petra', assignment)),
      /^409 TRN-\d+ is assigned\. It can be verified once it is completed\.$/,
    )
    ok(await training.complete('uma', id))
    assert.equal((await training.verify('petra', assignment, { password: 'wrong' })).statusCode, 401)
    assert.equal((await training.verify('uma', assignment)).statusCode, 403)
    assert.equal(detailOf(await training.verify('rita', assignment)), '404 Training assignment not found')
    const plain = await training.create()
    const other = await training.assign(plain.id, ['uma'])
    ok(await training.complete('uma', plain.id))
    assert.match(detailOf(await training.verify('petra', other)), /^409 TRN-\d+ does not require verification\.$/)
  })

  it('is verified once, however many try at once', async () => {
    const { id } = await onTheJob()
    const assignment = await training.assign(id, ['uma'])
    ok(await training.complete('uma', id))
    const replies = await Promise.all(['petra', 'quentin', 'quinn', 'ada'].map(by => training.verify(by, assignment)))
    assert.deepEqual(replies.map(({ statusCode }) => statusCode).filter(status => status === 200).length, 1)
    assert.equal((await seals.listed('training_assignment', assignment)).length, 2)
  })
})
