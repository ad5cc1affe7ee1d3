// Controlled copies: numbered prints of effective versions, whose holders return them when the version ends. proves: DOC-03, AUD-01
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { daysLater } from '#kernel/day.ts'
import { copies } from '#test/builders/copies.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { gatedDocuments } from '#test/builders/gates.ts'
import { pagesOf, pdfOf } from '#test/builders/pdf.ts'
import { meeting, meetingInOrder } from '#test/builders/races.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
let copy: ReturnType<typeof copies>
before(async () => {
  world = await openWorld()
  paper = papers(world)
  copy = copies(world)
})
after(() => world.close())

const idOf = (name: string) => world.people[name]!.id
type Reply = Awaited<ReturnType<typeof copy.post>>
const refused = (reply: Reply, status: number, code: string) => {
  assert.equal(reply.statusCode, status, reply.body)
  assert.ok(reply.body.includes(code), reply.body)
}
const list = async (by: string, query: string): Promise<Json[]> =>
  ok(await world.as(by).get(`/api/controlled-copies/?${query}`)).items
const itemsOf = async (by: string, name: string): Promise<Json[]> =>
  ok(await world.as(by).get(`/api/dashboard/${name}?limit=100`)).controlled_copies
const has = async (by: string, name: string, id: number) => (await itemsOf(by, name)).find(each => each.id === id)
const told = async (by: string, type: string, id: number): Promise<Json[]> =>
  ok(await world.as(by).get(`/api/notifications/?type=${type}&page_size=100`)).items.filter(
    (each: Json) => each.link === `/api/controlled-copies/${id}`,
  )
const actionsOn = async (id: number) =>
  ok(await world.as('otto').get(`/api/audit/?resource_type=controlled_copy&resource_id=${id}&sort=id:asc`)).items.map(
    ({ action }: Json) => action.slice('controlled_copy.'.length),
  )
/** The next version, which replaces the effective one. */
async function supersede(id: number) {
  ok(await paper.addVersion(id))
  return paper.release(id)
}

// First, while the background work has one document to read.
describe('a holder who leaves', () => {
  it('hands the copy over, and a copy of nobody is given to somebody by the quality unit', async () => {
    const { id } = await copy.document()
    const user = async (name: string) => {
      const { items } = ok(await world.as('ada').get('/api/roles/?page_size=100'))
      const { id: role_id } = items.find((each: Json) => each.name === 'User')
      const fields = { username: name, email: `${name}@acme.example`, full_name: name, role_id }
      return ok(await world.as('ada').post('/api/users/', { ...fields, password: 'Giraffe 4 umbrella' })).id as number
    }
    const issue = async (issued_to: number) =>
      ok(await world.as('petra').post(`/api/documents/${id}/controlled-copies`, { issued_to, location: 'Line 2' }))
    const [leaver, other] = [await user('lea'), await user('leon')]
    const [given, left] = [await issue(leaver), await issue(other)]
    const { counts } = ok(await world.as('ada').get(`/api/users/${leaver}/open-work`))
    assert.equal(counts.controlled_copy, 1)
    ok(await world.as('ada').post(`/api/users/${leaver}/deactivate`, { successor_id: idOf('anna') }))
    await world.work()
    const { issued_to, holder } = await copy.read(given.id)
    assert.deepEqual([issued_to.username, holder.username], ['lea', 'anna'])
    assert.deepEqual(await actionsOn(given.id), ['issued', 'transferred'])
    ok(await world.as('ada').post(`/api/users/${other}/deactivate`))
    const item = await has('petra', 'orphaned-items', left.id)
    assert.equal(item.reason, 'yours_to_assign')
    const body = { holder_id: idOf('uma'), change_reason: 'She runs line 2 now' }
    ok(await world.as('petra').post(item.task.path, body))
    assert.equal(await has('petra', 'orphaned-items', left.id), undefined)
    refused(await copy.post('petra', left.id, 'transfer', body), 409, 'controlled_copy_same_holder')
  })
})

