import { sql } from 'kysely'
import { TOTP } from 'otpauth'
import { activeTenants } from '#modules/accounts'
import { demoPassword, emailOf } from '../../../src/commands/demo/people.ts'
import { partsOf } from '../fakes/smtp.ts'
import type { Scene } from './scene.ts'

const [first, second, third] = ['Sealed-vessel-31-birch', 'Quiet-harbour-58-lamp', 'Amber-ladder-74-frost']

/** A person who joins, changes their account and leaves. */
export async function accounts({ app, ask, send, person, role, changed, smtp, work }: Scene) {
  await ask('GET /api/auth/options')
  await ask('POST /api/auth/first-start', undefined, {
    refusedWith: 409,
    body: {
      code: '7KQD-29XA-MF4T-W8CB-5HRN',
      company: 'Linden Pharma',
      admin: { username: 'nora', email: emailOf('nora'), full_name: 'Nora Berg', password: first },
    },
  })
  await ask('POST /api/auth/token', undefined, { body: { username: 'emil', password: demoPassword } })
  await ask('POST /api/auth/session', undefined, { body: { username: 'emil', password: demoPassword } })
  await ask('GET /api/auth/me', 'emil')
  await ask('GET /api/set-up/', 'nora')
  await ask('POST /api/set-up/test-mail', 'nora')
  await ask('PUT /api/auth/preferences', 'emil', {
    body: {
      ...{ language: 'de', theme: 'dark' },
      views: { documents: [{ name: 'Due in 90 days', query: 'overdue_review=true&sort=review_due_date' }] },
      columns: { documents: ['number', 'title', 'status', 'review_due_date'] },
    },
  })
  await ask('GET /api/auth/preferences', 'emil')
  await ask('GET /api/auth/session', 'emil')
  await ask('POST /api/auth/session/extend', 'emil')
  const sessions = await ask('GET /api/auth/sessions/', 'emil')
  const { id: other } = sessions.find((each: { is_current: boolean }) => !each.is_current)
  await ask('DELETE /api/auth/sessions/:id', 'emil', { params: { id: other } })
  await ask('POST /api/auth/sessions/end-others', 'emil')
  await ask('POST /api/auth/register', undefined, {
    body: { username: 'ines', email: emailOf('ines'), full_name: 'Ines Duarte', password: first },
  })
  const { id: greta } = await ask('POST /api/users/', 'nora', {
    body: {
      ...{ username: 'greta', email: emailOf('greta'), full_name: 'Greta Holm' },
      ...{ role_id: role('Author'), password: first, must_change_password: true },
    },
  })
  changed('greta', first)
  await ask('POST /api/auth/change-password', 'greta', { body: { current_password: first, new_password: second } })
  changed('greta', second)
  const { secret } = await ask('POST /api/auth/totp/enroll', 'greta', { body: { password: second } })
  await ask('POST /api/auth/totp/confirm', 'greta', { body: { otp: new TOTP({ secret }).generate() } })
  const params = { id: greta }
  await ask('POST /api/users/:id/reset-password', 'nora', {
    params,
    body: { remove_totp: true, change_reason: 'Lost the telephone' },
  })
  await work()
  const mails = smtp.received.map(each => partsOf(each)['text/plain']!)
  const token = mails.map(text => /reset-password:\s+(\S+)/.exec(text)?.[1]).find(each => each !== undefined)
  await ask('POST /api/auth/reset-password', undefined, { body: { token, new_password: third } })
  changed('greta', third)
  await send('POST', '/api/auth/totp/enroll', 'greta', { body: { password: third } })
  await ask('DELETE /api/auth/totp', 'greta', { body: { password: third } })
  changed('greta')
  await ask('GET /api/users/:id/sessions', 'nora', { params })
  await ask('POST /api/users/:id/end-sessions', 'nora', {
    params,
    body: { change_reason: 'Her telephone is still missing' },
  })
  changed('greta')
  await ask('POST /api/auth/logout', 'greta')
  await ask('POST /api/auth/forgot-password', undefined, { body: { username: 'greta' } })

  await ask('GET /api/users/', 'nora', { query: { page_size: 1 } })
  await ask('GET /api/users/:id', 'nora', { params })
  await ask('PUT /api/users/:id', 'nora', {
    params,
    body: { full_name: 'Greta Holm-Larsen', change_reason: 'New name after the wedding' },
  })
  const { id: henrik } = await ask('POST /api/users/invite', 'nora', {
    body: {
      ...{ username: 'henrik', email: emailOf('henrik'), full_name: 'Henrik Aalto' },
      role_id: role('User'),
    },
  })
  await ask('POST /api/users/:id/invite', 'nora', {
    params: { id: henrik },
    body: { change_reason: 'The first mail was not found' },
  })
  await ask('POST /api/users/:id/withdraw-invitation', 'nora', {
    params: { id: henrik },
    body: { change_reason: 'Does not join the company' },
  })
  await ask('POST /api/users/invite-many', 'nora', {
    body: {
      csv: `username,email,full_name,role\nsofia,${emailOf('sofia')},Sofia Lind,Author\nmateo,${emailOf('mateo')},Mateo Cruz,\n`,
    },
  })
  await ask('POST /api/users/:id/verify-identity', 'marta', {
    params,
    body: { method: 'Passport, seen in person', note: 'Seen on the first day of work' },
  })
  await ask('PUT /api/users/:id/role', 'nora', {
    params,
    body: { role_id: role('QA'), change_reason: 'Moves to quality assurance' },
  })
  await ask('GET /api/users/:id/permissions', 'nora', { params })
  await ask('PUT /api/users/:id/permissions', 'nora', {
    params,
    body: {
      granted: ['deviations.manage_forms'],
      denied: ['signatures.void'],
      change_reason: 'Keeps the report forms',
    },
  })
  const { id: report } = await send('POST', '/api/deviations/', 'tom', {
    body: {
      title: 'Gasket of the dryer FD-03 worn',
      description: 'Found at the weekly inspection. No product was in the dryer.',
      severity: 'minor',
      severity_decision: 'accepted',
    },
  })
  await send('PUT', `/api/deviations/${report}`, 'jonas', {
    body: { status: 'under_investigation', assigned_to: greta, change_reason: 'She knows the dryer' },
  })
  await ask('GET /api/users/:id/open-work', 'nora', { params })
  await ask('POST /api/users/:id/deactivate', 'nora', { params, body: { change_reason: 'Left the company' } })
  await ask('POST /api/users/:id/hand-over', 'nora', {
    params,
    body: { successor_id: person('priya'), change_reason: 'Priya takes over the open work' },
  })
  await work()
  await ask('POST /api/users/:id/reactivate', 'nora', { params, body: { change_reason: 'Back from leave' } })
  const { items } = await ask('GET /api/jobs/', 'nora', { query: { page_size: 1 } })
  await ask('GET /api/jobs/:id', 'nora', { params: { id: items[0].id } })
  await failJob(app, items[0].id)
  await ask('POST /api/jobs/:id/retry', 'nora', {
    params: { id: items[0].id },
    body: { change_reason: 'The database has space again' },
  })
  await work()
  await failJob(app, items[0].id)

  // The mail server of the company has none of them.
  smtp.behaviour.recipient = () => [550, 'no such mailbox']
  for (const username of ['priya', 'jonas', 'emil'])
    await app.server.inject({ method: 'POST', url: '/api/auth/forgot-password', payload: { username } })
  await work()
  smtp.behaviour.recipient = undefined
  const failed = await ask('GET /api/mails/', 'nora', { query: { status: 'failed', page_size: 3 } })
  await ask('POST /api/mails/:id/retry', 'nora', {
    params: { id: failed.items[0].id },
    body: { change_reason: 'The mailbox is there now' },
  })
  await ask('POST /api/mails/:id/dismiss', 'nora', {
    params: { id: failed.items[1].id },
    body: { change_reason: 'Asked for by mistake' },
  })
}

