// Closures of deviations and their signatures.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { meetingInOrder } from '#test/builders/races.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let cases: ReturnType<typeof deviations>
before(async () => {
  world = await openWorld()
  cases = deviations(world)
})
after(() => world.close())

type Reply = Awaited<ReturnType<typeof cases.put>>
const closing = { status: 'closed', change_reason: 'Complete, and the cause is plausible' }
const pending = (severity = 'major') => cases.inState('pending_approval', { severity })
const signaturesOf = async (id: number): Promise<Json[]> =>
  ok(await world.as('quinn').get(`/api/signatures/?resource_type=deviation&resource_id=${id}&sort=id:asc`)).items
const verified = async (id: number) => ok(await world.as('quinn').get(`/api/signatures/${id}`)).verification
const failed = ({ checks }: Json) =>
  checks.filter(({ passed }: Json) => !passed).map(({ name }: Json) => name as string)

// proves: SIG-01, SIG-02
describe('the closure of a major or critical deviation', () => {
  it('is signed by who closes it, for what it says, and holds', async () => {
    for (const severity of ['major', 'critical']) {
      const { id, number } = await pending(severity)
      const intent = 'I have read the investigation and agree'
      ok(await cases.put('quentin', id, { ...closing, intent, password }))
      const [signature, ...others] = await signaturesOf(id)
      assert.equal(others.length, 0)
      assert.deepEqual(
        [signature.signature_type, signature.intent, signature.signer.username, signature.resource_number],
        ['closure', intent, 'quentin', number],
      )
      assert.equal((await cases.get('uma', id, '/history')).at(-1).signature_id, signature.id)
      assert.equal((await verified(signature.id)).status, 'valid')
    }
  })

  it('means its reason, where nothing else is said', async () => {
    const { id } = await pending()
    ok(await cases.put('quentin', id, closing))
    assert.equal((await signaturesOf(id))[0].intent, closing.change_reason)
  })

  it('needs the proof of who closes it, and a wrong password closes nothing and is counted', async () => {
    const { id } = await pending()
    const old = await world.as('quentin', { logged_in: 3600 }).put(`/api/deviations/${id}`, closing)
    assert.equal(old.statusCode, 401)
    assert.match(String(old.headers['www-authenticate']), /insufficient_user_authentication/)
    const wrong = await cases.put('quentin', id, { ...closing, password: 'not the password of quentin' })
    assert.equal(wrong.statusCode, 401)
    assert.equal((await cases.get('uma', id)).status, 'pending_approval')
    const [entry] = await world.rows(`select action, outcome from audit_entries order by id desc limit 1`)
    assert.deepEqual(entry, { action: 'signature.denied', outcome: 'denied' })
    const [counted] = await world.rows<{ failed_attempts: number }>(
      'select failed_attempts from credentials where user_id = $1',
      [world.people.quentin!.id],
    )
    assert.equal(counted!.failed_attempts, 1)
    ok(await world.as('quentin', { logged_in: 3600 }).put(`/api/deviations/${id}`, { ...closing, password }))
  })

  it('asks nobody for a password whose closure is refused anyway', async () => {
    const { id } = await pending()
    const [before] = await world.rows(`select count(*) from audit_entries where action = 'signature.denied'`)
    const reply = await cases.put('uma', id, { ...closing, password: 'not the password of uma' })
    assert.equal(reply.statusCode, 403)
    assert.deepEqual(await world.rows(`select count(*) from audit_entries where action = 'signature.denied'`), [before])
  })

  it('is of what its signer wrote with it', async () => {
    const { id } = await pending()
    ok(await cases.put('quentin', id, { ...closing, impact_assessment: 'Seen with the supplier as well' }))
    const [signature] = await signaturesOf(id)
    assert.equal((await verified(signature.id)).valid, true)
    await byHand(`update deviations set impact_assessment = 'Seen by nobody' where id = ${id}`)
    assert.deepEqual(failed(await verified(signature.id)), ['record_integrity'])
  })

  // The signature covers every column that a person fills in.
  it('shows each change of what was closed, whoever made it and wherever', async () => {
    const { id } = await pending('critical')
    const upload = world.as('petra').upload(`/api/deviations/${id}/attachments`, {}, { bytes: pdf('x'), name: 'x.pdf' })
    ok(await upload)
    ok(await cases.put('quentin', id, closing))
    const [signature] = await signaturesOf(id)
    assert.equal((await verified(signature.id)).valid, true)
    const derived = ['tenant_id', 'id', 'root_cause_category', 'form_template_id', 'form_template_version', 'form_data']
    // Where it was imported from is said by its first entry, and the database keeps it to its batch.
    const ofImport = ['migration_batch_id', 'legacy_number']
    const ofNobody = ['status', 'closed_at', 'closed_by', 'due_notice_on', 'revision', 'content_revision', 'number']
    const marks = ['created_at', 'created_by', 'updated_at', 'updated_by', 'severity_suggestion', 'severity_decision']
    const columns = await world.rows<{ name: string; type: string }>(
      `select attname as name, format_type(atttypid, null) as type from pg_attribute
       where attrelid = 'deviations'::regclass and attnum > 0 and not attisdropped and attname <> all($1)`,
      [[...derived, ...ofNobody, ...marks, ...ofImport]],
    )
    assert.ok(columns.length >= 20)
    const other: Record<string, (name: string) => string> = {
      text: name =>
        name === 'severity' ? `'minor'` : name === 'category' ? `'safety'` : `coalesce(${name}, '') || ' and more'`,
      bigint: () => String(world.people.otto!.id),
      'timestamp with time zone': name => `coalesce(${name}, now()) - interval '1 minute'`,
      date: name => `${name} + 1`,
      integer: name => `${name} + 1`,
      jsonb: () => `'[{"kind": "other", "identifier": "planted"}]'`,
    }
    for (const { name, type } of columns) {
      const undo = await byHand(`update deviations set ${name} = ${other[type]!(name)} where id = ${id}`)
      assert.deepEqual(failed(await verified(signature.id)), ['record_integrity'], name)
      await undo()
    }
    assert.equal((await verified(signature.id)).valid, true)
  })

  it('is refused to who read something else: an older revision, or one without the file that came meanwhile', async () => {
    const { id, revision } = await pending()
    ok(await cases.put('petra', id, { department: 'QC', change_reason: 'Moved' }))
    assert.equal((await cases.put('quentin', id, { ...closing, revision })).statusCode, 409)
    const attach = () =>
      world.as('petra').upload(`/api/deviations/${id}/attachments`, {}, { bytes: pdf('late'), name: 'late.pdf' })
    const reply = await meanwhile(id, () => cases.put('quentin', id, closing), attach)
    assert.equal(reply.statusCode, 409, reply.body)
    assert.equal(reply.json().code, 'record_changed_while_signing')
    ok(await cases.put('quentin', id, closing))
  })

  it('happens once, when two close it at the same moment', async () => {
    const { id } = await pending()
    const replies = await Promise.all([cases.put('quentin', id, closing), cases.put('quinn', id, closing)])
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 409],
    )
    assert.equal((await signaturesOf(id)).length, 1)
  })

  /** Answers the request that was prepared before another change: both wait for the record, the other one first. */
  async function meanwhile(id: number, mine: () => Promise<Reply>, theirs: () => Promise<Reply>) {
    const lock = { text: 'select from deviations where id = $1 for update', values: [id] }
    const [first, second] = await meetingInOrder(world, lock, [theirs, mine])
    ok(first!)
    return second!
  }

  /** Changes a row past every trigger, as a database administrator could. Answers a function that undoes it. */
  async function byHand(text: string) {
    const id = /id = (\d+)$/.exec(text)![1]
    const [row] = await world.rows<{ row: object }>(`select to_jsonb(d) as row from deviations d where id = ${id}`)
    const asReplica = async (statement: string, values: unknown[] = []) => {
      await world.superuser.query('begin; set local session_replication_role = replica')
      await world.superuser.query(statement, values)
      await world.superuser.query('commit')
    }
    await asReplica(text)
    const column = /set (\w+) =/.exec(text)![1]
    return () =>
      asReplica(
        `update deviations set ${column} = (jsonb_populate_record(null::deviations, $1)).${column} where id = ${id}`,
        [row!.row],
      )
  }
})

