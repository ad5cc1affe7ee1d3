import { randomUUID } from 'node:crypto'
import { TOTP } from 'otpauth'
import { findByLogin, systemActor } from '#modules/accounts'
import type { App } from '../../../src/app.ts'
import { demoPassword, demoTenant, emailOf } from '../../../src/commands/demo/people.ts'
import { loginCookieIn } from '../builders/single-sign-on.ts'
import type { Scene } from './scene.ts'

const [first, second] = ['Lantern-field-62-maple', 'Copper-window-19-reed']

/** Both rounds of the test, with a provider that says of the second that nobody logged in anew; then it is admitted. */
async function admitForSignatures({ app, forger, inject, tokenOf, send }: Scene, id: number) {
  const token = await tokenOf('nora')
  const auth_time = Math.floor(Date.now() / 1000)
  const begun = await inject('POST', `/api/identity-providers/${id}/test-signing`, token, { body: {} })
  const comesBack = (start: string, reply: typeof begun) => {
    const asked = new URL(start).searchParams
    forger.answers({ claims: { nonce: asked.get('nonce')!, sub: 'tester', auth_time } })
    const back = new URLSearchParams({ code: randomUUID(), state: asked.get('state')!, iss: forger.issuer })
    return app.server.inject({
      url: `/api/auth/oidc/callback?${back.toString()}`,
      headers: { cookie: `__Host-attest-login=${loginCookieIn(reply)}` },
    })
  }
  const first = await comesBack(begun.json().start, begun)
  await comesBack(String(first.headers.location), first)
  await send('PUT', `/api/identity-providers/${id}`, 'nora', { body: { may_sign: true } })
}

/** As somebody does who has the login of the service to the database, with an entry of their own. */
async function alterPastTheService({ services }: App, id: number) {
  const nora = await findByLogin(services.database, emailOf('nora'))
  await services.runner.inSeparateTransaction(
    systemActor(nora!.tenant_id),
    { requestId: '', clientAddr: '' },
    async ({ tx, record }) => {
      await tx.updateTable('identity_providers').set({ subject_claim: 'oid' }).where('id', '=', id).execute()
      record('identity_provider.updated', id)
    },
  )
}

/** A provider that the company adds, tries, maps and switches off again. */
export async function singleSignOn(scene: Scene) {
  const { app, ask, send, changed, person, role, forger, dns } = scene
  const { id } = await ask('POST /api/identity-providers/', 'nora', {
    body: {
      ...{ slug: 'company', name: 'Linden log-in', issuer: forger.issuer, client_id: 'attest' },
      ...{ client_secret: 'as-the-provider-shows-it', subject_claim: 'sub', provisioning: 'linked', is_active: true },
    },
  })
  const params = { id }
  await ask('GET /api/identity-providers/', 'nora')
  await ask('GET /api/identity-providers/:id', 'nora', { params })
  await ask('POST /api/identity-providers/:id/read-metadata', 'nora', { params })
  await ask('POST /api/identity-providers/:id/test', 'nora', { params, body: { return_to: '/settings/sign-in' } })
  await ask('POST /api/identity-providers/:id/test-signing', 'nora', {
    params,
    body: { return_to: '/settings/sign-in' },
  })
  await ask('PUT /api/identity-providers/:id/mappings', 'nora', {
    params,
    body: { mappings: [{ claim_value: 'qms-authors', role_id: role('Author'), priority: 10 }] },
  })
  const user = { id: person('jonas') }
  const link = await ask('POST /api/users/:id/identities', 'nora', {
    params: user,
    body: { provider_id: id, subject: '248289761001', change_reason: 'Logs in by the company from now on' },
  })
  await admitForSignatures(scene, id)
  const { items } = await send('GET', '/api/documents/?status=effective&page_size=1', 'jonas')
  const act = { document_id: items[0].id, signature_type: 'acknowledgement', intent: 'I have read this procedure' }
  await ask('POST /api/signing-challenges/', 'jonas', {
    variant: 'provider',
    body: {
      kind: 'provider',
      acts: [{ method: 'POST', path: '/api/signatures/', body: act }],
      return_to: `/documents/${items[0].id}`,
    },
  })
  await ask('GET /api/users/:id/identities', 'nora', { params: user })
  await ask('GET /api/auth/identities', 'jonas')
  await ask('DELETE /api/auth/identities/:id', 'jonas', { params: { id: link.id }, body: { password: demoPassword } })
  const again = await send('POST', `/api/users/${user.id}/identities`, 'nora', {
    body: { provider_id: id, subject: '248289761001' },
  })
  await ask('DELETE /api/users/:id/identities/:identity_id', 'nora', {
    params: { ...user, identity_id: again.id },
    body: { change_reason: 'Linked to the wrong person' },
  })
  await ask('POST /api/auth/identities', 'emil', {
    body: { provider_id: id, password: demoPassword, return_to: '/account' },
  })
  await ask('GET /api/auth/provider-logout', 'emil')
  const place = { tenant: demoTenant.slug, provider: 'company' }
  await ask('GET /api/auth/oidc/:tenant/:provider/start', undefined, {
    params: place,
    query: { return_to: '/documents/7' },
  })
  await ask('GET /api/auth/oidc/callback', undefined, { query: { error: 'access_denied' } })
  await ask('POST /api/auth/oidc/:tenant/:provider/back-channel-logout', undefined, {
    params: place,
    fields: { logout_token: await forger.logoutToken({ sub: '248289761001' }) },
  })
  await ask('PUT /api/identity-providers/:id', 'nora', {
    params,
    body: { is_active: false, change_reason: 'Tried, and to be switched on next week' },
  })
  await alterPastTheService(app, id)
  await ask('POST /api/identity-providers/:id/confirm-settings', 'nora', {
    params,
    body: { change_reason: 'Compared with the audit trail, event 2026-17' },
  })
  const { id: domain, text } = await ask('POST /api/sso-domains/', 'nora', {
    body: { domain: 'linden-pharma.example' },
  })
  await ask('GET /api/sso-domains/', 'nora')
  dns.texts.set('linden-pharma.example', [text])
  await ask('POST /api/sso-domains/:id/verify', 'nora', { params: { id: domain } })
  await ask('DELETE /api/sso-domains/:id', 'nora', { params: { id: domain } })
  const vera = await send('POST', '/api/users/', 'nora', {
    body: {
      ...{ username: 'vera', email: emailOf('vera'), full_name: 'Vera Holst', role_id: role('Admin') },
      ...{ password: first, must_change_password: true },
    },
  })
  changed('vera', first)
  await send('POST', '/api/auth/change-password', 'vera', { body: { current_password: first, new_password: second } })
  changed('vera', second)
  const { secret } = await send('POST', '/api/auth/totp/enroll', 'vera', { body: { password: second } })
  await send('POST', '/api/auth/totp/confirm', 'vera', { body: { otp: new TOTP({ secret }).generate() } })
  await ask('PUT /api/users/:id/break-glass', 'nora', {
    params: { id: vera.id },
    body: { is_break_glass: true, change_reason: 'Kept in the safe of the quality unit' },
  })
}
