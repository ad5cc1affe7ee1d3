// Training gates of documents and signatures (proves: TRN-04).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { meeting } from '#test/builders/races.ts'
import { trainings } from '#test/builders/training.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let gated: ReturnType<typeof gatedDocuments>
let paper: ReturnType<typeof papers>
let training: ReturnType<typeof trainings>
before(async () => {
  world = await openWorld()
  gated = gatedDocuments(world)
  paper = papers(world)
  training = trainings(world)
})
after(() => world.close())

const detailOf = (reply: { statusCode: number; json(): Json }) => `${reply.statusCode} ${reply.json().detail}`
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

describe('before_effective: a version', () => {
  it('waits until enough of those who are assigned it have completed it, and is effective with the last that it takes', async () => {
    const type = await gated.type({ training_gate: 'before_effective', training_threshold: 75 })
    const { id } = await gated.draft(type.id)
    const reading = await gated.assign(id, ['uma', 'anna', 'petra', 'quentin'])
    assert.deepEqual(await gated.standings(reading), [
      ...['anna assigned - manual', 'petra assigned - manual', 'quentin assigned - manual', 'uma assigned - manual'],
    ])
    assert.match(
      detailOf(await world.as('uma').post(`/api/training/${reading}/complete`, {})),
      /^409 .*no effective version yet/,
    )
    assert.equal((await gated.release(id)).status, 'approved')
    assert.equal((await gated.standings(reading))[0], 'anna assigned 1.0 manual')
    const { training: gate, waits_for } = await gated.gateOf(id)
    const words = '0 of 4 people have completed its training; 75 % are needed'
    assert.deepEqual(gate, {
      ...{ gate: 'before_effective', in_words: words, threshold: 75, assigned: 4, completed: 0, not_trained: [] },
    })
    assert.ok(waits_for.includes(words), waits_for)
    for (const name of ['uma', 'anna']) {
      await gated.complete(name, reading)
      await world.tick()
      assert.equal(await gated.statusOf(id), 'approved')
    }
    await gated.complete('petra', reading)
    assert.equal(await gated.statusOf(id), 'effective')
    const [last] = (await paper.get('quinn', id, '/history')).slice(-1)
    assert.deepEqual([last.transition, last.trigger], ['make_effective', 'automatic'])
    assert.equal(
      (await gated.gateOf(id)).training.in_words,
      '3 of 4 people have completed its training; 75 % are needed',
    )
  })

  it('is read before that by those who are to, and by nobody else without the right to', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    const { id } = await gated.draft(type.id)
    const reading = await gated.assign(id, ['uma'])
    const seen = async (name: string) => [
      (await world.as(name).get(`/api/documents/${id}`)).statusCode,
      (await world.as(name).get(`/api/documents/${id}/download`)).statusCode,
    ]
    assert.deepEqual(await seen('uma'), [404, 404])
    await gated.release(id)
    assert.deepEqual(await seen('uma'), [200, 200])
    assert.deepEqual(await seen('anna'), [404, 404])
    await gated.complete('uma', reading)
    assert.deepEqual(await seen('anna'), [200, 200])
  })

  it('keeps its day: training that is complete before it does not hasten it', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    const { id } = await gated.draft(type.id, { effective_date: inDays(3) })
    const reading = await gated.assign(id, ['uma'])
    await gated.release(id)
    await gated.complete('uma', reading)
    assert.equal(await gated.statusOf(id), 'approved')
    world.clock.moved_ms = 3 * 86_400_000
    try {
      await world.tick()
      assert.equal(await gated.statusOf(id), 'effective')
    } finally {
      world.clock.moved_ms = 0
    }
  })

  it('that nobody is assigned waits for nobody', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    const { id, number } = await gated.draft(type.id)
    const preview = async () =>
      ok(
        await world
          .as('quinn')
          .post(`/api/workflow-templates/${type.workflow_template.id}/preview`, { document_id: id }),
      ).warnings.filter((each: string) => each.includes(number))
    assert.match(
      (await preview())[0],
      /^Nobody is assigned the training of GT\d+-\d+, so its training gate waits for nobody/,
    )
    const { warnings } = ok(await paper.move('alan', id, 'submit'))
    assert.deepEqual(
      warnings.map(({ code }: Json) => code),
      ['document_training_assigned_to_nobody'],
    )
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
    const other = await gated.draft(type.id)
    await gated.assign(other.id, ['uma'])
    assert.deepEqual(ok(await paper.move('alan', other.id, 'submit')).warnings, [])
    assert.equal((await gated.gateOf(id)).training.in_words, 'Its training is assigned to nobody, so it waits for none')
  })

  it('waits no more for those who are waived or deactivated', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    const { id } = await gated.draft(type.id)
    const reading = await gated.assign(id, ['uma', 'anna', 'petra'])
    await gated.release(id)
    await gated.complete('uma', reading)
    const [{ id: ofPetra }] = (await world.rows<{ id: number }>(
      'select id::int from training_assignments where program_id = $1 and user_id = $2',
      [reading, world.people.petra!.id],
    )) as [{ id: number }]
    ok(await world.as('quinn').post(`/api/training/assignments/${ofPetra}/waive`, { reason: 'Wrote it' }))
    await world.tick()
    assert.equal(await gated.statusOf(id), 'approved')
    ok(await world.as('ada').post(`/api/users/${world.people.anna!.id}/deactivate`))
    await world.tick()
    assert.equal(await gated.statusOf(id), 'effective')
    ok(await world.as('ada').post(`/api/users/${world.people.anna!.id}/reactivate`))
  })

  it('waits for the trainer where what was read is verified', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    const { id } = await gated.draft(type.id)
    const reading = await gated.assign(id, ['uma'])
    ok(await world.as('quinn').put(`/api/training/${reading}`, { requires_verification: true, change_reason: 'Hard' }))
    await gated.release(id)
    const { assignment_id } = await gated.complete('uma', reading)
    await world.tick()
    assert.equal(await gated.statusOf(id), 'approved')
    ok(await training.verify('petra', assignment_id))
    assert.equal(await gated.statusOf(id), 'effective')
  })

  it('moves once, whoever completes last at the same moment as another and as the clock looks', async () => {
    const type = await gated.type({ training_gate: 'before_effective' })
    for (let repetition = 0; repetition < races(10); repetition++) {
      const { id } = await gated.draft(type.id)
      const reading = await gated.assign(id, ['uma', 'petra'])
      await gated.release(id)
      const lock = { text: 'select from documents where id = $1 for update', values: [id], waiting: 2 }
      await meeting<unknown>(world, lock, () => [
        gated.complete('uma', reading),
        gated.complete('petra', reading),
        world.tick(),
      ])
      await world.tick()
      const history: Json[] = await paper.get('quinn', id, '/history')
      assert.equal(history.filter(({ transition }) => transition === 'make_effective').length, 1)
    }
  })
})

