// The signatures that complete an effectiveness review and close a CAPA: what each of them binds, and that nobody alters anything of it
// unseen (21 CFR 11.50, 11.70, 11.200).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { capas } from '#test/builders/capas.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { addMigration } from '#test/builders/migrations.ts'
import { meetingInOrder } from '#test/builders/races.ts'
import { altered, intact, signatures } from '#test/builders/signatures.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let plans: ReturnType<typeof capas>
let seals: ReturnType<typeof signatures>
/** Closed by quinn after quentin found it effective: what each of them signed. */
let capa: Json
let review: Json
let closure: number
let verdict: number

before(async () => {
  world = await openWorld()
  await addMigration(world, { word: 'Before', by: 'ada' })
  plans = capas(world)
  seals = signatures(world)
  const { id } = await plans.inState('pending_effectiveness')
  ok(await attach(id, 'trend'))
  review = (await reviewsOf(id))[0]
  ok(await plans.conclude('quentin', id, review.id))
  capa = ok(await close(id))
  closure = (await seals.listed('capa', id))[0].id
  verdict = (await seals.listed('effectiveness_review', review.id))[0].id
})
after(() => world.close())

const attach = (id: number, text: string) =>
  world.as('petra').upload(`/api/capa/${id}/attachments`, {}, { bytes: pdf(text), name: `${text}.pdf` })
const close = (id: number, more: object = {}) => plans.put('quinn', id, { status: 'closed', password, ...more })
const reviewsOf = (id: number) => plans.get('quinn', id, '/effectiveness') as Promise<Json[]>
const payloadOf = async (id: number) => JSON.parse((await seals.read(id)).payload)

describe('the signatures of a CAPA', () => {
  it('are one of the reviewer and one of who closed it: each holds what it is about (proves: SIG-01, CAPA-04)', async () => {
    const [ofReview, ofCapa] = [await seals.read(verdict), await seals.read(closure)]
    assert.deepEqual(
      [ofReview, ofCapa].map(each => [each.resource_type, each.resource_id, each.signature_type, each.signer.username]),
      [
        ['effectiveness_review', review.id, 'effectiveness', 'quentin'],
        ['capa', capa.id, 'closure', 'quinn'],
      ],
    )
    assert.ok(ofReview.resource_number.startsWith(capa.number), ofReview.resource_number)
    const { content, files } = await payloadOf(verdict)
    assert.deepEqual([content.result, content.conclusion], ['effective', 'None in 40 batches'])
    assert.deepEqual(
      files.map(({ name }: Json) => name),
      ['trend.pdf'],
    )
    const closed = await payloadOf(closure)
    assert.equal(closed.content.actions[0].evidence, 'Qualification report 12')
    assert.equal(closed.content.effectiveness_reviews[0].result, 'effective')
    assert.equal(closed.files.length, 1)
    assert.deepEqual([await seals.found(verdict), await seals.found(closure)], [intact, intact])
  })

  it('are given with the act: where identity is not proved nothing is completed and nothing closed', async () => {
    const { id } = await plans.inState('pending_effectiveness')
    const [{ id: reviewId }] = (await reviewsOf(id)) as [Json]
    const before = await plans.get('quinn', id)
    const refused = [
      await plans.conclude('quentin', id, reviewId, { password: 'wrong' }),
      await plans.conclude('quentin', id, reviewId, { password: undefined }, { logged_in: 3600 }),
    ]
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      [401, 401],
    )
    assert.deepEqual(await plans.get('quinn', id), before)
    ok(await plans.conclude('quentin', id, reviewId))
    assert.equal((await close(id, { password: 'wrong' })).statusCode, 401)
    assert.deepEqual(await seals.listed('capa', id), [])
    const denied = ok(await world.as('otto').get('/api/audit/?action=signature.denied&sort=id:asc')).items
    assert.deepEqual(
      denied.map(({ user, reason }: Json) => [user.username, reason]),
      [
        ['quentin', 'Wrong password'],
        ['quentin', 'The log-in is too long ago, and no password was given'],
        ['quinn', 'Wrong password'],
      ],
    )
    ok(await close(id))
  })

  it('hold no file that their signer has not seen: one that is attached meanwhile is a 409', async () => {
    const { id } = await plans.inState('pending_effectiveness')
    const [{ id: reviewId }] = (await reviewsOf(id)) as [Json]
    ok(await plans.conclude('quentin', id, reviewId))
    const lock = { text: 'select id from capas where id = $1 for update', values: [id] }
    const replies = await meetingInOrder(world, lock, [() => attach(id, 'meanwhile'), () => close(id)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [201, 409],
    )
    assert.equal(replies[1]!.json().code, 'signature_files_changed')
    ok(await close(id))
    const [{ id: signature }] = (await seals.listed('capa', id)) as [Json]
    assert.equal((await payloadOf(signature)).files.length, 1)
  })

  it('are not declared void: the answer says what to do instead', async () => {
    for (const [signature, code] of [
      [closure, 'signature_of_capa_closure'],
      [verdict, 'signature_of_effectiveness'],
    ] as const) {
      const reply = await world.as('quinn').post(`/api/signatures/${signature}/void`, { reason: 'A mistake' })
      assert.equal(reply.statusCode, 409)
      assert.equal(reply.json().code, code)
    }
    assert.deepEqual([await seals.found(verdict), await seals.found(closure)], [intact, intact])
  })

  it('stand each for itself: a review that found it not effective stays signed when the next one is', async () => {
    const { id } = await plans.inState('pending_effectiveness')
    const [{ id: first }] = (await reviewsOf(id)) as [Json]
    const found = { result: 'not_effective', conclusion: 'Two more', follow_up: 'Another pump' }
    ok(await plans.conclude('quentin', id, first, found))
    ok(await plans.plan('petra', id))
    ok(await plans.put('alan', id, { adverse_effect_assessment: 'None, also of the second pump' }))
    ok(await plans.put('petra', id, { status: 'pending_effectiveness' }))
    const second = (await reviewsOf(id)).find(({ status }) => status === 'planned')
    ok(await plans.conclude('quentin', id, second.id))
    ok(await close(id))
    for (const each of [first, second.id]) {
      const [signature] = await seals.listed('effectiveness_review', each)
      assert.deepEqual(await seals.found(signature.id), intact)
    }
  })
})

