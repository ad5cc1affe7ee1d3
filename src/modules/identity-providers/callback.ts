import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { type Origin, openRedirect, type Services } from '#action'
import { RedirectAnswer } from '#action/cookie-answer.ts'
import { AppError } from '#kernel/errors.ts'
import {
  actorOf,
  lockUserById,
  logInByProvider,
  recordRefusedByProvider,
  recordStranger,
  systemActor,
} from '#modules/accounts'
import { sealText } from '#platform/crypto/sealed-text.ts'
import { isDuplicate } from '#platform/db/database.ts'
import { accessTo, isGenuine, publicUrl, redirectUri, sealSettings } from './access.ts'
import { attemptOf, beginAttempt, expectedOf, isBegunBy, parseState, type State } from './attempts.ts'
import { link } from './identities.ts'
import { reasons } from './messages.ts'
import { ProviderFailed } from './oidc.ts'
import { findPerson, followGroups, type Sent, type Stranger } from './person.ts'
import { freshnessOf, isChangedSince, type ProvingAnswer, proveByProvider, reasonOfFreshness } from './proof.ts'
import {
  type Attempt,
  findIdentityBySubject,
  findProvider,
  keepIdToken,
  lockProvider,
  type ProviderRow,
  spendAttempt,
  updateProvider,
} from './queries.ts'
import { methodsFrom, textOf } from './rules.ts'

/** What the page says. The reason is in the audit trail alone, under the number of the request. */
type Code = 'not_begun_here' | Stranger['code'] | 'taken'

/** The log-in goes no further. */
class Refused extends Error {
  readonly code: Code
  readonly userId: number | null
  /** The trail has the refusal already. */
  readonly isRecorded: boolean
  constructor(
    code: Code,
    reason: string,
    { userId = null, isRecorded = false }: Partial<Pick<Refused, 'userId' | 'isRecorded'>> = {},
  ) {
    super(reason)
    this.code = code
    this.userId = userId
    this.isRecorded = isRecorded
  }
}

interface Answer {
  services: Services
  origin: Origin
  state: State
  attempt: Attempt
  provider: ProviderRow
}

/** Longer than any provider makes them; and short enough for an address. */
const Parameter = Type.Optional(Type.String({ maxLength: 4096 }))

export const callback = openRedirect({
  summary: 'Come back from a provider',
  description:
    'The provider sends the browser here. It goes on to the page where the log-in began, with a session; or to `/sign-in` with `error` and `reference`, the number under which the audit trail says why: `not_linked` (no account is linked to this person), `not_begun_here` (another browser began it), `refused` (everything else).',
  isSignInStep: true,
  input: {
    // A provider may add parameters of its own.
    query: Type.Object({
      ...{ state: Parameter, code: Parameter, iss: Parameter },
      ...{ error: Parameter, error_description: Parameter, session_state: Parameter },
    }),
  },
  async run({ services, origin, loginCookie }, { query }) {
    const address = publicUrl(services)
    const state = parseState(query.state)
    const attempt = state && (await attemptOf(services, state))
    const provider =
      state &&
      attempt &&
      (await services.database.transaction({ tenantId: state.tenantId, userId: null }, 'read only', tx =>
        findProvider(tx, attempt.provider_id),
      ))
    if (!state || !attempt || !provider) {
      await recordStranger({ services, origin }, reasons.reason_sso_stranger().text)
      return new RedirectAnswer(pageOf(address, '/sign-in', { error: 'refused', reference: origin.requestId }), {
        login: null,
      })
    }
    const answer = { services, origin, state, attempt, provider }
    const page = attempt.kind === 'login' ? '/sign-in' : attempt.return_to
    try {
      if (!isBegunBy(services, state.tenantId, attempt, loginCookie))
        throw new Refused('not_begun_here', reasons.reason_sso_not_begun_here({ provider: provider.name }).text)
      return await take(answer, query, address)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (!error.isRecorded) await recordRefusal(answer, error)
      const parameter = attempt.kind === 'login' ? 'error' : 'single_sign_on'
      const location = pageOf(address, page, { [parameter]: error.code, reference: origin.requestId })
      return new RedirectAnswer(location, error.code === 'not_begun_here' ? {} : { login: null })
    }
  },
})

function pageOf(address: string, path: string, parameters: Record<string, string>): string {
  const url = new URL(path, 'https://pages.invalid')
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return `${address}${url.pathname}${url.search}${url.hash}`
}

async function recordRefusal({ services, origin, state, attempt, provider }: Answer, { message, userId }: Refused) {
  if (attempt.kind === 'login')
    return recordRefusedByProvider(services, origin, { tenantId: state.tenantId, userId, reason: message })
  const failed = { number: provider.name, outcome: 'failed', reason: message } as const
  return services.runner.inSeparateTransaction(systemActor(state.tenantId), origin, async ({ record }) => {
    switch (attempt.kind) {
      case 'test':
        return record('identity_provider.tested', provider.id, failed)
      case 'test_signing':
        return record('identity_provider.signing_tested', provider.id, failed)
      case 'sign':
        // Of whom it was begun; who came back is not known.
        return record('signature.denied', null, {
          ...{ outcome: 'denied', reason: message },
          after: { signer_id: attempt.user_id },
        })
      default:
        return record('auth.proof_failed', attempt.user_id, { outcome: 'denied', reason: message })
    }
  })
}

