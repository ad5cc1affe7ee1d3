// Audit trail reviews: a person reviews the entries of a period, and signs the findings (EU GMP Annex 11, 9).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { altered, intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let seals: ReturnType<typeof signatures>
let number: string
/** A period with all entries of this suite: by the clock of the world the day is over. */
const period = { date_from: '2020-01-01', date_to: new Date(Date.now() + 3_600_000).toISOString().slice(0, 10) }
before(async () => {
  world = await openWorld()
  seals = signatures(world)
  world.clock.moved_ms = 2 * 86_400_000
  number = (await papers(world).submitted()).number
})
after(() => world.close())

const post = (by: string, fields: object = {}, options = {}) =>
  world.as(by, options).post('/api/audit/reviews/', {
    ...period,
    filter: { resource_type: 'document' },
    outcome: 'no_findings',
    ...fields,
  })
const review = async (fields?: object, by = 'quinn'): Promise<Json> => ok(await post(by, fields))
const read = async (id: number, by = 'otto'): Promise<Json> => ok(await world.as(by).get(`/api/audit/reviews/${id}`))
const refused = async (reply: ReturnType<typeof post>) => {
  const { statusCode, body } = await reply
  const { detail, code } = JSON.parse(body)
  return statusCode === 422 ? [422, detail[0].loc.join('.'), detail[0].type] : [statusCode, code]
}

