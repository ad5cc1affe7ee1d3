import { Type } from 'typebox'
import { openAction } from '#action'
import { withSession } from '#action/cookie-answer.ts'
import { logInByProof, loginRefusal, PasskeyRequest, recordStranger, refuseCrossSite } from '#modules/accounts'
import { newTimedChallenge, readTimedChallenge } from '#platform/crypto/passkey-seal.ts'
import { challengeOf } from '#platform/crypto/webauthn.ts'
import { acceptAnswer, requireParty } from './answers.ts'
import { reasons } from './messages.ts'
import { findByCredential, lockPasskey } from './queries.ts'
import { amrOf, loginMs, loginPurpose, patienceMs } from './rules.ts'
import { PasskeyLogin } from './schema.ts'

/** It says the same to everybody: which account it will be, only the passkey says. */
export const beginLogIn = openAction({
  summary: 'Begin to log in with a passkey',
  description: 'The answer is for `navigator.credentials.get`, and good for five minutes.',
  isSignInStep: true,
  input: {},
  response: PasskeyRequest,
  async run({ services }) {
    const { id } = requireParty(services)
    return {
      challenge: newTimedChallenge(services.keys.passkeys, loginPurpose, services.clock.now()),
      rpId: id,
      timeout: patienceMs,
      userVerification: 'required' as const,
      allowCredentials: [],
    }
  },
})

export const logIn = openAction({
  summary: 'Log in with a passkey',
  description:
    'With the answer of `navigator.credentials.get`. Sets the cookie `__Host-attest`, as `POST /api/auth/session` does. A passkey counts as two factors: the device, and the PIN, finger or face that unlocks it.',
  input: { body: PasskeyLogin },
  response: Type.Null(),
  async run(context, { body: { response: answer } }) {
    const { services } = context
    requireParty(services)
    await refuseCrossSite(context)
    const { refuse } = await loginRefusal(context)
    const now = services.clock.now()
    const challenge = challengeOf(answer.response.clientDataJSON) ?? ''
    const issued_at = readTimedChallenge(services.keys.passkeys, loginPurpose, challenge, {
      ...{ now, lifetime_ms: loginMs },
    })
    const credential = Buffer.from(answer.rawId, 'base64url')
    const found = await services.database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
      findByCredential(tx, credential),
    )
    if (!found) {
      await recordStranger(context, reasons.reason_passkey_unknown().text)
      throw refuse()
    }
    const whose = { tenantId: found.tenant_id, userId: found.user_id, kind: 'browser' as const }
    const begun = await logInByProof(context, whose, async writing => {
      const passkey = (await lockPasskey(writing.tx, found.passkey_id))!
      if (!issued_at) return { refused: reasons.reason_passkey_challenge().text }
      if (answer.response.userHandle !== passkey.handle.toString('base64url'))
        return { refused: reasons.reason_passkey_other_account().text }
      const refused = await acceptAnswer(writing, services, passkey, answer, { challenge, issued_at, now })
      if (refused !== undefined) return { refused }
      return { amr: amrOf(passkey), detail: { passkey: passkey.id } }
    })
    if (!begun) throw refuse()
    return withSession(null, begun.session.cookie)
  },
})