/** Takes the answer once, whatever comes of it. */
async function take(answer: Answer, query: Record<string, unknown>, address: string): Promise<RedirectAnswer> {
  const { services, state, attempt, provider } = answer
  const { database, clock } = services
  const about = { provider: provider.name }
  const isFirst = await database.transaction({ tenantId: state.tenantId, userId: null }, 'read write', tx =>
    spendAttempt(tx, attempt.id, clock.now()),
  )
  if (!isFirst) throw new Refused('refused', reasons.reason_sso_used_or_late(about).text)
  if (!provider.is_active && attempt.kind !== 'test' && attempt.kind !== 'test_signing')
    throw new Refused('refused', reasons.reason_sso_inactive(about).text)
  const done = (outcome: string) =>
    new RedirectAnswer(pageOf(address, attempt.return_to, { single_sign_on: outcome }), { login: null })
  switch (attempt.kind) {
    case 'login':
      return logIn(answer, await exchange(answer, query), address)
    case 'link':
      await linkOwner(answer, await exchange(answer, query))
      return done('linked')
    case 'test':
      await noteTest(answer, await exchange(answer, query))
      return done('tested')
    case 'sign':
      await prove(answer, await exchangeWithProof(answer, query))
      return done('proved')
    case 'test_signing':
      return (await testSigning(answer, await exchangeWithProof(answer, query))) ?? done('signing_tested')
  }
}

interface Exchanged {
  idToken: string
  subject: string
  /** The claims of the ID token, to which `readUser` adds what the provider says elsewhere. */
  claims: Sent
  readUser(): Promise<Sent>
}

function returnedWith(services: Services, query: Record<string, unknown>): URL {
  const returned = new URL(redirectUri(services))
  for (const [name, value] of Object.entries(query))
    if (typeof value === 'string') returned.searchParams.set(name, value)
  return returned
}

const exchange = ({ services, state, attempt, provider }: Answer, query: Record<string, unknown>): Promise<Exchanged> =>
  Promise.resolve()
    .then(async () => {
      const expected = expectedOf(services, state, attempt)
      const exchanged = await services.providers.exchange(
        accessTo(services, provider),
        returnedWith(services, query),
        expected,
      )
      const { claims, idToken, readUser } = exchanged
      return {
        ...{ idToken, claims, subject: subjectIn(claims, provider) },
        readUser: async () => ({ ...(await readUser()), ...claims }),
      }
    })
    .catch(orRefused(provider))

/** For somebody who signs: with what the answer proves of the moment of the log-in. */
const exchangeWithProof = (
  { services, state, attempt, provider }: Answer,
  query: Record<string, unknown>,
): Promise<ProvingAnswer> =>
  Promise.resolve()
    .then(async () => {
      const expected = expectedOf(services, state, attempt)
      const access = accessTo(services, provider)
      const exchanged = await services.providers.exchangeWithProof(access, returnedWith(services, query), expected)
      const { claims, idToken, key, answered_at } = exchanged
      const subject = subjectIn(claims, provider)
      return { attempt, provider, subject, claims, idToken, key, answered_at, received: services.clock.now() }
    })
    .catch(orRefused(provider))

function subjectIn(claims: Sent, provider: ProviderRow): string {
  const subject = claims[provider.subject_claim]
  if (typeof subject !== 'string' || textOf(subject, 255) !== subject)
    throw new ProviderFailed(
      reasons.reason_sso_subject_missing({ provider: provider.name, claim: provider.subject_claim }).text,
    )
  return subject
}

/** The provider failed, so the log-in does; the reason is the provider's. */
const orRefused =
  ({ name }: Pick<ProviderRow, 'name'>) =>
  (error: unknown): never => {
    if (!(error instanceof ProviderFailed)) throw error
    throw new Refused('refused', reasons.reason_sso_refused({ provider: name, cause: error.message }).text)
  }

