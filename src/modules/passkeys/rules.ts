export const maxPasskeys = 20
const minuteMs = 60_000
/** Registration asks for the password, unless the log-in is as recent as that. */
export const recentMinutes = 10
export const registrationMs = 10 * minuteMs
export const loginMs = 5 * minuteMs
/** For so long the browser waits for the person. */
export const patienceMs = 2 * minuteMs

export const revokeReasons = ['revoked_by_user', 'revoked_by_admin', 'counter', 'password_reset'] as const
export type RevokeReason = (typeof revokeReasons)[number]

interface RegisteredFor {
  tenantId: number
  userId: number
  sessionId: number | null
}
/** What a challenge may be answered for: a registration belongs to the session that has proved the identity. */
export const loginPurpose = 'log-in'
export const registrationPurpose = ({ tenantId, userId, sessionId }: RegisteredFor) =>
  `registration ${tenantId} ${userId} ${sessionId ?? '-'}`

/**
 * An authenticator that counts its uses counts up. If it does not, there may be a copy of its key. One that never counted says 0 each time.
 */
export const isCountedBack = (known: number, answered: number) => known > 0 && answered <= known

/** The methods of the log-in (RFC 8176): a key that cannot leave the device or one that can, and the person who unlocked it. */
export const amrOf = ({ is_device_bound }: { is_device_bound: boolean }) => [is_device_bound ? 'hwk' : 'swk', 'user']

export const maySign = (
  { is_device_bound }: { is_device_bound: boolean },
  { passkeys_device_bound }: { passkeys_device_bound: boolean },
) => is_device_bound || !passkeys_device_bound
