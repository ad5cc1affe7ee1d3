import { answerTo } from '#http/errors.ts'
import { refusalBy } from '#http/rate-limits.ts'
import { demoPassword } from '../../../src/commands/demo/people.ts'
import { until } from '../world/background.ts'
import { inDays, type Scene } from './scene.ts'

/** What awaits people, and the audit trail. */
export async function oversight({ ask, send, seal, work }: Scene) {
  for (const list of ['assigned-items', 'pending-approvals'])
    await ask(`GET /api/dashboard/${list}`, 'jonas', { query: { limit: 1 } })
  for (const list of ['unassigned-items', 'orphaned-items'])
    await ask(`GET /api/dashboard/${list}`, 'marta', { query: { limit: 1 } })
  for (const list of ['overdue-items', 'approaching-deadlines'])
    await ask(`GET /api/dashboard/${list}`, 'marta', { query: { page_size: 1 } })
  await ask('GET /api/dashboard/stats', 'marta', { query: { compare: 'previous' } })
  await ask('GET /api/dashboard/records', 'marta', {
    query: { figure: 'documents.pending_approvals', page_size: 1 },
  })

  const { items } = await ask('GET /api/notifications/', 'jonas', { query: { page_size: 1 } })
  await ask('GET /api/notifications/unread-count', 'jonas')
  await ask('GET /api/events', 'jonas')
  await ask('POST /api/notifications/:id/mark-read', 'jonas', { params: { id: items[0].id } })
  await ask('POST /api/notifications/mark-all-read', 'jonas')

  await seal()
  const { items: entries } = await ask('GET /api/audit/', 'hana', {
    query: { action: 'deviation.created', page_size: 1 },
  })
  await ask('GET /api/audit/actions', 'hana')
  await ask('GET /api/audit/:id', 'hana', { params: { id: entries[0].id } })
  await ask('GET /api/audit/:id/proof', 'hana', { params: { id: entries[0].id } })
  await ask('GET /api/audit/checkpoint', 'hana')
  await ask('GET /api/audit/verify', 'hana')
  const { id: review } = await ask('POST /api/audit/reviews/', 'marta', {
    body: {
      ...{ date_from: inDays(-30), date_to: new Date(Date.now() - 1).toISOString() },
      ...{ outcome: 'no_findings', intent: 'I reviewed the audit trail of this period', password: demoPassword },
    },
  })
  await ask('GET /api/audit/reviews/', 'hana', { query: { page_size: 1 } })
  await ask('GET /api/audit/reviews/:id', 'hana', { params: { id: review } })

  const { accounts_sha256 } = await ask('GET /api/users/access-review', 'nora', { query: { page_size: 1 } })
  const { id: access } = await ask('POST /api/users/access-reviews/', 'nora', {
    body: {
      ...{ accounts_sha256, outcome: 'findings', findings: 'The account of henrik was never used' },
      ...{ intent: 'I reviewed the accounts and their access', password: demoPassword },
    },
  })
  await ask('GET /api/users/access-reviews/', 'nora', { query: { page_size: 1 } })
  await ask('GET /api/users/access-reviews/:id', 'nora', { params: { id: access } })
  await ask('GET /api/users/access-reviews/:id/accounts', 'nora', { params: { id: access }, query: { page_size: 1 } })

  const { id: everything } = await ask('POST /api/tenant-exports/', 'nora', {
    body: { reason: 'The yearly copy of all records', password: demoPassword },
  })
  await work()
  // The service itself may have taken it up.
  await until(async () => (await send('GET', `/api/tenant-exports/${everything}`, 'nora')).status === 'ready')
  await ask('GET /api/tenant-exports/', 'nora', { query: { page_size: 1 } })
  await ask('GET /api/tenant-exports/:id', 'nora', { params: { id: everything } })
  await ask('DELETE /api/tenant-exports/:id', 'nora', { params: { id: everything } })
}

/** One answer for each status by which the service refuses. */
export async function refusals({ inject, tokenOf, document }: Scene) {
  const rate = { per_second: 50, burst: 200 }
  const room = { isAllowed: false, remaining: 0, retry_seconds: 1, full_seconds: 4 }
  // Nobody of the demo asks so often.
  const found: Record<string, unknown> = { 429: answerTo(refusalBy('user', rate, room), '').body }
  const refused = async (
    status: number,
    [method, url]: [string, string],
    by: string | undefined,
    asked: Parameters<typeof inject>[3] = {},
    headers?: Record<string, string>,
  ) => {
    const reply = await inject(method, url, by && (await tokenOf(by)), asked, headers)
    if (reply.statusCode !== status)
      throw new Error(`${method} ${url}: ${reply.statusCode} instead of ${status}: ${reply.body}`)
    found[status] = reply.json()
  }
  const json = { 'content-type': 'application/json' }
  await refused(400, ['POST', '/api/groups/'], 'nora', { body: '{"name":' as never }, json)
  await refused(401, ['GET', '/api/documents/'], undefined)
  await refused(403, ['GET', '/api/audit/'], 'tom')
  await refused(404, ['GET', '/api/documents/999999'], 'hana')
  await refused(409, ['PUT', `/api/documents/${document('DOC-0001')}`], 'emil', {
    body: { title: 'Qualified equipment', revision: 999, change_reason: 'Shorter' },
  })
  await refused(413, ['POST', '/api/groups/'], 'nora', { body: { name: 'x'.repeat(1_100_000) } })
  await refused(415, ['POST', '/api/groups/'], 'nora', { body: '<name/>' as never }, { 'content-type': 'text/xml' })
  await refused(
    416,
    ['GET', `/api/documents/${document('SOP-0001')}/download`],
    'emil',
    {},
    { range: 'bytes=99999999-' },
  )
  await refused(422, ['POST', '/api/groups/'], 'nora', { body: { name: '', colour: 'red' } })
  return found
}
