// The matrix of people and programs, and the record of one person, as JSON and as files.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { assignments, dayOf, daysGoBy } from '#test/builders/assignments.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let gated: ReturnType<typeof gatedDocuments>
let people: ReturnType<typeof assignments>
let training: ReturnType<typeof trainings>
/** Programs of each kind, in which people stand differently. */
let reading: Json
let verified: Json
let short: Json
let quiz: Json
let idle: Json
before(async () => {
  world = await openWorld()
  gated = gatedDocuments(world)
  people = assignments(world)
  training = trainings(world)
  const { id } = await gated.released((await gated.type({})).id)
  reading = await training.get('quinn', await gated.assign(id, ['uma', 'anna', 'petra', 'alan']))
  await gated.complete('uma', reading.id)
  await gated.complete('anna', reading.id)
  await gated.renew(id)
  await gated.complete('uma', reading.id)
  verified = await training.create({ title: '=Pipetting', type: 'on_the_job', requires_verification: true })
  const [ofUma] = [await training.assign(verified.id, ['uma']), await training.assign(verified.id, ['anna'])]
  for (const name of ['uma', 'anna']) ok(await training.complete(name, verified.id))
  ok(await training.verify('petra', ofUma, { comment: 'Seen' }))
  short = await training.create({ title: 'Fire drill', valid_months: 1 })
  await training.assign(short.id, ['uma'])
  ok(await training.complete('uma', short.id))
  quiz = await training.create({ title: 'Quiz', type: 'quiz', questions, max_attempts: 1 })
  await training.assign(quiz.id, ['uma', 'anna'])
  const answers = training.answersTo(await training.get('uma', quiz.id), { wrong: 2 })
  ok(await training.complete('uma', quiz.id, { answers }))
  const [ofAnna] = await people.of('anna', quiz.id)
  ok(await world.as('quinn').post(`/api/training/assignments/${ofAnna!.id}/waive`, { reason: 'Wrote the questions' }))
  idle = await training.create({ title: 'Nobody’s' })
})
after(() => world.close())

const ids = () => [reading, verified, short, quiz, idle].map(({ id }) => id)
const matrix = async (query: string, by = 'quinn'): Promise<Json> =>
  ok(await world.as(by).get(`/api/training/matrix?program_ids=${ids().join(',')}&${query}`))
const standingsOf = async (name: string) => {
  const { items } = await matrix(`user_ids=${world.people[name]!.id}`)
  return items[0].cells.map(({ status }: Json) => status)
}
const namesOf = ({ items }: Json) => items.map(({ user }: Json) => user.username)