async function logIn(
  { services, origin, state: { tenantId }, attempt, provider }: Answer,
  { subject, claims, readUser, idToken }: Exchanged,
  address: string,
): Promise<RedirectAnswer> {
  const { database, runner, clock, keys } = services
  const known = await database.transaction({ tenantId, userId: null }, 'read only', tx =>
    findIdentityBySubject(tx, provider.id, subject),
  )
  const { username, email, full_name, groups } = provider.claims
  const needed = [...(known ? [] : [username, email, full_name]), ...(provider.roles_from === 'claims' ? [groups] : [])]
  const isSent = needed.every(name => claims[name] !== undefined)
  const sent = isSent ? claims : await readUser().catch(orRefused(provider))
  const found = await runner
    .inSeparateTransaction(systemActor(tenantId), origin, async context => {
      const person = await findPerson(context, { provider, subject, sent, now: clock.now() })
      return 'stranger' in person
        ? person
        : { ...person, facts: await followGroups(context, person.userId, { provider, sent }) }
    })
    .catch(refuseTaken('refused'))
  if ('stranger' in found) throw new Refused(found.stranger.code, found.stranger.reason)
  const { userId, facts } = found
  const sid = typeof claims.sid === 'string' && textOf(claims.sid, 255) === claims.sid ? claims.sid : null
  const place = { table: 'login_attempts', column: 'id_token', tenantId, id: attempt.id }
  const begun = await logInByProvider(services, origin, {
    ...{
      tenantId,
      userId,
      facts,
      amr: methodsFrom(claims.amr),
      provider: { id: provider.id, name: provider.name, sid },
    },
    begun: async (tx, session) => {
      await keepIdToken(tx, attempt.id, {
        session_id: session.id,
        id_token: sealText(keys.secrets, place, idToken),
      })
    },
  })
  if (!begun.ok) throw new Refused('refused', begun.reason.text, { userId })
  return new RedirectAnswer(`${address}${attempt.return_to}`, { session: begun.session.cookie, login: null })
}

/** Somebody took the name, the address or the subject at the same moment, or before. */
const refuseTaken =
  (code: Code) =>
  (error: unknown): never => {
    if (error instanceof AppError || isDuplicate(error)) throw new Refused(code, (error as Error).message)
    throw error
  }

async function linkOwner({ services, origin, state, attempt, provider }: Answer, { subject }: Exchanged) {
  const userId = attempt.user_id!
  const owner = await actorOf(services, { tenantId: state.tenantId, userId })
  if (!owner) throw new Refused('refused', reasons.reason_sso_owner_inactive({ provider: provider.name }).text)
  await services.runner
    .inSeparateTransaction(owner, origin, async context => {
      const user = await lockUserById(context.tx, userId)
      await link(context, { user, provider, subject, now: services.clock.now() })
    })
    .catch(refuseTaken('taken'))
}

async function noteTest({ services, origin, state, provider }: Answer, { subject, readUser }: Exchanged) {
  const sent = await readUser().catch(orRefused(provider))
  await services.runner.inSeparateTransaction(systemActor(state.tenantId), origin, async ({ record }) =>
    record('identity_provider.tested', provider.id, {
      number: provider.name,
      after: { subject, claims: Object.keys(sent).sort().slice(0, 100) },
    }),
  )
}

/** The proof of a signer. What is wrong with it is recorded as `signature.denied`. */
async function prove({ services, origin, state, attempt, provider }: Answer, proof: ProvingAnswer) {
  const signer = await actorOf(services, { tenantId: state.tenantId, userId: attempt.user_id! })
  if (!signer) throw new Refused('refused', reasons.reason_sso_owner_inactive({ provider: provider.name }).text)
  const refused = await services.runner.inSeparateTransaction(signer, origin, writing =>
    proveByProvider(writing, services, proof, signer),
  )
  if (refused) throw new Refused('refused', refused.reason, refused)
}

/** Between the rounds of a test, so that a log-in of the first is older than one that the provider makes up in the second. */
const between_rounds_ms = 2000

/** The second round is asked for no log-in, and the answer has to be recognised by the rule that refuses it for a signature. */
async function testSigning(
  { services, origin, state, attempt, provider }: Answer,
  answer: ProvingAnswer,
): Promise<RedirectAnswer | undefined> {
  const { runner, clock } = services
  const { subject, claims } = answer
  const { tested_subject, tested_auth_time } = attempt
  if (tested_subject === null) {
    const stale = freshnessOf(answer, null)
    if (stale !== undefined) throw new Refused('refused', reasonOfFreshness(stale, provider))
    await setTimeout(between_rounds_ms)
    const next = await beginAttempt(services, {
      ...{ provider, kind: 'test_signing', userId: attempt.user_id, returnTo: attempt.return_to },
      tested: { subject, auth_time: claims.auth_time as number },
    }).catch(orRefused(provider))
    return new RedirectAnswer(next.location, { login: next.cookie })
  }
  const stale = freshnessOf(answer, tested_auth_time)
  if (stale === undefined || tested_subject !== subject)
    throw new Refused('refused', reasons.reason_sso_not_recognised({ provider: provider.name }).text)
  const changed = await runner.inSeparateTransaction(systemActor(state.tenantId), origin, async context => {
    const { tx, record } = context
    await lockProvider(tx, provider.id)
    const before = await findProvider(tx, provider.id)
    if (isChangedSince(before, provider) || !isGenuine(services, before!)) return true
    const signing_tested_at = clock.now().toISOString()
    await updateProvider(tx, provider.id, { signing_tested_at })
    await sealSettings(context, provider.id)
    record('identity_provider.signing_tested', provider.id, {
      number: provider.name,
      before: { signing_tested_at: before!.signing_tested_at },
      after: { signing_tested_at, subject, recognised_by: stale },
    })
    return false
  })
  if (changed) throw new Refused('refused', reasons.reason_sso_changed_meanwhile({ provider: provider.name }).text)
  return undefined
}