describe('a controlled copy', () => {
  it('has its number in the footer, above and across each page, with holder, place and signatures', async () => {
    const { id, number } = await paper.upload({}, { bytes: await pdfOf(2), name: 'procedure.pdf' })
    await paper.release(id)
    await copy.issue(id)
    const issued = await copy.issue(id, { version: '1.0' })
    assert.deepEqual(
      [issued.number, issued.copy_number, issued.status, issued.prints],
      [`${number} copy 2`, 2, 'issued', 0],
    )
    const reply = await copy.post('petra', issued.id, 'print')
    assert.equal(reply.statusCode, 200, reply.body)
    assert.match(reply.headers['content-disposition'] as string, new RegExp(`"${number} copy 2 v1\\.0\\.pdf"`))
    const pages = await pagesOf(reply.rawPayload)
    assert.equal(pages.length, 3)
    for (const page of pages) {
      assert.equal(page.match(/CONTROLLED COPY 2/g)?.length, 2, 'above, and across')
      assert.match(
        page,
        /Controlled copy 2\. Issued to Uma Example \(uma\), Line 1\. Printed by Petra Example \(petra\) at/,
      )
      assert.match(page, new RegExp(`${number} version 1\\.0`))
      assert.doesNotMatch(page, /uncontrolled/)
    }
    assert.match(pages[1]!, /The original, sheet 2/)
    assert.match(pages[2]!, /Controlled copy 2 Issued to Uma Example \(uma\) Place Line 1/)
    assert.match(pages[2]!, /Printed name Petra Example \(petra\)/)
    const [print] = (await copy.read(issued.id)).printed
    assert.deepEqual([print.print_number, print.pages, print.printed_by.username], [1, 3, 'petra'])
    assert.deepEqual(await actionsOn(issued.id), ['issued', 'printed'])
    assert.equal((await told('uma', 'controlled_copy_issued', issued.id)).length, 1)
  })

  it('is printed again under its number with a reason only, which is kept', async () => {
    const { id } = await copy.document()
    const issued = await copy.printed(id)
    refused(await copy.post('petra', issued.id, 'print'), 422, 'controlled_copy_reprint_reason_required')
    const again = await copy.post('petra', issued.id, 'print', { reason: 'The printer jammed' })
    assert.match((await pagesOf(again.rawPayload))[0]!, /Controlled copy 1, print 2\./)
    const { printed } = await copy.read(issued.id)
    assert.deepEqual(
      printed.map((each: Json) => each.reason),
      [null, 'The printer jammed'],
    )
    const [entry] = ok(await world.as('otto').get('/api/audit/?action=controlled_copy.printed&sort=id:desc')).items
    assert.equal(entry.reason, 'The printer jammed')
  })

  it('is refused of what is not effective, and for people who may not have the document', async () => {
    const draft = await paper.upload()
    refused(await copy.ask(draft.id), 409, 'controlled_copy_no_effective_version')
    const { id } = await copy.document()
    refused(await copy.ask(id, { version: '3.0' }), 409, 'controlled_copy_other_version_effective')
    refused(await copy.ask(id, { by: 'uma' }), 403, 'documents.print_controlled')
    refused(await copy.ask(id, { to: 'rita' }), 404, 'not_found')
    const permissions = (denied: string[]) =>
      world.as('ada').put(`/api/users/${idOf('anna')}/permissions`, { granted: [], denied })
    ok(await permissions(['documents.hold_copies']))
    refused(await copy.ask(id, { to: 'anna' }), 409, 'record_assignee_lacks_permission')
    ok(await permissions([]))
    const gates = gatedDocuments(world)
    const gated = await gates.released((await gates.type({ training_gate: 'before_access' })).id)
    refused(await copy.ask(gated.id), 409, 'controlled_copy_holder_not_trained')
    ok(await copy.ask(gated.id, { to: 'petra' }))
  })

  it('of a file that cannot be shown as pages is refused, instead of one without numbers', async () => {
    const bytes = Buffer.from('%PDF-1.7\nnothing of this is a PDF\n%%EOF\n')
    const { id } = await paper.upload({}, { bytes, name: 'broken.pdf' })
    await paper.release(id)
    const issued = await copy.issue(id)
    refused(await copy.post('petra', issued.id, 'print'), 409, 'controlled_copy_not_pages')
    assert.equal((await copy.read(issued.id)).prints, 0)
    const { status } = ok(await copy.post('petra', issued.id, 'recall', { change_reason: 'It cannot be printed' }))
    assert.equal(status, 'cancelled')
  })

  it('is listed for the quality unit and its holder, and for nobody else', async () => {
    const { id, number } = await copy.document({ title: 'Rinsing of the filler' })
    const [mine, annas] = [await copy.printed(id), await copy.issue(id, { to: 'anna' })]
    const ids = async (by: string, query = '') => (await list(by, `document_id=${id}${query}`)).map(each => each.id)
    for (const by of ['petra', 'quinn', 'otto']) assert.deepEqual(await ids(by), [annas.id, mine.id], by)
    assert.deepEqual(await ids('uma'), [mine.id])
    assert.deepEqual(await ids('alan'), [])
    assert.equal((await world.as('alan').get(`/api/controlled-copies/${mine.id}`)).statusCode, 404)
    for (const path of ['recall', 'print', 'reconcile', 'transfer', 'confirm'])
      assert.ok([403, 404, 422].includes((await copy.post('rita', mine.id, path)).statusCode))
    assert.equal((await world.as('rita').get(`/api/controlled-copies/${mine.id}`)).statusCode, 404)
    assert.deepEqual(await ids('petra', `&holder_id=${idOf('anna')}`), [annas.id])
    assert.deepEqual(await ids('petra', '&status=recalled&status=lost'), [])
    assert.deepEqual(await ids('petra', '&sort=copy_number:asc'), [mine.id, annas.id])
    assert.deepEqual(await ids('petra', '&page_size=1&page=2'), [mine.id])
    assert.deepEqual((await list('petra', 'q=of the filler')).length, 2)
    const { body } = await world.as('petra').get(`/api/controlled-copies/?document_id=${id}&format=csv`)
    assert.match(body, new RegExp(`${number},1,Rinsing of the filler,1\\.0,issued,Uma Example \\(uma\\)`))
  })
})