describe('the training matrix', () => {
  it('says of each person where they stand in each program today', async () => {
    const { programs, items } = await matrix(`user_ids=${world.people.uma!.id}`)
    assert.deepEqual(
      programs.map(({ id }: Json) => id),
      ids(),
    )
    assert.deepEqual([items[0].user.username, items[0].role], ['uma', 'User'])
    assert.deepEqual(await standingsOf('uma'), ['trained', 'trained', 'trained', 'failed', 'not_assigned'])
    assert.deepEqual(await standingsOf('anna'), [
      'open',
      'awaiting_verification',
      'not_assigned',
      'waived',
      'not_assigned',
    ])
    const [cell] = items[0].cells
    assert.deepEqual([cell.version, cell.valid_until, cell.due_date], ['2.0', null, null])
    daysGoBy(world, 40)
    try {
      assert.deepEqual(await standingsOf('uma'), ['trained', 'trained', 'expired', 'failed', 'not_assigned'])
      assert.deepEqual((await standingsOf('petra'))[0], 'overdue')
      const [{ cells }] = (await matrix(`user_ids=${world.people.petra!.id}`)).items
      assert.equal(cells[0].due_date, dayOf(world, 14 - 40))
    } finally {
      world.clock.moved_ms = 0
    }
  })

  it('is of those who are asked for: by name, role, group, standing, in pages', async () => {
    const group = await people.group('anna', 'otto')
    assert.deepEqual(namesOf(await matrix(`group_id=${group.id}`)), ['anna', 'otto'])
    assert.deepEqual(namesOf(await matrix('role=Auditor')), ['otto'])
    assert.deepEqual(namesOf(await matrix('q=um')), ['uma'])
    assert.deepEqual(namesOf(await matrix('status=awaiting_verification')), ['anna'])
    assert.deepEqual(namesOf(await matrix('status=trained')), ['uma'])
    const all = await matrix('status=not_assigned')
    assert.equal(all.total, 8)
    const first = await matrix('page_size=3&sort=username:desc')
    assert.deepEqual([namesOf(first), first.total, first.pages], [['uma', 'quinn', 'quentin'], 8, 3])
    const second = await matrix('page_size=3&page=2&sort=username:desc')
    assert.deepEqual(namesOf(second), ['petra', 'otto', 'anna'])
  })

  it('narrowed to a standing shows exactly those who have it in one of the programs', async () => {
    const standings = [
      'trained',
      'overdue',
      'open',
      'awaiting_verification',
      'expired',
      'failed',
      'waived',
      'not_assigned',
    ]
    const seen = new Set<string>()
    for (const days of [0, 40]) {
      daysGoBy(world, days)
      const { items } = await matrix('sort=username:asc')
      for (const standing of standings) {
        const having = items.filter(({ cells }: Json) => cells.some(({ status }: Json) => status === standing))
        if (having.length > 0) seen.add(standing)
        const found = await matrix(`sort=username:asc&status=${standing}`)
        assert.deepEqual(namesOf(found), namesOf({ items: having }), `${standing} after ${days} days`)
      }
      world.clock.moved_ms = 0
    }
    assert.equal(seen.size, standings.length, 'each of them is somebody’s')
    const { items } = await matrix(`user_ids=${world.people.uma!.id}`)
    const [own] = await people.of('uma', reading.id).then(all => all.toReversed())
    assert.equal(items[0].cells[0].assignment_id, own!.id, 'a cell names its assignment')
    assert.equal(items[0].cells.at(-1).assignment_id, null)
  })

  it('is read by whom the permission names, of programs that are there', async () => {
    assert.equal((await world.as('uma').get('/api/training/matrix')).statusCode, 403)
    assert.equal((await world.as('otto').get('/api/training/matrix')).statusCode, 200)
    for (const bad of ['program_ids=1,,2', 'program_ids=a', 'status=well', 'sort=cells', 'format=xml', 'colour=red'])
      assert.equal((await world.as('quinn').get(`/api/training/matrix?${bad}`)).statusCode, 422, bad)
    assert.equal((await world.as('quinn').get('/api/training/matrix?program_ids=999999')).statusCode, 404)
    assert.equal((await world.as('rita').get(`/api/training/matrix?program_ids=${reading.id}`)).statusCode, 404)
  })

  it('leaves as CSV, whole, without a formula in it, and the audit trail says so', async () => {
    const reply = await world
      .as('quinn')
      .get(`/api/training/matrix?program_ids=${ids().join(',')}&format=csv&page_size=1`)
    assert.equal(reply.statusCode, 200)
    assert.match(String(reply.headers['content-type']), /^text\/csv; charset=utf-8/)
    assert.match(String(reply.headers['content-disposition']), /Training matrix \d{4}-\d\d-\d\d\.csv/)
    const lines = reply.body.split('\r\n')
    assert.equal(
      lines[0],
      `\uFEFFUsername,Full name,Role,${[reading, verified, short, quiz, idle].map(({ number, title }) => `${number} ${title}`).join(',')}`,
    )
    assert.equal(lines.length, 1 + 8 + 1)
    const uma = lines.find(line => line.startsWith('uma,'))!
    assert.match(
      uma,
      /^uma,Uma Example,User,trained \(2\.0\),trained,trained until \d{4}-\d\d-\d\d,FAILED,not assigned$/,
    )
    const [entry] = ok(await world.as('otto').get('/api/audit/?action=training_record.exported&sort=id:desc')).items
    assert.deepEqual(
      [entry.user.username, entry.changes.format.to, entry.changes.people.to, entry.changes.programs.to],
      ['quinn', 'csv', 8, 5],
    )
    const head = await world.server.inject({
      method: 'HEAD',
      url: '/api/training/matrix?format=csv',
      headers: { authorization: `Bearer ${await world.tokenOf('quinn')}` },
    })
    assert.deepEqual([head.statusCode, head.body], [200, ''])
    const { total } = ok(await world.as('otto').get('/api/audit/?action=training_record.exported'))
    assert.equal(total, 1)
  })

  it('leaves as PDF with the names again beside each part of the programs', async () => {
    for (let n = 0; n < 3; n++) await training.create({ title: `More ${n}` })
    const reply = await world
      .as('quinn')
      .get('/api/training/matrix?format=pdf&user_ids=' + [world.people.uma!.id, world.people.anna!.id].join(','))
    assert.equal(reply.statusCode, 200, reply.body)
    const text = (await pagesOf(reply.rawPayload)).join('\n').replace(/\s+/g, ' ')
    for (const word of [
      'Training matrix',
      'acme',
      'Generated',
      'Quinn Example (quinn)',
      'UTC',
      'Page 1 of',
      'Programs 1 to 6 of',
      'Programs 7 to',
    ])
      assert.ok(text.includes(word), `${word}: ${text}`)
    assert.equal(text.split('Uma Example (uma)').length - 1, 2)
    assert.match(text, /awaits verification/)
  })
})

