// An insider with the login attest_app: what stands on a controlled copy is not changed, and nothing becomes of it without an entry.
// proves: AUD-01, DOC-03
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { copies } from '#test/builders/copies.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('somebody with the login attest_app', () => {
  let world: World
  let app: pg.Client
  let document: number
  let version: number
  let copy: number
  before(async () => {
    world = await openWorld()
    app = new pg.Client(world.postgres.app)
    await app.connect()
    document = (await copies(world).document()).id
    version = ok(await world.as('petra').get(`/api/documents/${document}/versions`))[0].id
    copy = (await copies(world).printed(document)).id
  })
  after(async () => {
    await app?.end()
    await world.close()
  })
  beforeEach(async () => {
    await app.query('rollback')
    const { id, tenant_id } = world.people.petra!
    await app.query(
      `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}'`,
    )
  })
  const entry = (action: string, id = copy, resource = 'controlled_copy') =>
    app.query(
      `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
        values ('petra', 'QA', '', 'success', $1, $2, $3, '{}', '')`,
      [action, resource, id],
    )
  const change = (set: string) => app.query(`update controlled_copies set ${set} where id = ${copy}`)
  const issue = (of: number, copy_number: number) =>
    app.query(
      `insert into controlled_copies (document_id, version_id, copy_number, issued_to, holder_id, location)
        values ($1, $2, $3, $4, $4, 'Hidden')`,
      [document, of, copy_number, world.people.uma!.id],
    )
  const print = (print_number: number, reason: string | null = 'Why not') =>
    app.query(
      `insert into controlled_copy_prints (copy_id, print_number, reason, sha256, pages) values ($1, $2, $3, repeat('a', 64), 1)`,
      [copy, print_number, reason],
    )

  for (const set of [
    'copy_number = 9',
    'issued_to = 1',
    `location = 'Elsewhere'`,
    'version_id = 1',
    'issued_at = now()',
    'issued_by = 1',
  ])
    it(`has no right to set ${set}`, () => assert.rejects(change(set), { code: '42501' }))

  it('deletes no copy and no print, and changes no print', async () => {
    for (const statement of [
      'delete from controlled_copies',
      'delete from controlled_copy_prints',
      `update controlled_copy_prints set reason = 'x'`,
    ]) {
      await app.query('savepoint before')
      await assert.rejects(app.query(statement), { code: '42501' }, statement)
      await app.query('rollback to before')
    }
  })

  for (const set of [
    `holder_id = (select id from users where username = 'anna')`,
    `status = 'recalled', recalled_at = now(), recall_reason = 'x', due_date = current_date`,
    `status = 'destroyed', reconciled_at = now(), reconciled_by = (select id from users where username = 'quinn'), reconciliation_reason = 'x'`,
  ])
    it(`cannot set ${set.split(' = ')[0]} without an entry of the copy`, async () => {
      await entry('document.updated', document, 'document')
      await change(set)
      await assert.rejects(app.query('commit'), { code: 'QA001' })
    })

  it('cannot issue or print one without an entry, nor leave a gap in the numbers, whatever the entry says', async () => {
    await assert.rejects(issue(version, 3), { code: 'QA002' })
    await app.query('rollback')
  })
  it('cannot print one without an entry', async () => {
    await print(2)
    await assert.rejects(app.query('commit'), { code: 'QA001' })
  })
  it('cannot print one again without a reason', () => assert.rejects(print(2, null), { code: '23514' }))
  it('cannot count a print twice', () => assert.rejects(print(1), { code: 'QA002' }))
  it('cannot cancel one that was printed, nor bring one back', async () => {
    await entry('controlled_copy.cancelled')
    await assert.rejects(change(`status = 'cancelled', recalled_at = now(), recall_reason = 'x'`), { code: 'QA002' })
  })
  it('cannot reconcile for the holder', async () => {
    await entry('controlled_copy.reconciled')
    await assert.rejects(
      change(`status = 'returned', reconciled_at = now(), reconciled_by = holder_id, reconciliation_reason = 'x'`),
      { code: '23514' },
    )
  })
  it('cannot end a version and leave its copies in use', async () => {
    await entry('document.updated', document, 'document')
    await app.query(
      `update document_versions set status = 'obsolete', status_kind = 'final', review_due_date = null where id = $1`,
      [version],
    )
    await assert.rejects(app.query('commit'), { code: 'QA002', message: /copies of it are still in use/ })
  })
  it('cannot issue a copy of a version that has ended', async () => {
    await app.query('rollback')
    ok(await papers(world).addVersion(document))
    await papers(world).release(document)
    const { id, tenant_id } = world.people.petra!
    await app.query(`begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'`)
    await assert.rejects(issue(version, 2), { code: 'QA002' })
  })
})