/** As if it had been refused: a demo has no job that fails. */
const failJob = async ({ services }: Scene['app'], id: number) => {
  const [tenantId] = await activeTenants(services.database)
  await services.database.transaction({ tenantId: tenantId!, userId: null }, 'read write', tx =>
    sql`update background_jobs set status = 'failed', error = 'It failed in all 5 attempts.', finished_at = now() where id = ${id}`.execute(
      tx,
    ),
  )
}

/** The platform's operator, who sees tenants and the state of the installation. */
export async function platform({ ask }: Scene) {
  await ask('GET /api/platform/tenants/', 'olga', { query: { page_size: 1 } })
  const { id } = await ask('POST /api/platform/tenants/', 'olga', {
    body: {
      name: 'Birch Biologics',
      slug: 'birch-biologics',
      admin: {
        ...{ username: 'ada', email: 'ada@birch-biologics.example', full_name: 'Ada Birkeland' },
        ...{ password: first, must_change_password: true },
      },
    },
  })
  await ask('GET /api/platform/tenants/:id', 'olga', { params: { id } })
  await ask('PUT /api/platform/tenants/:id', 'olga', {
    params: { id },
    body: { storage_quota_mb: 20_480, change_reason: 'As ordered' },
  })
  await ask('GET /api/health')
  await ask('GET /api/status/health')
  await ask('GET /api/status', 'olga')
  await ask('GET /api/platform/installation', 'olga')
  await ask('GET /api/platform/checks', 'olga')
  const { items } = await ask('GET /api/platform/failed-work', 'olga')
  const params = { id: items[0].tenant.id }
  await ask('POST /api/platform/tenants/:id/retry-mails', 'olga', { params })
  await ask('POST /api/platform/tenants/:id/retry-jobs', 'olga', { params })
}

export async function deputies({ ask, person }: Scene) {
  const { id } = await ask('POST /api/deputies/', 'jonas', {
    body: {
      ...{ deputy_id: person('priya'), starts_on: '2198-07-01', ends_on: '2198-07-21' },
      ...{ scopes: ['approvals', 'tasks'], reason: 'Summer holidays' },
    },
  })
  await ask('GET /api/deputies/', 'jonas', { query: { page_size: 1 } })
  await ask('GET /api/deputies/:id', 'jonas', { params: { id } })
  await ask('POST /api/deputies/:id/end', 'jonas', { params: { id }, body: { end_reason: 'The holidays are moved' } })
}
