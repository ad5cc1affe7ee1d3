// The permissions of the running service: every request as every role, beside the table that people have reviewed. Each is
// well-formed but for an unknown field, so a caller with the permission is refused because of the field, and nothing happens.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Route } from '#http'
import { type Permission, tenantPermissions } from '#kernel/catalogue.ts'
import { everybodys, platformRoles, systemRoles } from '#modules/roles'
import { cases, dayFromNow } from '#test/builders/cases.ts'
import { papers } from '#test/builders/documents.ts'
import {
  accepted,
  checkAnswer,
  digestOfTables,
  giveSecondFactor,
  nobodysId,
  pathOf,
  sampleRequest,
  send,
} from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { type AccessRow, readAccessTable } from './access.ts'

/** The person of each role in the tests' world. */
const holders: Record<string, string> = {
  Admin: 'ada',
  'QA Manager': 'quinn',
  QA: 'petra',
  Author: 'alan',
  User: 'uma',
  Auditor: 'otto',
  'Platform operator': 'pat',
}
/** No record is reached, so none need be there. */
const nobodys = new Proxy<Record<string, number>>({}, { get: () => nobodysId })

const requestOf = ({ method, url }: Route) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`

describe('docs/access.md, the table of who may ask for what (proves: ROLE-01, ROLE-05)', () => {
  const table = readAccessTable()
  let world: World
  let routes: Map<string, Route>
  before(async () => {
    world = await openWorld({ LOG_LEVEL: 'error' })
    await giveSecondFactor(world, 'pat')
    const closed = world.app.routes.filter(({ action }) => action.kind !== 'open')
    routes = new Map(closed.map(route => [requestOf(route), route]))
  })
  after(() => world.close())

  async function ask(route: Route, token: string) {
    const asked = { ...sampleRequest(route, { acme: nobodys, rival: nobodys }), path: pathOf(route.url, nobodysId) }
    const part = route.method === 'GET' ? 'query' : asked.form ? 'form' : 'body'
    const reply = await send(world, route, { ...asked, [part]: { ...asked[part], nonsense: 1 } }, { token })
    return checkAnswer(reply, requestOf(route)).statusCode
  }

  it('names each request of the service once, and each role that comes with it', () => {
    assert.deepEqual(table.map(({ request }) => request).sort(), [...routes.keys()].sort())
    for (const { request, permission } of table)
      assert.equal((routes.get(request)!.action as { permission: string }).permission, permission, request)
    const roles = [...Object.keys(systemRoles), ...Object.keys(platformRoles)].sort()
    assert.deepEqual(Object.keys(holders).sort(), roles)
    for (const { request, allowed } of table) assert.deepEqual(Object.keys(allowed).sort(), roles, request)
  })

  async function countDenials(name: string) {
    const rows = await world.rows<{ count: number }>(
      `select count(*)::int from audit_entries where action = 'access.denied' and user_id = $1`,
      [world.people[name]!.id],
    )
    return rows[0]!.count
  }
  for (const [role, name] of Object.entries(holders)) {
    // proves: AUD-01
    it(`is how the service answers the role ${role}, and each refusal has its entry in the audit trail`, async () => {
      const token = await world.tokenOf(name)
      const before = await countDenials(name)
      for (const { request, allowed } of table) {
        const expected = allowed[role] ? 422 : 403
        assert.equal(await ask(routes.get(request)!, token), expected, `${request} for ${role}`)
      }
      assert.equal((await countDenials(name)) - before, table.filter(({ allowed }) => !allowed[role]).length)
    })
  }

  it('lets an auditor write nothing but what is their own account', () => {
    const written = table.filter(
      ({ request, allowed }) =>
        allowed.Auditor && !request.startsWith('GET ') && routes.get(request)!.action.kind === 'command',
    )
    assert.deepEqual([...new Set(written.map(({ permission }) => permission))].sort(), [
      'account.manage_own',
      'notifications.manage',
      'notifications.read',
    ])
  })

  it('is how the service answers a role of one permission alone: what names it is open, and another is not', async () => {
    const { id } = (await accepted(world.as('ada').post('/api/roles/', { name: 'One permission alone' }))).json()
    await accepted(world.as('ada').put(`/api/users/${world.people.uma!.id}/role`, { role_id: id }))
    world.people.uma!.session_version += 1
    const byPermission = Map.groupBy(table, ({ permission }) => permission)
    for (const [index, permission] of tenantPermissions.entries()) {
      await accepted(world.as('ada').put(`/api/roles/${id}`, { granted: [permission] }))
      const token = await world.tokenOf('uma')
      for (const { request } of byPermission.get(permission) ?? [])
        assert.equal(await ask(routes.get(request)!, token), 422, `${request} with ${permission} alone`)
      for (const { request } of others(permission, index))
        assert.equal(await ask(routes.get(request)!, token), 403, `${request} with ${permission} alone`)
    }
  })

  /** All of them where ACCESS_WHOLE says so (`npm run attacks`); else some, each time others, so that none is left out. */
  function others(permission: Permission, index: number): AccessRow[] {
    const all = table.filter(row => row.permission !== permission && row.permission !== everybodys)
    return process.env.ACCESS_WHOLE ? all : all.filter((_, place) => place % 30 === index % 30)
  }
})

describe('an auditor (proves: ROLE-05)', () => {
  let world: World
  before(async () => {
    world = await openWorld({ LOG_LEVEL: 'error' })
  })
  after(() => world.close())

  async function giveOtto(role: string) {
    const { items } = (await accepted(world.as('ada').get('/api/roles/'))).json()
    const { id: role_id } = items.find(({ name }: { name: string }) => name === role)
    await accepted(
      world.as('ada').put(`/api/users/${world.people.otto!.id}/role`, { role_id, change_reason: 'Another job' }),
    )
    world.people.otto!.session_version += 1
  }

  it('changes nothing either of what they made while they were an author', async () => {
    await giveOtto('Author')
    const [make, paper, otto] = [cases(world), papers(world), world.as('otto')]
    const sop = await paper.effective()
    const document = await paper.upload({ by: 'otto' })
    await accepted(paper.move('otto', document.id, 'submit'))
    const deviation = await make.deviation({ by: 'otto' })
    const capa = await make.capa({ by: 'otto' })
    const of = (kind: 'deviations' | 'capa', { id }: { id: number }) => `/api/${kind}/${id}`
    const link = { resource_type: 'document', resource_id: sop.id }
    const links = new Map<string, number>()
    for (const path of [of('deviations', deviation), of('capa', capa)])
      links.set(path, (await accepted(otto.post(`${path}/links`, link))).json().id)
    const { id: comment } = (
      await accepted(otto.post(`/api/documents/${document.id}/comments`, { text: 'Step 3' }))
    ).json()
    await giveOtto('Auditor')

    const later = { due_date: dayFromNow(world, 200), reason: 'It takes longer' }
    const another = { ...link, resource_id: (await paper.effective()).id }
    const draft = `/api/documents/${document.id}`
    const attempts = [
      () => otto.put(draft, { title: 'Mine', change_reason: 'Better' }),
      () => otto.upload(`${draft}/versions`, { change_type: 'minor', change_reason: 'Better' }),
      () => otto.post(`${draft}/transition`, { transition: 'withdraw' }),
      () => otto.post(`${draft}/delegate`, { to: world.people.quinn!.id, reason: 'On leave' }),
      () => otto.post(`${draft}/end-delegation`, {}),
      () => otto.post(`${draft}/comments`, { text: 'Step 4' }),
      () => otto.post(`${draft}/comments/${comment}/resolve`, {}),
      ...[of('deviations', deviation), of('capa', capa)].flatMap(path => [
        () => otto.put(path, { title: 'Not so bad' }),
        () => otto.put(path, {}),
        () => otto.put(path, { status: 'cancelled', change_reason: 'A mistake' }),
        () => otto.upload(`${path}/attachments`, {}),
        () => otto.post(`${path}/comments`, { text: 'Not so bad' }),
        () => otto.post(`${path}/links`, another),
        () => otto.delete(`${path}/links/${links.get(path)}`, { reason: 'Not needed' }),
        () => otto.post(`${path}/extend`, later),
      ]),
    ]
    const before = await digestOfTables(world, { without: ['audit_entries'] })
    for (const attempt of attempts) {
      const reply = await attempt()
      assert.equal(reply.statusCode, 403, `${String(attempt)}: ${reply.body}`)
    }
    assert.deepEqual(await digestOfTables(world, { without: ['audit_entries'] }), before)
    const standing = (await accepted(otto.get(`${draft}/workflow`))).json()
    assert.deepEqual([standing.state.name, standing.you.may], ['in_review', []])
    assert.deepEqual((await accepted(otto.get(draft))).json().workflow.transitions, [])
    for (const path of [of('deviations', deviation), of('capa', capa)]) await accepted(otto.get(path))
  })
})
