import { openRoute, type Route, route } from '#http'
import { callback } from './callback.ts'
import {
  create as createDomain,
  list as listDomains,
  remove as removeDomain,
  verify as verifyDomain,
} from './domains.ts'
import { add as addIdentity, linkOwn, listOfUser, listOwn, remove as removeIdentity, unlinkOwn } from './identities.ts'
import { backChannelLogout, providerLogout } from './log-out.ts'
import { changeMappings } from './mappings.ts'
import { confirmSettings, create, details, list, read, test, testSigning, update } from './providers.ts'
import { start } from './start.ts'

export { confirm as confirmDomain, signInOptions } from './domains.ts'
export {
  breakGlassReminders,
  countSealed,
  forgetProviderAttempts,
  resealIdentities,
  resealProviders,
  sealsOfTenant,
} from './kept.ts'
export { ProviderConnections } from './oidc.ts'
export { providerProof } from './proof.ts'
export { findProvider } from './queries.ts'
export { SsoDomainCreate } from './schema.ts'
export { sealIdentity, sealKey, sealProvider } from './seals.ts'

export const routes: Route[] = [
  openRoute('GET', '/api/auth/oidc/:tenant/:provider/start', start, { status: 302 }),
  openRoute('GET', '/api/auth/oidc/callback', callback, { status: 302 }),
  openRoute('POST', '/api/auth/oidc/:tenant/:provider/back-channel-logout', backChannelLogout),
  route('GET', '/api/auth/provider-logout', providerLogout),
  route('GET', '/api/auth/identities', listOwn),
  route('POST', '/api/auth/identities', linkOwn),
  route('DELETE', '/api/auth/identities/:id', unlinkOwn, { status: 204 }),

  route('GET', '/api/identity-providers/', list),
  route('POST', '/api/identity-providers/', create, { status: 201 }),
  route('GET', '/api/identity-providers/:id', details),
  route('PUT', '/api/identity-providers/:id', update),
  route('POST', '/api/identity-providers/:id/read-metadata', read),
  route('POST', '/api/identity-providers/:id/test', test),
  route('POST', '/api/identity-providers/:id/confirm-settings', confirmSettings),
  route('POST', '/api/identity-providers/:id/test-signing', testSigning),
  route('PUT', '/api/identity-providers/:id/mappings', changeMappings),

  route('GET', '/api/users/:id/identities', listOfUser),
  route('POST', '/api/users/:id/identities', addIdentity, {
    status: 201,
    location: '/api/users/:id/identities/:identity_id',
  }),
  route('DELETE', '/api/users/:id/identities/:identity_id', removeIdentity, { status: 204 }),

  route('GET', '/api/sso-domains/', listDomains),
  route('POST', '/api/sso-domains/', createDomain, { status: 201 }),
  route('POST', '/api/sso-domains/:id/verify', verifyDomain),
  route('DELETE', '/api/sso-domains/:id', removeDomain, { status: 204 }),
]
