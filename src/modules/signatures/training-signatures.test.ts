// A training that was completed, and its verification, are signed: what each signature holds, and that nobody alters anything of it
// unseen (21 CFR 11.50, 11.70).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { altered, intact, signatures } from '#test/builders/signatures.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let training: ReturnType<typeof trainings>
let seals: ReturnType<typeof signatures>
/** Read, asked about, completed by uma in the second attempt, and verified by petra. */
let program: Json
let assignment: number
let completion: number
let verification: number

before(async () => {
  world = await openWorld()
  training = trainings(world)
  seals = signatures(world)
  program = await training.reading({ questions, requires_verification: true, valid_months: 12 })
  assignment = await training.assign(program.id, ['uma'])
  ok(await training.complete('uma', program.id, { answers: [] }))
  const answers = training.answersTo(await training.get('uma', program.id))
  ok(await training.complete('uma', program.id, { answers }))
  ok(await training.verify('petra', assignment))
  ;[completion, verification] = (await seals.listed('training_assignment', assignment)).map(({ id }) => id) as [
    number,
    number,
  ]
})
after(() => world.close())

const payloadOf = async (id: number) => JSON.parse((await seals.read(id)).payload)

describe('the signatures of a training', () => {
  it('hold who was trained on which bytes, and what they answered (proves: TRN-03, SIG-01)', async () => {
    const { content, record, signer } = await payloadOf(completion)
    const [version] = await world.rows<{ sha256: string }>(
      'select sha256 from document_versions where document_id = $1',
      [program.document_id],
    )
    assert.deepEqual(content.document_version, { version: '1.0', sha256: version!.sha256 })
    assert.deepEqual([content.program_title, content.score, content.attempts], [program.title, 100, 2])
    assert.deepEqual(
      [content.attempt.attempt_number, content.attempt.quiz.version, content.attempt.passed],
      [2, 1, true],
    )
    assert.equal(content.attempt.answers.length, 2)
    assert.deepEqual(
      [record.type, record.number, signer.username],
      ['training_assignment', `${program.number}, training ${assignment}`, 'uma'],
    )
    assert.deepEqual((await payloadOf(verification)).content, content)
    for (const each of [completion, verification]) {
      const { checks, status } = (await seals.read(each)).verification
      assert.deepEqual([checks.length, status], [10, 'valid'])
    }
  })

  it('are shown to the trainee, also the one of the trainer, and to who reads all training; to nobody else', async () => {
    const seen = async (by: string) => (await seals.listed('training_assignment', assignment, by)).map(({ id }) => id)
    for (const by of ['uma', 'petra', 'otto', 'quentin'])
      assert.deepEqual(await seen(by), [completion, verification], by)
    for (const by of ['alan', 'rita']) assert.deepEqual(await seen(by), [], by)
    assert.deepEqual(await seals.found(verification, 'uma'), intact)
    assert.equal((await world.as('alan').get(`/api/signatures/${completion}`)).statusCode, 404)
  })

  it('stay what they are when the program is called something else and asks other questions', async () => {
    const change = { title: 'Called otherwise', questions: program.questions.slice(1), change_reason: 'Shorter' }
    ok(await world.as('quinn').put(training.url(program.id), change))
    assert.deepEqual([await seals.found(completion), await seals.found(verification)], [intact, intact])
  })

  it('are not declared void: the answer says what to do instead', async () => {
    for (const id of [completion, verification]) {
      const reply = await world.as('quinn').post(`/api/signatures/${id}/void`, { reason: 'A mistake' })
      assert.equal(reply.statusCode, 409)
      assert.equal(reply.json().code, 'signature_of_training')
    }
  })
})

describe('what was altered of a training past the service is found', () => {
  const ofRow: Record<string, () => string> = {
    program_title: () => `'Other'`,
    user_id: () => String(world.people.alan!.id),
    source: () => `'bulk'`,
    source_id: () => '7',
    due_date: () => `'2199-01-01'`,
    assigned_at: () => `'2020-01-01'`,
    assigned_by: () => 'null',
    started_at: () => `'2020-01-01'`,
    completed_at: () => `'2020-01-01'`,
    attempts: () => '1',
    score: () => '99',
    valid_until: () => 'null',
  }
  for (const [column, to] of Object.entries(ofRow))
    it(`training_assignments.${column}`, async () => {
      const look = async () => [await seals.found(completion), await seals.found(verification)]
      const found = await seals.whileAltered('training_assignments', assignment, { [column]: to() }, look)
      assert.deepEqual(found, [altered('record_integrity'), altered('record_integrity')])
      assert.deepEqual(await look(), [intact, intact])
    })

  for (const [table, column, to, name] of [
    ['training_attempts', 'answers', `'[]'`, 'attempt'],
    ['training_attempts', 'score', '7', 'attempt'],
    ['training_attempts', 'passed', 'false', 'attempt'],
    ['training_attempts', 'submitted_at', `'2020-01-01'`, 'attempt'],
    ['training_quizzes', 'questions', `'[]'`, 'attempt'],
    ['training_quizzes', 'passing_score', '1', 'attempt'],
    ['document_versions', 'sha256', `repeat('0', 64)`, 'document_version'],
  ] as const)
    it(`${table}.${column}`, async () => {
      const row = {
        training_attempts: 'select max(id) as id from training_attempts',
        training_quizzes: 'select min(id) as id from training_quizzes',
        document_versions: `select max(id) as id from document_versions where document_id = ${program.document_id}`,
      }[table]
      const [{ id }] = (await world.rows<{ id: string }>(row)) as [{ id: string }]
      const look = () => seals.detail('record_integrity', completion)
      const detail = await seals.whileAltered(table, Number(id), { [column]: to }, look)
      assert.match(detail, new RegExp(`: ${name}$`))
    })

  it('in whatever it holds: no column is left out', async () => {
    const columnsOf = async (table: string) =>
      (
        await world.rows<{ name: string }>(
          `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
          [table],
        )
      ).map(({ name }) => name)
    const { content } = await payloadOf(completion)
    const beside = [
      ...[
        'id',
        'tenant_id',
        'status',
        'content_revision',
        'revision',
        'notice_on',
        'updated_at',
        'updated_by',
        'reason',
      ],
      ...['signature_id', 'verified_at', 'verified_by', 'verification_signature_id'],
      // The database holds that an imported training has no signature.
      ...['migration_batch_id', 'counts'],
    ]
    const left = (await columnsOf('training_assignments')).filter(name => !(name in content) && !beside.includes(name))
    assert.deepEqual(left, [])
    const ofAttempt = await columnsOf('training_attempts')
    const keys = ['id', 'tenant_id', 'assignment_id', 'quiz_id']
    assert.deepEqual(
      ofAttempt.filter(name => !(name in content.attempt) && !keys.includes(name)),
      [],
    )
  })
})