describe('before_access: the file of a document', () => {
  it('is for those who are being trained on it or are, and for those who work on it', async () => {
    const type = await gated.type({ training_gate: 'before_access' })
    const { id, number } = await gated.released(type.id)
    const download = (name: string) => world.as(name).get(`/api/documents/${id}/download`)
    assert.equal(
      detailOf(await download('uma')),
      `403 Only people trained on ${number} may open its file. Ask for a training on it.`,
    )
    const reading = await gated.assign(id, ['anna'])
    const { number: name } = await training.get('quinn', reading)
    assert.equal(
      detailOf(await download('uma')),
      `403 Only people trained on ${number} may open its file. Ask for the training ${name}.`,
    )
    const [denied] = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc')).items
    assert.match(denied.reason, new RegExp(`Ask for the training ${name}\\.`))
    assert.equal((await world.as('uma').get(`/api/documents/${id}`)).statusCode, 200)
    for (const each of ['alan', 'quinn', 'petra', 'otto']) assert.equal((await download(each)).statusCode, 200, each)
    await gated.assign(id, ['uma'])
    assert.equal((await download('uma')).statusCode, 200)
    assert.deepEqual(await gated.standings(reading), ['anna assigned 1.0 manual', 'uma assigned 1.0 manual'])
    ok(await training.start('uma', reading))
    const [started] = ok(
      await world.as('otto').get('/api/audit/?action=training_assignment.started&sort=id:desc'),
    ).items
    assert.equal(started.user.username, 'uma')
    await gated.complete('uma', reading)
    assert.equal((await download('uma')).statusCode, 200)
    assert.equal((await world.as('uma').get(`/api/documents/${id}/download?rendition=signed`)).statusCode, 200)
  })

  it('is a gate that a document can have of its own, set while it is a draft by whom the permission names', async () => {
    const type = await gated.type({})
    const { id } = await gated.draft(type.id)
    const put = (by: string, body: object) =>
      world.as(by).put(`/api/documents/${id}`, { change_reason: 'Delicate', ...body })
    assert.equal((await put('alan', { training_gate: 'before_access' })).statusCode, 403)
    const changed = ok(await put('petra', { training_gate: 'before_access', training_threshold: 80 }))
    assert.deepEqual(changed.training, { gate: 'before_access', threshold: 80, is_own: true })
    assert.equal((await put('petra', { training_gate: 'before_sign' })).statusCode, 422)
    await gated.release(id)
    assert.equal((await put('petra', { training_gate: 'none' })).statusCode, 409)
    assert.equal((await world.as('uma').get(`/api/documents/${id}/download`)).statusCode, 403)
    const [entry] = ok(
      await world.as('otto').get(`/api/audit/?action=document.updated&resource_id=${id}&resource_type=document`),
    ).items
    assert.deepEqual(entry.changes.training_gate, { from: null, to: 'before_access' })
  })
})