describe('several at the same moment', () => {
  it('copies are numbered one after the other, without a gap, whoever is refused between them', async () => {
    const { id } = await copy.document()
    const lock = { text: 'select from documents where id = $1 for update', values: [id], waiting: 6 }
    const replies = await meeting(world, lock, () =>
      [1, 2, 3, 4, 5, 6].map(at => (at % 3 === 0 ? copy.ask(id, { version: '9.9' }) : copy.ask(id))),
    )
    assert.equal(replies.filter(({ statusCode }) => statusCode === 409).length, 2)
    ok(await copy.ask(id))
    const numbers = (await list('petra', `document_id=${id}&sort=copy_number:asc`)).map(each => each.copy_number)
    assert.deepEqual(numbers, [1, 2, 3, 4, 5])
  })

  it('one of two people prints a copy, and the other is told', async () => {
    const { id } = await copy.document()
    const issued = await copy.issue(id)
    const lock = { text: 'select from documents where id = $1 for update', values: [id], waiting: 2 }
    const replies = await meeting(world, lock, () => ['petra', 'quinn'].map(by => copy.post(by, issued.id, 'print')))
    // The one who comes second has no reason for a second print.
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 422],
    )
    assert.equal((await copy.read(issued.id)).prints, 1)
    const reason = { reason: 'A page is torn' }
    const again = await meeting(world, lock, () =>
      ['petra', 'quinn'].map(by => copy.post(by, issued.id, 'print', reason)),
    )
    assert.deepEqual(
      again.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await copy.read(issued.id)).prints, 2)
  })

  it('no copy of a version is issued or printed behind the one who replaces it', async () => {
    for (const isFirst of [true, false]) {
      const { id } = await copy.document()
      const printed = await copy.printed(id)
      ok(await paper.addVersion(id))
      ok(await paper.move('alan', id, 'submit'))
      ok(await paper.approve('petra', id))
      const reason = 'For the wall'
      const deeds: (() => Promise<Reply>)[] = [
        () => paper.approve('quentin', id),
        () => copy.ask(id, { version: '1.0' }),
        () => copy.post('petra', printed.id, 'print', { reason }),
      ]
      const lock = { text: 'select from documents where id = $1 for update', values: [id] }
      const [approved, issued, reprinted] = isFirst
        ? await meetingInOrder(world, lock, deeds)
        : (await meetingInOrder(world, lock, deeds.toReversed())).toReversed()
      assert.equal(approved!.statusCode, 200, approved!.body)
      if (isFirst) {
        refused(issued!, 409, 'controlled_copy_other_version_effective')
        refused(reprinted!, 409, 'controlled_copy_version_over')
      } else assert.deepEqual([issued!.statusCode, reprinted!.statusCode], [201, 200])
      const left = await list('petra', `document_id=${id}&sort=copy_number:asc`)
      assert.deepEqual(
        left.map(({ status }) => status),
        isFirst ? ['recalled'] : ['recalled', 'cancelled'],
      )
    }
  })
})