describe('a review of the audit trail (proves: AUD-01, AUD-02)', () => {
  it('holds which entries it was about, and the signed root of the tree that they are in', async () => {
    const made = await review({ outcome: 'findings', findings: 'Line 1 was cleaned twice', intent: 'Third quarter' })
    const found = await world.rows<{ seq: string; leaf: string; user_id: string }>(
      `select seq, leaf, user_id from audit_entries e join audit_leaves l on l.entry_id = e.id
       where resource_type = 'document' and e.tenant_id = $1 order by seq`,
      [world.people.quinn!.tenant_id],
    )
    const sha256 = (...parts: (string | Buffer)[]) => {
      const hash = createHash('sha256')
      for (const part of parts) hash.update(part)
      return hash.digest()
    }
    const entries_sha256 = sha256(...found.map(({ leaf }) => sha256(Buffer.of(0), leaf))).toString('hex')
    const [{ note }] = (await world.rows<Json>('select note from audit_checkpoints where epoch = $1 and size = $2', [
      made.checkpoint.epoch,
      made.checkpoint.size,
    ])) as [Json]
    assert.ok(found.length >= 2)
    assert.deepEqual(
      { ...made, id: 0, created_at: '', checkpoint: made.checkpoint.note, signature: made.signature.meaning },
      {
        id: 0,
        ...period,
        filter: { resource_type: 'document' },
        outcome: 'findings',
        findings: 'Line 1 was cleaned twice',
        reviewer: { id: world.people.quinn!.id, username: 'quinn', full_name: 'Quinn Example' },
        entries: found.length,
        own_entries: 0,
        first_seq: Number(found[0]!.seq),
        last_seq: Number(found.at(-1)!.seq),
        entries_sha256,
        checkpoint: note,
        signature: 'review',
        created_at: '',
      },
    )
    assert.ok(made.checkpoint.size >= made.last_seq)
    const { still_matches, later_entries, ...rest } = await read(made.id)
    assert.deepEqual([rest, still_matches, later_entries], [made, true, 0])
  })

  it('is signed by the reviewer, who proves who they are', async () => {
    const count = async () => (await world.rows('select from audit_reviews')).length
    const before = await count()
    const later = { logged_in: 7200 }
    assert.equal((await post('quinn', {}, later)).statusCode, 401)
    assert.equal((await post('quinn', { password: 'A wrong one of nobody 1' }, later)).statusCode, 401)
    assert.equal(await count(), before)
    const made = ok(await post('quinn', { password, intent: 'As every month' }, later))
    const [signature] = await seals.listed('audit_review', made.id)
    assert.deepEqual(
      [signature.id, signature.signature_type, signature.intent, signature.method, signature.resource_number],
      [made.signature.id, 'review', 'As every month', 'password', `Audit review ${made.id}`],
    )
    assert.deepEqual(signature.occasion, { kind: 'audit_review', ref: '' })
    assert.deepEqual(await seals.found(signature.id), intact)
    const answer = await world.as('quinn').post(`/api/signatures/${signature.id}/void`, { reason: 'x', password })
    assert.deepEqual([answer.statusCode, answer.json().code], [409, 'signature_of_audit_review'])
  })

  it('is an entry of the trail itself, with what was reviewed and found', async () => {
    const made = await review({ outcome: 'findings', findings: 'A reason was missing' })
    const { items } = ok(await world.as('otto').get(`/api/audit/?resource_type=audit_review&resource_id=${made.id}`))
    assert.deepEqual(
      items.map(({ action, reason, user, changes }: Json) => [action, reason, user.username, changes.entries.to]),
      [['audit_review.created', 'A reason was missing', 'quinn', made.entries]],
    )
  })

  it('says afterwards whether its entries are still those, and how many came later', async () => {
    const made = await review()
    await papers(world).submitted()
    const standing = async () => {
      const { still_matches, later_entries } = await read(made.id)
      return [still_matches, later_entries]
    }
    assert.deepEqual(await standing(), [true, 2])
    const ofLast = 'where id = (select entry_id from audit_leaves where tenant_id = $1 and seq = $2)'
    const key = [world.people.quinn!.tenant_id, made.last_seq]
    const change = (statement: string) => behindTheApi(world, 'audit_entries', `${statement} ${ofLast}`, key)
    await change(`update audit_entries set leaf = replace(leaf, '"v":"1"', '"v":"2"')`)
    assert.deepEqual(await standing(), [false, 2])
    await change(`update audit_entries set leaf = replace(leaf, '"v":"2"', '"v":"1"')`)
    await change(`update audit_entries set occurred_at = occurred_at - interval '20 years'`)
    assert.deepEqual(await standing(), [false, 2])
    await change(`update audit_entries set occurred_at = occurred_at + interval '20 years'`)
    assert.deepEqual(await standing(), [true, 2])
  })

  it('is never changed, and its signature fails where somebody does it behind the service', async () => {
    const made = await review()
    await assert.rejects(world.rows(`update audit_reviews set outcome = 'findings' where id = $1`, [made.id]), {
      code: 'QA002',
    })
    const look = () => seals.found(made.signature.id)
    for (const [column, to] of [
      ['first_seq', '0'],
      ['own_entries', '7'],
      ['entries_sha256', `repeat('0', 64)`],
      ['filter', `'{}'`],
      ['ends_at', `now() + interval '9 days'`],
    ] as const)
      assert.deepEqual(
        await seals.whileAltered('audit_reviews', made.id, { [column]: to }, look),
        altered('record_integrity'),
        column,
      )
    assert.deepEqual(await look(), intact)
  })
})