describe('before_sign: who decides about a document', () => {
  it('is trained in each of the programs of its type; else it is said which are missing, and remembered', async () => {
    const approving = await training.create({ title: 'Approving' })
    const signing = await training.create({ title: 'Signing', valid_months: 1 })
    const type = await gated.type({ training_gate: 'before_sign', signing_program_ids: [approving.id, signing.id] })
    const { id, number } = await gated.draft(type.id)
    ok(await paper.move('alan', id, 'submit'))
    const lack = (...programs: Json[]) =>
      `403 You need a valid training in ${programs.map(each => `${each.number} ${each.title}`).join(', ')} to decide about ${number}. Complete the training first.`
    assert.equal(detailOf(await paper.approve('quentin', id)), lack(approving, signing))
    const [denied] = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc')).items
    assert.match(denied.reason, /Approving, TRN-\d+ Signing/)
    await training.assign(approving.id, ['quentin'])
    await training.assign(signing.id, ['quentin'])
    ok(await training.complete('quentin', approving.id))
    assert.equal(detailOf(await paper.approve('quentin', id, { decision: 'reject', comment: 'No' })), lack(signing))
    const before = await gated.gateOf(id)
    assert.deepEqual(before.training.not_trained.find(({ person }: Json) => person.username === 'quentin').lacks, [
      `${signing.number} Signing`,
    ])
    ok(await training.complete('quentin', signing.id))
    const after = await gated.gateOf(id)
    assert.ok(!after.training.not_trained.some(({ person }: Json) => person.username === 'quentin'))
    const [template] = await world.rows<{ id: number }>(
      'select workflow_template_id::int as id from document_types where id = $1',
      [type.id],
    )
    const tried = ok(
      await world.as('quinn').post(`/api/workflow-templates/${template!.id}/preview`, { document_id: id }),
    )
    const why = Object.fromEntries(
      tried.steps.flatMap(({ excluded }: Json) =>
        excluded.map(({ person, why }: Json) => [person.username, why.detail]),
      ),
    )
    assert.match(why.petra, /^This person has no valid training in TRN-\d+ Approving, TRN-\d+ Signing\.$/)
    assert.equal(why.quentin, undefined)
    world.clock.moved_ms = 40 * 86_400_000
    try {
      assert.equal(detailOf(await paper.approve('quentin', id)), lack(signing))
    } finally {
      world.clock.moved_ms = 0
    }
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
  })

  it('can be trained: a program that a type names is not archived', async () => {
    const program = await training.create({ title: 'Deciding' })
    const type = await gated.type({ training_gate: 'before_sign', signing_program_ids: [program.id] })
    const archive = () =>
      world.as('quinn').put(`/api/training/${program.id}`, { status: 'archived', change_reason: 'Nobody needs it' })
    assert.equal(
      detailOf(await archive()),
      `409 The document type ${type.name} requires ${program.number} of its approvers. Remove it from the document type first.`,
    )
    const to = { training_gate: 'none', signing_program_ids: [], change_reason: 'Not asked any more' }
    ok(await world.as('quinn').put(`/api/document-types/${type.id}`, to))
    assert.equal(ok(await archive()).status, 'archived')
  })

  it('is not trained any more where a newer version of what was read is to be read anew', async () => {
    const plain = await gated.type({})
    const { id: manual } = await gated.released(plain.id)
    const reading = await gated.assign(manual, ['quentin', 'petra'])
    await gated.complete('quentin', reading)
    const type = await gated.type({ training_gate: 'before_sign', signing_program_ids: [reading] })
    await gated.released(type.id)
    await gated.renew(manual)
    const { id } = await gated.draft(type.id)
    ok(await paper.move('alan', id, 'submit'))
    assert.equal((await paper.approve('quentin', id)).statusCode, 403)
    await gated.complete('quentin', reading)
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
  })
})
