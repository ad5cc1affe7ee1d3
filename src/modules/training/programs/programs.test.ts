import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { meeting } from '#test/builders/races.ts'
import { pathOf, send } from '#test/builders/samples.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let training: ReturnType<typeof trainings>

before(async () => {
  world = await openWorld()
  training = trainings(world)
})
after(() => world.close())

const detailOf = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().detail}`
const codeOf = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().code}`
const put = (id: number, body: object, by = 'quinn') => world.as(by).put(training.url(id), body)
const wrongIn = (reply: { statusCode: number; json(): Json }) => {
  assert.equal(reply.statusCode, 422)
  return reply.json().detail.map(({ loc, type }: Json) => `${loc.slice(1).join('.')} ${type}`)
}

describe('a training program', () => {
  it('is written with what is not said by default, and numbered without a gap (proves: TRN-02)', async () => {
    const first = await training.create({ type: 'quiz', questions })
    const { passing_score, max_attempts, shuffle, due_days, valid_months, requires_verification, status } = first
    assert.deepEqual(
      { passing_score, max_attempts, shuffle, due_days, valid_months, requires_verification, status },
      {
        passing_score: 80,
        max_attempts: 3,
        shuffle: true,
        due_days: 14,
        valid_months: null,
        requires_verification: false,
        status: 'active',
      },
    )
    assert.deepEqual([first.quiz_version, first.question_count], [1, 2])
    const refused = await world
      .as('quinn')
      .post('/api/training/', { title: 'Nothing to read', type: 'read_and_understand' })
    assert.deepEqual(wrongIn(refused), ['document_id training_document_required'])
    const second = await training.create()
    assert.deepEqual(
      [first, second].map(({ number }) => number),
      ['TRN-0001', 'TRN-0002'],
    )
    assert.equal(second.passing_score, null)
  })

  it('that is a quiz has questions, which are checked as a whole; how they are passed is said of them alone', async () => {
    const post = (body: object) => world.as('quinn').post('/api/training/', { title: 'Quiz', type: 'quiz', ...body })
    assert.deepEqual(wrongIn(await post({})), ['questions quiz_questions_required'])
    const allRight = questions.map(question => ({
      ...question,
      options: question.options.map(option => ({ ...option, is_correct: true })),
    }))
    assert.deepEqual(wrongIn(await post({ questions: allRight })), [
      'questions.0.options quiz_needs_one_correct_option',
    ])
    assert.deepEqual(wrongIn(await post({ type: 'classroom', passing_score: 50 })), [
      'passing_score quiz_settings_need_questions',
    ])
  })

  it('reads a document that its author may read, and is the only reading in use of it', async () => {
    const document = await training.effectiveDocument()
    const body = { title: 'Read it', type: 'read_and_understand', document_id: document.id }
    const lock = { text: 'select id from documents where id = $1 for update', values: [document.id], waiting: 3 }
    const replies = await meeting(world, lock, () =>
      [1, 2, 3].map(() => world.as('quinn').post('/api/training/', body)),
    )
    const [first, ...others] = replies.toSorted((one, other) => one.statusCode - other.statusCode)
    const program = ok(first!)
    for (const reply of others)
      assert.equal(
        detailOf(reply),
        `409 ${program.number} already covers this document. Change it, or archive it first.`,
      )
    assert.deepEqual(program.document, {
      id: document.id,
      number: document.number,
      title: document.title,
      version: '1.0',
    })
    ok(await put(program.id, { status: 'archived' }))
    const next = ok(
      await world
        .as('quinn')
        .post('/api/training/', { title: 'Again', type: 'read_and_understand', document_id: document.id }),
    )
    const back = await put(program.id, { status: 'active', change_reason: 'The other one was a mistake' })
    assert.match(detailOf(back), new RegExp(`^409 ${next.number} already covers this document`))
    const foreign = await world
      .as('rita')
      .post('/api/training/', { title: 'X', type: 'classroom', document_id: document.id })
    assert.equal(detailOf(foreign), '404 Document not found')
  })

  it('is made by assigning a document, once however many assign it at the same moment, and without a gap in the numbers', async () => {
    const { id: document_id, number, title } = await training.effectiveDocument('Assigned at once')
    const replies = await Promise.all(
      ['uma', 'alan', 'anna', 'petra'].map(name =>
        world.as('quinn').post('/api/training/assign', { document_id, user_ids: [world.people[name]!.id] }),
      ),
    )
    const [id, ...others] = new Set(replies.map(reply => ok(reply).training_id as number))
    assert.deepEqual(others, [])
    const program = await training.get('quinn', id!)
    assert.deepEqual([program.title, program.type], [`${number}: ${title}`, 'read_and_understand'])
    const next = await training.create()
    assert.equal(Number(next.number.slice(4)), Number(program.number.slice(4)) + 1)
  })

  it('is changed with a reason once it was assigned; other questions are the next version of its quiz', async () => {
    const program = await training.create({ type: 'quiz', questions })
    const titled = ok(await put(program.id, { title: 'Gowning, grade B' }))
    assert.deepEqual([titled.title, titled.revision, titled.quiz_version], ['Gowning, grade B', 2, 1])
    await training.assign(program.id, ['uma'])
    assert.deepEqual(wrongIn(await put(program.id, { title: 'Gowning' })), [
      'change_reason training_assigned_reason_required',
    ])
    const change_reason = 'The procedure is another'
    const same = ok(await put(program.id, { questions: program.questions, passing_score: 80, change_reason }))
    assert.equal(same.quiz_version, 1)
    assert.equal(ok(await put(program.id, { passing_score: 100, change_reason })).quiz_version, 2)
    assert.equal(ok(await put(program.id, { questions: program.questions.slice(1), change_reason })).quiz_version, 3)
    assert.deepEqual(wrongIn(await put(program.id, { questions: [], change_reason })), [
      'questions quiz_questions_required',
    ])
    const stale = await put(program.id, { title: 'Late', revision: 1, change_reason })
    assert.equal(stale.statusCode, 409)
    assert.deepEqual(wrongIn(await put(program.id, { type: 'classroom', change_reason })), ['type extra_forbidden'])
  })

  it('is archived once it is open for nobody, and stays as it is then until it is taken into use again', async () => {
    const program = await training.create()
    const assignment = await training.assign(program.id, ['uma'])
    const change_reason = 'Replaced'
    const refused = await put(program.id, { status: 'archived', change_reason })
    assert.equal(codeOf(refused), '409 training_has_open_assignments')
    assert.match(detailOf(refused), /^409 One person has not completed TRN-\d+\./)
    ok(await training.complete('uma', program.id))
    assert.equal(ok(await put(program.id, { status: 'archived', change_reason })).status, 'archived')
    assert.equal(codeOf(await put(program.id, { title: 'Other', change_reason })), '409 training_archived_unchangeable')
    await assert.rejects(training.assign(program.id, ['uma']), /is archived\. Make it active again to assign it\./)
    assert.equal((await training.assignment(assignment)).status, 'completed')
    assert.equal(ok(await put(program.id, { status: 'active', title: 'Other', change_reason })).title, 'Other')
  })

  it('that is archived cancels what is open where that is asked for, with the reason', async () => {
    const program = await training.create()
    const assignment = await training.assign(program.id, ['uma', 'alan'])
    ok(await training.start('uma', program.id))
    ok(await put(program.id, { status: 'archived', cancel_open: true, change_reason: 'Nobody gowns any more' }))
    const open = await world.rows('select status, reason from training_assignments where program_id = $1', [program.id])
    const cancelled = { status: 'cancelled', reason: 'Nobody gowns any more' }
    assert.deepEqual(open, [cancelled, cancelled])
    const trail = ok(
      await world.as('otto').get(`/api/audit/?resource_type=training_assignment&resource_id=${assignment}`),
    )
    assert.equal(trail.items[0].action, 'training_assignment.cancelled')
  })

  it('that is archived cancels what many people have open in a job, and leaves what is completed before it came to it', async () => {
    const program = await training.create()
    await training.assign(program.id, ['uma', 'alan'])
    await world.superuser.query(`begin; set local session_replication_role = replica;
      insert into users (tenant_id, username, email, role_id, is_active)
        select u.tenant_id, 'many' || n, 'many' || n || '@example.com', u.role_id, true
          from users u, generate_series(1, 300) n where u.username = 'uma';
      insert into training_assignments (tenant_id, program_id, user_id, status, source, due_date)
        select tenant_id, ${program.id}, id, 'assigned', 'manual', '2199-01-01' from users where username like 'many%'; commit`)
    ok(await put(program.id, { status: 'archived', cancel_open: true, change_reason: 'Replaced' }))
    ok(await training.complete('uma', program.id))
    await world.work()
    const counts = await world.rows(
      'select status, count(*)::int as n from training_assignments where program_id = $1 group by 1 order by 1',
      [program.id],
    )
    assert.deepEqual(counts, [
      { status: 'cancelled', n: 301 },
      { status: 'completed', n: 1 },
    ])
  })

  it('is known to who has or had it, and to who manages, assigns or reviews training', async () => {
    const program = await training.create({ title: 'Known to few' })
    const seen = async (by: string) =>
      (ok(await world.as(by).get('/api/training/?q=known to few')).total as number) +
      ((await world.as(by).get(training.url(program.id))).statusCode === 200 ? 1 : 0)
    assert.deepEqual(
      [await seen('quinn'), await seen('petra'), await seen('otto'), await seen('uma'), await seen('rita')],
      [2, 2, 2, 0, 0],
    )
    await training.assign(program.id, ['uma'])
    assert.equal(await seen('uma'), 2)
  })

  it('tells the audit trail of its questions by their hash, and the reason of a change', async () => {
    const program = await training.create({ type: 'quiz', questions })
    ok(await put(program.id, { questions: program.questions.slice(1), change_reason: 'One is enough' }))
    const { items } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=training_program&resource_id=${program.id}&sort=id:asc`),
    )
    assert.deepEqual(
      items.map(({ action, reason }: Json) => [action, reason]),
      [
        ['training_program.created', null],
        ['training_program.updated', 'One is enough'],
      ],
    )
    const { from, to } = items[1].changes.quiz
    assert.deepEqual([from.version, to.version, to.question_count], [1, 2, 1])
    assert.notEqual(from.questions_sha256, to.questions_sha256)
  })
})

describe('the questions of a program', () => {
  it('are asked in an order of each trainee, which stays until the next attempt', async () => {
    const many = Array.from({ length: 10 }, (_, i) => ({ ...questions[0]!, text: `Question ${i}` }))
    const program = await training.create({ type: 'quiz', questions: many })
    await training.assign(program.id, ['uma', 'alan'])
    const order = async (by: string) => (await training.get(by, program.id)).questions.map(({ text }: Json) => text)
    const ofUma = await order('uma')
    assert.deepEqual(await order('uma'), ofUma)
    assert.notDeepEqual(await order('alan'), ofUma)
    ok(await training.complete('uma', program.id, { answers: [] }))
    assert.notDeepEqual(await order('uma'), ofUma)
    assert.deepEqual((await order('uma')).toSorted(), ofUma.toSorted())
  })

  it('are shown with their key to who may change them, and with nothing of it to anybody else, wherever they ask', async () => {
    const program = await training.create({ type: 'quiz', questions })
    const [right] = program.questions[0].options
    assert.deepEqual([right.is_correct, program.questions[0].explanation], [true, 'It is Hood (right)'])
    const assignment = await training.assign(program.id, ['uma'])
    ok(await training.complete('uma', program.id, { answers: [] }))
    const ids: Record<string, number> = { 'training/assignments': assignment, training: program.id }
    for (const by of ['uma', 'otto'])
      for (const route of world.app.routes.filter(each => each.method === 'GET')) {
        const [first, second] = route.url.split('/').slice(2)
        const id = ids[`${first}/${second}`] ?? ids[first!] ?? 1
        const reply = await send(world, route, { path: pathOf(route.url, id) }, { token: await world.tokenOf(by) })
        assert.doesNotMatch(reply.body, /is_correct|explanation|It is Hood/, `${route.url} to ${by}`)
      }
    assert.equal((await training.get('uma', program.id)).questions.length, 2)
  })
})