describe('when its version ends', () => {
  it('a copy is recalled: its holder confirms the return, and another person reconciles it (proves: DASH-01, DASH-02, NOTE-01)', async () => {
    const { id } = await copy.document()
    const [mine, unprinted] = [await copy.printed(id), await copy.issue(id, { to: 'anna' })]
    assert.equal(await has('uma', 'assigned-items', mine.id), undefined)
    await supersede(id)
    const recalled = await copy.read(mine.id)
    const today = world.clock.now().toISOString().slice(0, 10)
    assert.deepEqual(
      [recalled.status, recalled.recall_reason, recalled.due_date, recalled.version],
      ['recalled', 'Version 1.0 became superseded', daysLater(today, 14), '1.0'],
    )
    assert.equal((await copy.read(unprinted.id)).status, 'cancelled')
    refused(await copy.post('petra', mine.id, 'print', { reason: 'Once more' }), 409, 'controlled_copy_version_over')
    const task = await has('uma', 'assigned-items', mine.id)
    assert.deepEqual(
      [task.kind, task.reason, task.task.path],
      ['controlled_copy', 'assigned_to_you', `/api/controlled-copies/${mine.id}/confirm`],
    )
    ok(await world.as('uma').get(task.link))
    assert.match((await told('uma', 'controlled_copy_recalled', mine.id))[0].message, /It is due on/)

    refused(await copy.post('alan', mine.id, 'confirm', { outcome: 'returned' }), 404, 'not_found')
    refused(await copy.post('petra', mine.id, 'confirm', { outcome: 'returned' }), 403, 'controlled_copy_not_holder')
    refused(await copy.post('uma', mine.id, 'confirm', { outcome: 'lost' }), 422, 'controlled_copy_comment_required')
    ok(await world.as('uma').post(task.task.path, { outcome: 'returned' }))
    refused(
      await copy.post('uma', mine.id, 'confirm', { outcome: 'returned' }),
      409,
      'controlled_copy_already_confirmed',
    )
    assert.equal(await has('uma', 'assigned-items', mine.id), undefined)
    const [confirmed, ...more] = await told('petra', 'controlled_copy_confirmed', mine.id)
    assert.equal(more.length, 0)
    assert.match(confirmed!.message, /^Uma Example held this controlled copy/)

    const decision = await has('petra', 'pending-approvals', mine.id)
    assert.deepEqual(
      [decision.reason, decision.task.path],
      ['yours_to_decide', `/api/controlled-copies/${mine.id}/reconcile`],
    )
    const change_reason = 'All pages are there, and shredded'
    ok(await world.as('petra').post(decision.task.path, { outcome: 'returned', change_reason }))
    assert.equal(await has('petra', 'pending-approvals', mine.id), undefined)
    const { status, reconciled_by, reconciliation_reason } = await copy.read(mine.id, 'uma')
    assert.deepEqual([status, reconciled_by.username, reconciliation_reason], ['returned', 'petra', change_reason])
    assert.deepEqual(await actionsOn(mine.id), ['issued', 'printed', 'recalled', 'confirmed', 'reconciled'])
    refused(await copy.post('petra', mine.id, 'recall', { change_reason }), 409, 'controlled_copy_over')
    assert.equal((await copy.issue(id)).copy_number, 3, 'numbers go on')
  })

  it('nobody reconciles a copy that they hold, and a document out of force leaves none in use', async () => {
    const { id } = await copy.document()
    const [petras, umas] = [await copy.printed(id, { to: 'petra' }), await copy.printed(id)]
    const change_reason = 'Out of force'
    ok(await paper.move('quinn', id, 'obsolete', 'Line 1 is gone'))
    assert.deepEqual(
      (await list('quinn', `document_id=${id}`)).map(({ status }) => status),
      ['recalled', 'recalled'],
    )
    assert.ok(await has('petra', 'assigned-items', petras.id))
    assert.equal(await has('petra', 'pending-approvals', petras.id), undefined)
    const reconcile = (by: string, copyId: number, outcome: string) =>
      copy.post(by, copyId, 'reconcile', { outcome, change_reason })
    refused(await reconcile('petra', petras.id, 'returned'), 403, 'controlled_copy_own_reconciliation')
    refused(await copy.ask(id), 409, 'controlled_copy_no_effective_version')
    ok(await reconcile('quinn', petras.id, 'returned'))
    ok(await reconcile('petra', umas.id, 'lost'))
    refused(await reconcile('petra', umas.id, 'lost'), 409, 'controlled_copy_already_lost')
    assert.equal(ok(await reconcile('petra', umas.id, 'destroyed')).status, 'destroyed', 'a lost copy was found')
    refused(await reconcile('petra', umas.id, 'returned'), 409, 'controlled_copy_over')
  })

  it('a deputy confirms for the holder, and does not reconcile what they confirmed', async () => {
    const { id } = await copy.document()
    const mine = await copy.printed(id, { to: 'quentin' })
    ok(await copy.post('quinn', mine.id, 'recall', { change_reason: 'The room is closed' }))
    const today = world.clock.now().toISOString().slice(0, 10)
    const days = { starts_on: today, ends_on: daysLater(today, 3) }
    ok(await world.as('quentin').post('/api/deputies/', { deputy_id: idOf('petra'), scopes: ['tasks'], ...days }))
    const item = await has('petra', 'assigned-items', mine.id)
    assert.equal(item.for.username, 'quentin')
    ok(await world.as('petra').post(item.task.path, { outcome: 'returned', on_behalf_of: idOf('quentin') }))
    assert.equal((await copy.read(mine.id)).confirmed_by.username, 'petra')
    const body = { outcome: 'returned', change_reason: 'Shredded' }
    refused(await copy.post('petra', mine.id, 'reconcile', body), 403, 'controlled_copy_own_reconciliation')
    assert.equal(await has('petra', 'pending-approvals', mine.id), undefined)
    ok(await copy.post('quinn', mine.id, 'reconcile', body))
  })

  it('holder and quality unit are reminded once after its due date', async () => {
    const { id } = await copy.document()
    const mine = await copy.printed(id)
    ok(await copy.post('petra', mine.id, 'recall', { change_reason: 'The room is closed' }))
    await world.tick()
    assert.equal((await told('uma', 'controlled_copy_overdue', mine.id)).length, 0)
    world.clock.moved_ms = 15 * 86_400_000
    try {
      await world.tick()
      await world.tick()
      for (const by of ['uma', 'petra'])
        assert.equal((await told(by, 'controlled_copy_overdue', mine.id)).length, 1, by)
      const { items } = ok(await world.as('uma').get('/api/dashboard/overdue-items?kind=controlled_copy&yours=true'))
      assert.equal(items.find((each: Json) => each.id === mine.id)?.is_overdue, true)
      assert.ok((await list('petra', 'overdue=true')).some(each => each.id === mine.id))
    } finally {
      world.clock.moved_ms = 0
    }
  })
})

describe('the dossier of a document', () => {
  it('has its controlled copies with their prints and their audit entries', async () => {
    const { id } = await copy.document()
    const mine = await copy.printed(id)
    await supersede(id)
    ok(await copy.post('uma', mine.id, 'confirm', { outcome: 'returned' }))
    ok(await copy.post('petra', mine.id, 'reconcile', { outcome: 'returned', change_reason: 'Complete' }))
    const { files, json, manifest } = await readDossier(world, `/api/documents/${id}/dossier`, 'otto')
    assert.deepEqual(manifest.failed_checks, [])
    const [told] = json('parts/controlled_copies.json')
    assert.deepEqual(
      [told.copy_number, told.version, told.status, told.issued_to.username, told.prints.length],
      [1, '1.0', 'returned', 'uma', 1],
    )
    const trail = files.get('audit.jsonl')!.toString().split('\n')
    assert.ok(trail.some(line => line.includes('controlled_copy.reconciled')))
    const pages = (await pagesOf(files.get('dossier.pdf')!)).join(' ')
    assert.match(pages, /Controlled copies Copy .*Uma Example \(uma\) Line 1/)
  })
})
