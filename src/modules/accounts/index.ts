import type { Services } from '#action'
import { openRoute, type Route, route } from '#http'
import { invite, inviteAgain, withdrawInvitation } from './invitations/actions.ts'
import { inviteMany } from './invitations/list.ts'
import { logIn, logInBrowser } from './log-in/login.ts'
import { logInOptions } from './log-in/options.ts'
import { choosePassword, forgotPassword } from './log-in/password-links.ts'
import { changePassword, confirmTotp, enrolTotp, logOut, me, removeTotp } from './own-account.ts'
import { register } from './registration.ts'
import { acceptSignatureStatement, verifyIdentity } from './signers.ts'
import { beginChallenge, challengeDetails } from './signing/actions.ts'
import './signing/passkeys.ts'

import { changePreferences, preferences } from './preferences/actions.ts'
import { changeBreakGlass } from './single-sign-on/break-glass-accounts.ts'
import { addTenant, changeTenant, listTenants, tenantDetails } from './tenants/actions.ts'
import { changeSettings, renameCompany, settings } from './tenants/settings.ts'
import { assignRole, changePermissions, permissionsOfUser } from './user-permissions.ts'
import { change, create, deactivate, details, endSessionsOfUser, list, reactivate, resetPassword } from './users.ts'

export { Accounts, actorOfUser, authenticator, platformTenantId, systemActor } from './actors.ts'
export { addImportedUsers } from './imported/users.ts'
export {
  type LoginContext,
  logInByProof,
  loginRefusal,
  recordStranger,
  refuseCrossSite,
  tooManyFailures,
} from './log-in/by-proof.ts'
export { stateRepeatedFailures } from './log-in/failures.ts'
export {
  type ProvenIdentity,
  proveIdentity,
  requirePassword,
  requirePasswordOrRecentLogin,
  requireRecentLogin,
  requireSignerByAnyMethod,
} from './log-in/identity.ts'
export { forgetAttempts, loginsLimited, openLoginLimits } from './log-in/limits.ts'
export { findByLogin, hasPassword } from './log-in/login.ts'
export type { SignInOptions } from './log-in/options.ts'
export { issuePasswordLink, type SentLink } from './log-in/password-links.ts'
export { countSecondFactors, resealSecondFactors } from './log-in/second-factors.ts'
export { forgetSessions } from './log-in/session-retention.ts'
export { type HandedOver, type OpenItem, type WorkOfKind, workKinds } from './open-work.ts'
export {
  findAccount,
  holding,
  listAdmins,
  listDeciders,
  listHolders,
  listPeople,
  listPeopleWith,
  nameOf,
  type PersonAtWork,
} from './people-queries.ts'
export { addPlatformUser, PlatformUserCreate } from './platform-users.ts'
export { readerLanguage } from './preferences/language.ts'
export { findCredentials, listGroupIds, listNamedPeople } from './queries.ts'
export type { ReportTaker } from './report-takers.ts'
export { usualRequestsPerSecond } from './rules.ts'
export { Secret, UserCreate, Username } from './schema.ts'
export {
  countOwnedServices,
  countServiceAccounts,
  findServiceAccount,
  insertServiceAccount,
  listOwnedServices,
  listServiceAccounts,
  lockServiceAccount,
  type ServiceAccountRow,
  serviceAccountSorts,
  updateServiceAccount,
} from './service-queries.ts'
export { requestsOfUsers } from './signers.ts'
export { acceptProof, refuseProof, type SigningProof } from './signing/proofs.ts'
export { lockChallenge, lockChallengeBySha256 } from './signing/queries.ts'
export { actsOf, nonceOf, proofMs, provingRefusal } from './signing/rules.ts'
export { PasskeyAnswer, PasskeyCreated, PasskeyRequest, ProvedChallenge } from './signing/schema.ts'
export { lockUserById, openAccount } from './single-sign-on/linking.ts'
export { actorOf, logInByProvider, recordRefusedByProvider } from './single-sign-on/log-in.ts'
export {
  addProvidedUser,
  findHolderOfEmail,
  giveProvidedRole,
  type ProvidedPerson,
} from './single-sign-on/provided-users.ts'
export { remindOfBreakGlass, untriedBreakGlass, untriedSince } from './single-sign-on/untried.ts'
export {
  activeTenants,
  allTenants,
  completePlatform,
  findTenant,
  hasTenant,
  makeTenant,
  refuseTenant,
  type TenantSeed,
  tenantsWithoutConfigurationApproval,
  tenantsWithWork,
} from './tenants/actions.ts'
export { requireTypePattern } from './tenants/numbering.ts'
export { nameOfTenant } from './tenants/queries.ts'
export { TenantCreate } from './tenants/schema.ts'
export {
  hasSigners,
  mayApprove,
  readSettings,
  requireApprover,
  type TenantSettings,
  todayOf,
} from './tenants/settings.ts'
export { create as createUser, unlockUser } from './users.ts'