describe('what was altered past the service is found', () => {
  const row = async (table: string) =>
    Number(
      (
        await world.rows<Json>(`select id from ${table} where ${table === 'capas' ? 'id' : 'capa_id'} = $1`, [capa.id])
      )[0].id,
    )
  const batch = '(select max(id) from migration_batches)'
  const alterations: [table: string, column: string, to: string, name?: string][] = [
    ...['title', 'description', 'root_cause', 'adverse_effect_assessment'].map((column): [string, string, string] => [
      'capas',
      column,
      `'Other'`,
    ]),
    ['capas', 'type', `'both'`],
    ['capas', 'source', `'other'`],
    ['capas', 'priority', `'critical'`],
    ['capas', 'assigned_to', 'null'],
    ['capas', 'created_at', `'2020-01-01'`],
    ['capas', 'due_date', `'2199-01-01'`],
    ['capas', 'original_due_date', `'2199-01-01'`],
    ['capas', 'extension_count', '7'],
    ['capas', 'migration_batch_id', batch],
    ['capas', 'legacy_number', `'K-7'`],
    ['capas', 'opened_on', `'2020-01-01'`],
    ['capa_actions', 'description', `'Other'`, 'actions'],
    ['capa_actions', 'evidence', `'Other'`, 'actions'],
    ['capa_actions', 'due_date', `'2199-01-01'`, 'actions'],
    ['capa_actions', 'attachment_ids', `'{1}'`, 'action_files'],
    ['capa_actions', 'completed_at', `'2020-01-01'`, 'actions'],
    ['effectiveness_reviews', 'conclusion', `'Other'`, 'effectiveness_reviews'],
    ['effectiveness_reviews', 'criteria', `'Other'`, 'effectiveness_reviews'],
    ['effectiveness_reviews', 'result', `'not_effective'`, 'effectiveness_reviews'],
  ]
  for (const [table, column, to, name = column] of alterations)
    it(`of a closed CAPA: ${table}.${column}`, async () => {
      const look = async () => [await seals.found(closure), await seals.detail('record_integrity', closure)] as const
      // The database has the day of an imported CAPA only.
      const set = { [column]: to, ...(column === 'opened_on' && { migration_batch_id: batch }) }
      const [found, detail] = await seals.whileAltered(table, await row(table), set, look)
      assert.deepEqual(found, altered('record_integrity'))
      assert.match(detail, new RegExp(`: .*\\b${name}\\b`))
      assert.deepEqual(await seals.found(closure), intact)
    })

  for (const [column, to] of Object.entries({
    criteria: `'Other'`,
    method: `'sampling'`,
    result: `'not_effective'`,
    conclusion: `'Other'`,
    evidence: `'Other'`,
    follow_up: `'Other'`,
    completed_at: `'2020-01-01'`,
  }))
    it(`of a completed review: ${column}`, async () => {
      const look = () => seals.found(verdict)
      const found = await seals.whileAltered('effectiveness_reviews', review.id, { [column]: to }, look)
      assert.deepEqual(found, altered('record_integrity'))
      assert.deepEqual(await seals.found(verdict), intact)
    })

  it('in whatever they hold: no column of the content is left out', async () => {
    const columnsOf = async (table: string) =>
      (
        await world.rows<{ name: string }>(
          `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
            and attgenerated = ''`,
          [table],
        )
      ).map(({ name }) => name)
    const { content } = await payloadOf(closure)
    const of = {
      capas: content,
      capa_actions: { ...content.actions[0], attachment_ids: content.action_files },
      effectiveness_reviews: content.effectiveness_reviews[0],
    }
    const beside = [
      ...['tenant_id', 'number', 'status', 'content_revision', 'revision', 'notice_on', 'capa_id', 'position'],
      ...['closed_at', 'closed_by', 'created_at', 'created_by', 'updated_at', 'updated_by'],
    ]
    for (const [table, signed] of Object.entries(of))
      assert.deepEqual(
        (await columnsOf(table)).filter(name => !(name in signed) && !beside.includes(name) && name !== 'id'),
        [],
        table,
      )
  })
})
