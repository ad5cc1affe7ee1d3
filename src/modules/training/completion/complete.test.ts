import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { meeting } from '#test/builders/races.ts'
import { signatures } from '#test/builders/signatures.ts'
import { questions, trainings } from '#test/builders/training.ts'
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
const codeOf = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`

describe("one's own training", () => {
  it('is begun, again without anything changing, and completed with a signature (proves: TRN-03)', async () => {
    const { id, number } = await training.reading()
    const assignment = await training.assign(id, ['uma'])
    const begun = ok(await training.start('uma', id))
    assert.deepEqual([begun.assignment_id, begun.status, begun.revision], [assignment, 'in_progress', 2])
    assert.deepEqual(ok(await training.start('uma', id)), begun)
    const done = ok(await training.complete('uma', id, { document_version: '1.0' }))
    assert.deepEqual(
      [done.status, done.passed, done.score, done.attempts_left, done.is_valid, done.document.version],
      ['completed', true, null, null, true, '1.0'],
    )
    const [signature] = await seals.listed('training_assignment', assignment)
    assert.equal(signature.id, done.signature_id)
    assert.deepEqual(
      [signature.signature_type, signature.signer.username, signature.occasion.kind],
      ['training', 'uma', 'training'],
    )
    assert.match(signature.intent, /^I have read and understood version 1\.0 of Gowning/)
    assert.equal(signature.resource_number, `${number}, training ${assignment}`)
  })

  it("is nobody else's: who has it not is told so, or nothing of it", async () => {
    const { id } = await training.create()
    await training.assign(id, ['uma'])
    assert.equal(codeOf(await training.complete('petra', id)), '409 training_not_assigned_to_you')
    assert.equal(detailOf(await training.complete('alan', id)), '404 Training program not found')
    assert.equal(detailOf(await training.start('rob', id)), '404 Training program not found')
    assert.equal((await training.complete('otto', id)).statusCode, 403)
  })

  it('is completed once, and never changes after', async () => {
    const { id, number } = await training.create()
    const assignment = await training.assign(id, ['uma'])
    const replies = await Promise.all(Array.from({ length: 50 }, () => training.complete('uma', id)))
    const refused = replies.filter(({ statusCode }) => statusCode !== 200)
    assert.equal(refused.length, 49)
    for (const reply of refused)
      assert.match(detailOf(reply), new RegExp(`^409 ${number} is completed and cannot become completed`))
    assert.equal((await seals.listed('training_assignment', assignment)).length, 1)
    for (const change of ['completed_at = now()', 'score = 3', "program_title = 'x'", "due_date = '2199-01-31'"])
      await assert.rejects(
        world.rows(`update training_assignments set ${change} where id = $1`, [assignment]),
        /training assignment \d+ is completed/,
      )
  })

  it('asks for the identity, whatever the answers are', async () => {
    const program = await training.create({ type: 'quiz', questions })
    const assignment = await training.assign(program.id, ['uma'])
    const seen = await training.get('uma', program.id)
    for (const wrong of [0, 2]) {
      const answers = training.answersTo(seen, { wrong })
      assert.equal((await training.complete('uma', program.id, { answers, password: 'wrong' })).statusCode, 401)
      assert.equal(
        (await training.complete('uma', program.id, { answers, password: undefined }, { logged_in: 3600 })).statusCode,
        401,
      )
    }
    assert.equal((await training.assignment(assignment)).attempts, 0)
  })

  it('of a program that is valid for some months says until when', async () => {
    const { id } = await training.create({ valid_months: 12 })
    await training.assign(id, ['uma'])
    const done = ok(await training.complete('uma', id))
    const today = new Date().toISOString().slice(0, 10)
    assert.equal(done.valid_until.slice(0, 4), String(Number(today.slice(0, 4)) + 1))
    assert.equal(done.valid_until.slice(5), today.slice(5) === '02-29' ? '02-28' : today.slice(5))
  })
})

describe('what comes after another program in a curriculum', () => {
  it('is begun and completed once that one is', async () => {
    const [first, second] = [await training.create({ title: 'Basics' }), await training.create()]
    ok(
      await world.as('quinn').post('/api/training/curricula/', {
        name: 'Operators',
        role_names: ['User'],
        programs: [{ training_id: first.id, is_prerequisite: true }, { training_id: second.id }],
      }),
    )
    for (const { id } of [first, second]) await training.assign(id, ['uma', 'alan'])
    const { number } = first
    assert.deepEqual((await training.get('uma', second.id)).prerequisites, [{ id: first.id, number, title: 'Basics' }])
    const words = `409 Complete ${number} (Basics) before ${second.number}. Your curriculum sets this order.`
    assert.equal(detailOf(await training.start('uma', second.id)), words)
    assert.equal(detailOf(await training.complete('uma', second.id)), words)
    ok(await training.complete('uma', first.id))
    ok(await training.complete('uma', second.id))
  })
})

describe('a reading', () => {
  it('is of the version in force: an older one is not signed any more', async () => {
    const program = await training.reading()
    const document = program.document_id
    await training.assign(program.id, ['uma'])
    const older = await training.complete('uma', program.id, { document_version: '1.1' })
    assert.equal(codeOf(older), '409 training_version_changed')
    assert.match(detailOf(older), /is now about version 1\.0\. Read version 1\.0 and try again\.$/)
    const { move, addVersion, approve } = papers(world)
    ok(await addVersion(document, { change_type: 'major' }))
    ok(await move('alan', document, 'submit'))
    ok(await approve('petra', document))
    ok(await approve('quentin', document))
    const now = (await training.get('uma', program.id)).my_assignment
    const reply = await training.complete('uma', program.id, { document_version: '1.0' })
    assert.equal(reply.statusCode, 409)
    assert.match(reply.json().detail, /Read version 2\.0/)
    assert.equal(now.status, 'assigned')
  })

  it('of a version that another one has replaced is not signed, also before the job has come to it that moves many people on', async () => {
    const program = await training.reading()
    const assignment = await training.assign(program.id, ['uma'])
    const { move, addVersion, approve } = papers(world)
    ok(await addVersion(program.document_id, { change_type: 'major' }))
    ok(await move('alan', program.document_id, 'submit'))
    ok(await approve('petra', program.document_id))
    ok(await approve('quentin', program.document_id))
    const first = '(select min(id) from document_versions where document_id = $2)'
    await behindTheApi(
      world,
      'training_assignments',
      `update training_assignments set version_id = ${first} where id = $1`,
      [assignment, program.document_id],
    )
    assert.match(
      detailOf(await training.complete('uma', program.id)),
      /^409 Version 1\.0 is no longer effective\. Read version 2\.0, which TRN-\d+ is about now\.$/,
    )
  })

  it('waits for a version of its document', async () => {
    const { id: document_id } = await papers(world).upload({ title: 'A draft' })
    const program = await training.create({ type: 'read_and_understand', document_id })
    await training.assign(program.id, ['uma'])
    assert.equal(codeOf(await training.complete('uma', program.id)), '409 training_version_not_effective_yet')
  })
})

describe('what changes while somebody completes it', () => {
  it('is not signed unseen: the training is read again', async () => {
    const { id } = await training.create()
    const assignment = await training.assign(id, ['uma'])
    // As a release does that moves it to another version.
    const text = `with quiet as (select set_config('session_replication_role', 'replica', true))
      update training_assignments set content_revision = content_revision + 1 from quiet where id = $1`
    const [reply] = await meeting(world, { text, values: [assignment], waiting: 1 }, () => [
      training.complete('uma', id),
    ])
    assert.equal(codeOf(reply!), '409 training_changed_meanwhile')
    assert.deepEqual(await seals.listed('training_assignment', assignment), [])
    ok(await training.complete('uma', id))
  })
})

describe('a quiz', () => {
  it('that is not passed is kept, and leaves attempts; with the last the training has failed', async () => {
    const program = await training.create({ type: 'quiz', questions, max_attempts: 2 })
    const assignment = await training.assign(program.id, ['uma'])
    const seen = await training.get('uma', program.id)
    assert.equal(seen.attempts_left, 2)
    const once = ok(await training.complete('uma', program.id, { answers: training.answersTo(seen, { wrong: 1 }) }))
    assert.deepEqual(
      [once.passed, once.score, once.attempts_left, once.status, once.signature_id],
      [false, 50, 1, 'in_progress', null],
    )
    const again = ok(await training.complete('uma', program.id, { answers: [] }))
    assert.deepEqual([again.passed, again.score, again.attempts_left, again.status], [false, 0, null, 'failed'])
    assert.match(again.reason, /^Scored 0 %, and 80 % is required \(attempt 2 of 2\)$/)
    assert.match(
      detailOf(await training.complete('uma', program.id, { answers: [] })),
      /is failed and cannot become completed/,
    )
    assert.deepEqual(await seals.listed('training_assignment', assignment), [])
    const attempts = await world.rows(
      'select attempt_number, score, passed from training_attempts where assignment_id = $1 order by id',
      [assignment],
    )
    assert.deepEqual(attempts, [
      { attempt_number: 1, score: 50, passed: false },
      { attempt_number: 2, score: 0, passed: false },
    ])
    const trail = ok(
      await world.as('otto').get(`/api/audit/?resource_type=training_assignment&resource_id=${assignment}&sort=id:asc`),
    )
    assert.deepEqual(
      trail.items.map(({ action }: Json) => action),
      ['training_assignment.assigned', 'training_assignment.attempted', 'training_assignment.failed'],
    )
  })

  it('that is passed is signed with its score', async () => {
    const program = await training.create({ type: 'quiz', questions, passing_score: 50 })
    await training.assign(program.id, ['uma'])
    const seen = await training.get('uma', program.id)
    const done = ok(
      await training.complete('uma', program.id, {
        answers: training.answersTo(seen, { wrong: 1 }),
        quiz_version: seen.quiz_version,
      }),
    )
    assert.deepEqual([done.passed, done.score, done.status, done.attempts], [true, 50, 'completed', 1])
    const { content } = JSON.parse((await seals.read(done.signature_id)).payload)
    assert.deepEqual([content.attempt.score, content.attempt.quiz.version, content.score], [50, 1, 50])
  })

  it('is judged by the questions that were asked: others are to be read again', async () => {
    const program = await training.create({ type: 'quiz', questions })
    await training.assign(program.id, ['uma'])
    const seen = await training.get('uma', program.id)
    const changed = ok(
      await world.as('quinn').put(training.url(program.id), {
        questions: program.questions.toReversed(),
        change_reason: 'The other way round',
      }),
    )
    assert.equal(changed.quiz_version, 2)
    const answers = training.answersTo(seen)
    assert.equal(
      codeOf(await training.complete('uma', program.id, { answers, quiz_version: 1 })),
      '409 training_questions_changed',
    )
    const refused = await training.complete('uma', program.id)
    const [{ loc, type }] = refused.json().detail
    assert.deepEqual([refused.statusCode, loc, type], [422, ['body', 'answers'], 'training_answers_required'])
    ok(await training.complete('uma', program.id, { answers, quiz_version: 2 }))
  })
})
