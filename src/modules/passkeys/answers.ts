import type { Static } from 'typebox'
import type { Services, Writing } from '#action'
import { conflict } from '#kernel/errors.ts'
import type { PasskeyAnswer } from '#modules/accounts'
import { listAdmins } from '#modules/accounts'
import { openPasskeySeal, sealPasskey } from '#platform/crypto/passkey-seal.ts'
import { type RelyingParty, readAssertion, relyingPartyOf, WebAuthnRefusal } from '#platform/crypto/webauthn.ts'
import { messages, reasons } from './messages.ts'
import { type KnownPasskey, noteUse, revokePasskey } from './queries.ts'
import { isCountedBack, type RevokeReason } from './rules.ts'

export type Answer = Static<typeof PasskeyAnswer>

/** The pages of this service, or a 409 where nobody has said which they are. */
export function requireParty({ config }: Pick<Services, 'config'>): RelyingParty {
  const party = relyingPartyOf(config.public_url)
  if (!party) throw conflict(messages.passkeys_not_set_up())
  return party
}

export const sealedBy = ({ tenant_id: tenantId, user_id: userId, credential_id, public_key }: KnownPasskey) => ({
  ...{ tenantId, userId, credential_id, public_key },
})

export async function revoke(
  { tx, record }: Writing,
  { id, user_id, username, name }: Pick<KnownPasskey, 'id' | 'user_id' | 'username' | 'name'>,
  { at, by, cause, reason = null }: { at: Date; by: number | null; cause: RevokeReason; reason?: string | null },
) {
  await revokePasskey(tx, id, { at, by, reason: cause })
  const isMisuse = cause === 'counter'
  record('passkey.revoked', id, {
    after: { user_id, username, name, cause },
    reason,
    notify: [...new Set([user_id, ...(isMisuse ? await listAdmins(tx) : [])])],
  })
}

interface Asked {
  challenge: string
  /** When the challenge of a log-in was issued: no answer counts twice. */
  issued_at?: Date
  now: Date
}

/**
 * Verifies the answer of a passkey, whose lock the caller holds, and writes its use down. A counter that goes back revokes the passkey.
 * Answers why it is refused, or undefined.
 */
export async function acceptAnswer(
  writing: Writing,
  services: Services,
  passkey: KnownPasskey,
  answer: Answer,
  { challenge, issued_at, now }: Asked,
): Promise<string | undefined> {
  const { keys } = services
  if (passkey.revoked_at !== null) return reasons.reason_passkey_revoked().text
  const sealed = openPasskeySeal(keys.passkeys, { ...sealedBy(passkey), seal: passkey.seal })
  if (sealed === undefined) return reasons.reason_passkey_altered().text
  const { last_challenge_at } = passkey
  if (issued_at && last_challenge_at !== null && issued_at.getTime() <= Date.parse(last_challenge_at))
    return reasons.reason_passkey_challenge().text
  const party = requireParty(services)
  try {
    const { counter, is_backed_up } = await readAssertion(answer, { challenge, party, public_key: passkey.public_key })
    if (isCountedBack(passkey.counter, counter)) {
      const reason = reasons.reason_passkey_counted_back({ known: passkey.counter, answered: counter }).text
      await revoke(writing, passkey, { at: now, by: null, cause: 'counter', reason })
      return reason
    }
    await noteUse(writing.tx, passkey.id, {
      ...{ counter, is_backed_up, last_used_at: now.toISOString() },
      ...(issued_at && { last_challenge_at: issued_at.toISOString() }),
      ...(sealed === 'previous' && { seal: sealPasskey(keys.passkeys, sealedBy(passkey)) }),
    })
    return undefined
  } catch (error) {
    if (!(error instanceof WebAuthnRefusal)) throw error
    return reasons.reason_passkey_not_verified({ why: error.message.slice(0, 300) }).text
  }
}
