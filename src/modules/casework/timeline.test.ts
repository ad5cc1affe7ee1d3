// The timeline of a record.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { cases, dayFromNow } from '#test/builders/cases.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

let world: World
let make: ReturnType<typeof cases>
before(async () => {
  world = await openWorld()
  make = cases(world)
})
after(() => world.close())

describe('the timeline', () => {
  it('merges steps, changes, comments, files, links and later due dates, the newest first or last', async () => {
    const as = { uma: world.as('uma'), petra: world.as('petra') }
    const { id } = await make.deviation()
    const path = `/api/deviations/${id}`
    const sop = await papers(world).effective()
    const asked = dayFromNow(world, 50)
    ok(await as.uma.post(`${path}/comments`, { text: 'It was the night shift' }))
    ok(await as.uma.upload(`${path}/attachments`, { description: 'Photo' }))
    ok(await as.petra.post(`${path}/links`, { resource_type: 'document', resource_id: sop.id, relation: 'evidence' }))
    const [link] = ok(await as.petra.get(`${path}/links`)).items
    assert.equal((await as.petra.delete(`${path}/links/${link.id}`, { reason: 'Not this one' })).statusCode, 204)
    const extension = ok(await as.uma.post(`${path}/extend`, { due_date: asked, reason: 'More batches' }))
    ok(await as.petra.post(`${path}/extensions/${extension.id}/decide`, { decision: 'approve' }))
    ok(await as.petra.post(`${path}/extend`, { due_date: dayFromNow(world, 55), reason: 'Still more' }))
    const { revision } = ok(await as.petra.get(path))
    ok(await as.petra.put(path, { title: 'Filter of line 1 left in place', revision, change_reason: 'Said better' }))
    await make.cancel(id)

    const { items, total } = ok(await as.uma.get(`${path}/timeline?sort=at:asc`))
    assert.deepEqual(
      items.map(({ kind, by, title }: Json) => [kind, by.username, title]),
      [
        ['moved', 'uma', 'Created as open'],
        ['commented', 'uma', 'Commented'],
        ['attached', 'uma', 'Attached procedure.pdf'],
        ['linked', 'petra', `Linked to ${sop.number} (evidence)`],
        ['unlinked', 'petra', `Removed the link to ${sop.number} (evidence)`],
        ['extension_requested', 'uma', `Requested an extension from ${extension.from_date} to ${asked}`],
        ['extension_decided', 'petra', `Due date extended from ${extension.from_date} to ${asked}`],
        ['extension_decided', 'petra', `Due date extended from ${asked} to ${dayFromNow(world, 55)}`],
        ['changed', 'petra', 'Changed: title'],
        ['moved', 'petra', 'Moved from open to cancelled'],
      ],
    )
    assert.equal(total, items.length)
    const details = (kind: string) => items.find((each: Json) => each.kind === kind).details
    assert.deepEqual(details('commented').text, 'It was the night shift')
    assert.deepEqual(details('changed').changes.title, {
      from: 'Filter left in place',
      to: 'Filter of line 1 left in place',
    })
    assert.deepEqual(details('changed').reason, 'Said better')
    assert.deepEqual(details('unlinked').reason, 'Not this one')
    assert.deepEqual(details('extension_requested').reason, 'More batches')
    const newest = ok(await as.uma.get(`${path}/timeline`))
    assert.deepEqual(newest.items, items.toReversed())

    const history = ok(await as.uma.get(`${path}/history`))
    assert.deepEqual(
      history.map(({ from, to, user, reason }: Json) => [from, to, user.username, reason]),
      [
        [null, 'open', 'uma', null],
        ['open', 'cancelled', 'petra', 'Reported by mistake'],
      ],
    )
  })

  it('shows the signature of a closure beside the step that it made', async () => {
    const { id } = await deviations(world).inState('closed', { severity: 'major' })
    const { items } = ok(await world.as('uma').get(`/api/deviations/${id}/timeline`))
    const [moved, signed] = ['moved', 'signed'].map(kind => items.find((each: Json) => each.kind === kind))
    assert.deepEqual(
      [signed.by.username, signed.title, moved.title],
      ['quentin', 'Signed: closure', 'Moved from pending approval to closed'],
    )
    assert.equal(signed.details.signature_id, moved.details.signature_id)
    const [step] = ok(await world.as('uma').get(`/api/deviations/${id}/history`)).slice(-1)
    assert.deepEqual([step.to, step.signature_id], ['closed', signed.details.signature_id])
  })

  it('tells of the effectiveness reviews of a CAPA and of their signatures', async () => {
    const { id } = await capas(world).inState('closed')
    const { items } = ok(await world.as('petra').get(`/api/capa/${id}/timeline?page_size=100`))
    const kinds = items.map(({ kind }: Json) => kind)
    for (const kind of ['review_planned', 'review_completed', 'signed']) assert.ok(kinds.includes(kind), kinds.join())
    assert.deepEqual(
      items.filter(({ kind }: Json) => kind === 'signed').map(({ title }: Json) => title),
      ['Signed: closure', 'Signed: effectiveness'],
    )
  })

  it('comes in pages that neither overlap nor leave anything out', async () => {
    const { id } = await make.deviation()
    for (let each = 0; each < 7; each++)
      ok(await world.as('uma').post(`/api/deviations/${id}/comments`, { text: `Comment ${each}` }))
    const seen: Json[] = []
    for (let page = 1; page <= 3; page++) {
      const answer = ok(await world.as('uma').get(`/api/deviations/${id}/timeline?page=${page}&page_size=3`))
      assert.deepEqual([answer.total, answer.pages], [8, 3])
      seen.push(...answer.items)
    }
    assert.deepEqual(
      seen.map(({ details }) => details.text ?? null),
      [...Array.from({ length: 7 }, (_, each) => `Comment ${6 - each}`), null],
    )
  })

  it('of a CAPA is for who may read CAPAs, and has nothing of another record', async () => {
    const [capa, deviation] = [await make.capa(), await make.deviation()]
    ok(await world.as('alan').post(`/api/capa/${capa.id}/comments`, { text: 'Begun' }))
    ok(await world.as('uma').post(`/api/deviations/${deviation.id}/comments`, { text: 'Other' }))
    const { items } = ok(await world.as('otto').get(`/api/capa/${capa.id}/timeline`))
    assert.deepEqual(
      items.map(({ kind }: Json) => kind),
      ['commented', 'moved'],
    )
    assert.equal((await world.as('uma').get(`/api/capa/${capa.id}/timeline`)).statusCode, 403)
    assert.equal((await world.as('alan').get(`/api/capa/${capa.id}/timeline?sort=kind`)).statusCode, 422)
  })
})