describe('the training record of a person', () => {
  const url = (name: string) => `/api/training/records/${world.people[name]!.id}`

  it('holds everything with what was read, scored and signed, and what it is worth', async () => {
    const { user, role, items, total } = ok(await world.as('petra').get(`${url('uma')}?sort=assigned_at`))
    assert.deepEqual([user.username, role, total], ['uma', 'User', 5])
    const [first, second, onTheJob, , failed] = items
    assert.deepEqual([first.document.version, first.is_valid, first.signature.meaning], ['1.0', false, 'training'])
    assert.deepEqual([second.document.version, second.is_valid, second.source], ['2.0', true, 'document_release'])
    assert.match(second.signature.verification_code, /^[0-9A-F]{4}(-[0-9A-F]{4}){3}$/i)
    assert.match(second.signature.intent, /read and understood version 2\.0/)
    assert.deepEqual(
      [onTheJob.verification_signature.signer.username, onTheJob.verification_signature.meaning],
      ['petra', 'verification'],
    )
    assert.deepEqual(
      failed.quiz_attempts.map(({ attempt_number, score, passed }: Json) => [attempt_number, score, passed]),
      [[1, 0, false]],
    )
    assert.equal(ok(await world.as('petra').get(`${url('uma')}?is_valid=true`)).total, 3)
    assert.equal(ok(await world.as('petra').get(`${url('uma')}?status=failed&training_id=${quiz.id}`)).total, 1)
  })

  it('is one’s own; that of others is for whom the permission names', async () => {
    assert.equal((await world.as('uma').get(url('uma'))).statusCode, 200)
    const refused = await world.as('uma').get(url('anna'))
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().code, 'training_record_permission_missing')
    assert.equal((await world.as('uma').get('/api/training/records/999999')).body, refused.body)
    assert.equal((await world.as('petra').get('/api/training/records/999999')).statusCode, 404)
    assert.equal((await world.as('petra').get(url('rob'))).statusCode, 404)
    const [entry] = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc')).items
    assert.match(entry.reason, /training record of another person/)
  })

  it('leaves as CSV and as PDF, and the audit trail says whose', async () => {
    const csv = await world.as('uma').get(`${url('uma')}?format=csv`)
    assert.equal(csv.body.split('\r\n').length, 1 + 5 + 1)
    assert.match(csv.body, /,'=Pipetting,/)
    assert.match(csv.body, /verification by Petra Example \(petra\) at .* UTC, verification code/)
    const pdf = await world.as('petra').get(`${url('uma')}?format=pdf`)
    const text = (await pagesOf(pdf.rawPayload)).join('\n').replace(/\s+/g, ' ')
    for (const word of [
      'Training record',
      'Uma Example (uma), User: 5 trainings',
      'attempt 1: 0 %',
      'verification code',
      'acme',
    ])
      assert.ok(text.includes(word), `${word}: ${text}`)
    const entries = ok(
      await world.as('otto').get('/api/audit/?action=training_record.exported&sort=id:desc&page_size=2'),
    ).items
    assert.deepEqual(
      entries.map(({ user, resource_number, changes }: Json) => [user.username, resource_number, changes.format.to]),
      [
        ['petra', 'uma', 'pdf'],
        ['uma', 'uma', 'csv'],
      ],
    )
  })
})