describe('a deviation that is reopened', () => {
  const reopening = { status: 'under_investigation', change_reason: 'It happened again the next day' }

  it('supersedes its closure, is changed again, and is closed with another signature', async () => {
    const { id } = await pending()
    ok(await cases.put('quentin', id, closing))
    const reopened = ok(await cases.put('quinn', id, { ...reopening, impact_assessment: 'Two batches' }))
    assert.deepEqual(
      [reopened.status, reopened.closed_at, reopened.closed_by, reopened.impact_assessment],
      ['under_investigation', null, null, 'Two batches'],
    )
    const [first] = await signaturesOf(id)
    assert.equal((await verified(first.id)).status, 'superseded')
    ok(await cases.put('petra', id, { status: 'pending_approval', change_reason: 'Both looked at' }))
    ok(await cases.put('quentin', id, closing))
    const [, second] = await signaturesOf(id)
    assert.equal((await verified(second.id)).status, 'valid')
    assert.deepEqual(
      (await cases.get('uma', id, '/history')).map(({ transition }: Json) => transition),
      ['report', 'investigate', 'submit', 'close', 'reopen', 'submit', 'close'],
    )
  })

  it('is closed by the same person again, also where nothing was changed', async () => {
    const { id } = await pending()
    ok(await cases.put('quentin', id, closing))
    ok(await cases.put('quinn', id, reopening))
    ok(await cases.put('petra', id, { status: 'pending_approval', change_reason: 'As before' }))
    ok(await cases.put('quentin', id, closing))
    const signatures = await signaturesOf(id)
    assert.equal(signatures.length, 2)
    assert.equal((await verified(signatures[0].id)).status, 'superseded')
    assert.equal((await verified(signatures[1].id)).status, 'valid')
  })
})