describe('a review is refused', () => {
  it('to the only person whose acts it is about, and not to somebody else', async () => {
    const filter = { user_id: world.people.alan!.id }
    ok(await post('quinn', { filter }))
    const own = { user_id: world.people.quinn!.id }
    assert.deepEqual(await refused(post('quinn', { filter: own })), [409, 'audit_review_own_actions_only'])
    const { entries, own_entries } = ok(await post('ada', { filter: own }))
    assert.ok(entries > 0 && own_entries === 0)
    // A review of several people's entries says how many are the reviewer's own.
    const of_all = await review({ filter: {} })
    assert.ok(of_all.own_entries > 0 && of_all.own_entries < of_all.entries)
  })

  it('where there is nothing to review, and seals nothing then', async () => {
    const before = await world.rows('select * from audit_logs order by tenant_id')
    const nothing = [409, 'audit_review_no_entries']
    assert.deepEqual(await refused(post('quinn', { filter: { q: 'nothing is called so' } })), nothing)
    assert.deepEqual(await refused(post('quinn', { date_to: '2020-01-31' })), nothing)
    assert.deepEqual(await world.rows('select * from audit_logs order by tenant_id'), before)
  })

  it('of a period that is not over, or that ends before it begins', async () => {
    const now = world.clock.now()
    for (const date_to of [now.toISOString().slice(0, 10), new Date(now.getTime() + 60_000).toISOString()])
      assert.deepEqual(await refused(post('quinn', { date_to })), [
        ...[422, 'body.date_to'],
        'audit_review_period_not_over',
      ])
    assert.deepEqual(await refused(post('quinn', { date_from: '2020-02-01', date_to: '2020-01-31' })), [
      ...[422, 'body.date_to'],
      'audit_review_period_reversed',
    ])
    ok(await post('quinn', { date_to: new Date(now.getTime() - 60_000).toISOString() }))
  })

  it('where its findings are not said, or said of none, or it names nobody and nothing', async () => {
    for (const [fields, field, code] of [
      [{ outcome: 'findings' }, 'findings', 'audit_review_findings_required'],
      [{ findings: 'One' }, 'findings', 'audit_review_findings_not_allowed'],
      [{ filter: { resource_id: 1 } }, 'filter.resource_type', 'audit_review_record_kind_required'],
    ] as const)
      assert.deepEqual(await refused(post('quinn', fields)), [422, `body.${field}`, code])
    const stranger = await post('quinn', { filter: { user_id: world.people.rex!.id } })
    assert.deepEqual([stranger.statusCode, stranger.json().detail], [404, 'User not found'])
    const nowhere = { resource_type: 'document', resource_id: 999_999_999 }
    assert.deepEqual(await refused(post('quinn', { filter: nowhere })), [404, 'not_found'])
  })

  it('to who may read the trail and not review it', async () => {
    for (const by of ['petra', 'otto', 'alan']) assert.equal((await post(by)).statusCode, 403, by)
  })
})

describe('reviews of the audit trail', () => {
  it('are listed by period, reviewer and outcome, to who may read the trail', async () => {
    const [document] = (await world.rows<Json>('select id from documents where number = $1', [number])) as [Json]
    const filter = { resource_type: 'document', resource_id: Number(document.id) }
    const made = await review({ filter, outcome: 'findings', findings: 'One' }, 'ada')
    const list = async (query: string, by = 'otto') =>
      ok(await world.as(by).get(`/api/audit/reviews/?page_size=100&${query}`)) as Json
    const { items, total } = await list('')
    assert.equal(items.length, total)
    assert.deepEqual(items[0], made)
    const adas = await list(
      `reviewer_id=${world.people.ada!.id}&outcome=findings&date_from=2020-01-01&date_to=2020-01-01`,
    )
    assert.deepEqual(adas.items, [made])
    assert.equal((await list('date_to=2019-12-31')).total, 0)
    assert.equal((await list(`date_from=${new Date(Date.now() + 4 * 86_400_000).toISOString()}`)).total, 0)
    assert.ok((await list('sort=starts_at:desc')).total === total)
    assert.equal((await list('', 'rex')).total, 0)
    assert.equal((await world.as('rex').get(`/api/audit/reviews/${made.id}`)).statusCode, 404)
    assert.equal((await world.as('alan').get('/api/audit/reviews/')).statusCode, 403)
  })

  it('stand beside the entries, whose addresses they do not take', async () => {
    const { items } = ok(await world.as('otto').get('/api/audit/?page_size=1')) as Json
    assert.deepEqual(ok(await world.as('otto').get(`/api/audit/${items[0].id}`)), items[0])
    assert.equal((await world.as('otto').get('/api/audit/reviews/999999999')).json().detail, 'Audit review not found')
  })
})
