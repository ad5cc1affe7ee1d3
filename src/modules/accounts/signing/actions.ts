import type { Static } from 'typebox'
import type { Act, PrepareContext } from '#action'
import { type AnyAction, command, type Input, type Parts, query } from '#action'
import { withLogin } from '#action/cookie-answer.ts'
import { AppError, conflict, type Issue, invalid, issueAt, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { messages } from '../messages.ts'
import { findChallenge, insertChallenge } from './queries.ts'
import { actsOf, type ChallengedAct, challengeMs, textOfChallenge } from './rules.ts'
import { ChallengeRequest, ChallengeState, SigningChallenge } from './schema.ts'

/** A request as it would be sent. */
export interface RequestedAct {
  action: AnyAction
  input: Input<Parts>
  act: Act
  expectedRevision: number | undefined
}

declare module '#action/definitions.ts' {
  interface Services {
    /** The action that such a request asks for, with its validated input; undefined if there is none that takes a proof of identity. */
    findAct(request: { method: string; path: string; body: object }): RequestedAct | undefined
  }
}

const inBody = (place: number, { loc, ...issue }: Issue): Issue => ({
  ...issue,
  loc: ['body', 'acts', place, ...(loc[0] === 'path' ? ['path'] : loc)],
})

async function rehearseAct(
  { services, actor, origin }: PrepareContext,
  { kind, acts }: Static<typeof ChallengeRequest>,
  place: number,
): Promise<ChallengedAct> {
  const { method, path, body } = acts[place]!
  try {
    const found = services.findAct({ method, path, body })
    if (!found) throw invalid(issueAt(['path'], messages.signing_act_unknown()))
    const { action, input, act, expectedRevision } = found
    const { isAsked, signs } = await services.runner.rehearse(action, actor, input, {
      origin,
      expectedRevision,
      method: kind,
    })
    if (!isAsked) throw conflict(messages.signing_act_not_signed({ path }))
    return { ...act, signs }
  } catch (error) {
    if (!(error instanceof AppError && Array.isArray(error.detail))) throw error
    throw invalid(...error.detail.map(issue => inBody(place, issue)))
  }
}

export const beginChallenge = command({
  summary: 'Begin to sign without a password',
  description:
    'For up to 50 requests that are signed. Each is tried and undone, so a refusal is that of the request itself. The answer says what each would sign: the record, the digest of its content, the meaning and the intent. Prove it within ten minutes: with a passkey (`POST /api/signing-challenges/{id}/passkey`), or by a log-in at the provider of single sign-on, whose address is `start`. Its browser comes back to `return_to` with `single_sign_on=proved`, or with the reason why not, and then send the requests with `signing_challenge`: one within two minutes, several within ten. A content that was changed meanwhile is a 409.',
  permission: 'signatures.create',
  isStepUp: true,
  input: { body: ChallengeRequest },
  response: SigningChallenge,
  async prepare(context, { body }) {
    const acts: ChallengedAct[] = []
    for (const place of body.acts.keys()) acts.push(await rehearseAct(context, body, place))
    const { actor, services } = context
    const now = services.clock.now()
    const begun_at = now.toISOString()
    const { text, sha256 } = textOfChallenge({
      tenant: String(actor.tenantId),
      signer: String(actor.userId),
      begun_at,
      acts,
    })
    const offer = await services.signingProofs[body.kind].offer(context, sha256, { return_to: body.return_to })
    const expires_at = new Date(now.getTime() + challengeMs).toISOString()
    return { acts, begun_at, expires_at, text, sha256, offer }
  },
  async run({ tx, actor, record, prepared }, { body: { kind } }) {
    const { acts, begun_at, expires_at, text, sha256, offer } = prepared
    const { id } = await insertChallenge(tx, {
      session_id: actor.session?.id ?? null,
      ...{ kind, text, sha256, begun_at, expires_at },
    })
    record('signing_challenge.begun', id, {
      after: { kind, sha256, acts: acts.map(({ method, path }) => `${method} ${path}`) },
    })
    const answer = {
      ...{ id, kind, text, sha256, expires_at },
      acts: acts.map(({ method, path, signs }) => ({ method, path, signs })),
      ...offer.answer,
    } as Static<typeof SigningChallenge>
    return offer.loginCookie === undefined ? answer : withLogin(answer, offer.loginCookie)
  },
})

export const challengeDetails = query({
  summary: 'Read a signing challenge of your own',
  permission: 'signatures.create',
  input: { params: IdParams },
  response: ChallengeState,
  async run({ tx, actor }, { params: { id } }) {
    const challenge = await findChallenge(tx, id)
    if (!challenge || challenge.user_id !== actor.userId) throw notFound('Signing challenge')
    const { kind, text, sha256, expires_at, proved_at, refused_reason, spent } = challenge
    return {
      ...{ id, kind, text, sha256, expires_at, proved_at, is_refused: refused_reason !== null },
      acts: actsOf(challenge).map(({ method, path, signs }, place) => ({
        ...{ method, path, signs, spent_at: spent[place] ?? null },
      })),
    } as Static<typeof ChallengeState>
  },
})