export const routes = ({ config }: Pick<Services, 'config'>): Route[] => [
  openRoute('GET', '/api/auth/options', logInOptions),
  openRoute('POST', '/api/auth/token', logIn),
  openRoute('POST', '/api/auth/session', logInBrowser, { status: 204 }),
  ...(config.registration_enabled
    ? [openRoute('POST', '/api/auth/register', register, { status: 201, location: '/api/users/:id' })]
    : []),
  openRoute('POST', '/api/auth/forgot-password', forgotPassword, { status: 204 }),
  openRoute('POST', '/api/auth/reset-password', choosePassword, { status: 204 }),
  route('GET', '/api/auth/me', me),
  route('GET', '/api/auth/preferences', preferences),
  route('PUT', '/api/auth/preferences', changePreferences),
  route('POST', '/api/auth/change-password', changePassword),
  route('POST', '/api/auth/logout', logOut, { status: 204 }),
  route('POST', '/api/auth/totp/enroll', enrolTotp),
  route('POST', '/api/auth/totp/confirm', confirmTotp),
  route('DELETE', '/api/auth/totp', removeTotp),
  route('POST', '/api/auth/accept-signature-statement', acceptSignatureStatement),
  route('POST', '/api/signing-challenges/', beginChallenge, { status: 201 }),
  route('GET', '/api/signing-challenges/:id', challengeDetails),

  route('GET', '/api/users/', list),
  route('POST', '/api/users/', create, { status: 201 }),
  route('POST', '/api/users/invite', invite, { status: 201, location: '/api/users/:id' }),
  route('POST', '/api/users/invite-many', inviteMany),
  route('GET', '/api/users/:id', details),
  route('PUT', '/api/users/:id', change),
  route('POST', '/api/users/:id/deactivate', deactivate),
  route('POST', '/api/users/:id/reactivate', reactivate),
  route('POST', '/api/users/:id/verify-identity', verifyIdentity),
  route('PUT', '/api/users/:id/role', assignRole),
  route('GET', '/api/users/:id/permissions', permissionsOfUser),
  route('PUT', '/api/users/:id/permissions', changePermissions),
  route('POST', '/api/users/:id/reset-password', resetPassword),
  route('POST', '/api/users/:id/invite', inviteAgain),
  route('POST', '/api/users/:id/withdraw-invitation', withdrawInvitation),
  route('PUT', '/api/users/:id/break-glass', changeBreakGlass),
  route('POST', '/api/users/:id/end-sessions', endSessionsOfUser, { status: 204 }),

  route('GET', '/api/settings/', settings),
  route('PUT', '/api/settings/', changeSettings),
  route('PUT', '/api/settings/company-name', renameCompany),

  route('GET', '/api/platform/tenants/', listTenants),
  route('POST', '/api/platform/tenants/', addTenant, { status: 201 }),
  route('GET', '/api/platform/tenants/:id', tenantDetails),
  route('PUT', '/api/platform/tenants/:id', changeTenant),
]
export type { LostWork, Task } from './tenants/due-queries.ts'
