import type { QueryClient } from '@tanstack/react-query'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'

type Me = Answer<'GET /api/auth/me'>
export type FirstStep = 'password' | 'second_factor'

/** Until the temporary password is changed, the service allows the own account and nothing else. By a provider no password is asked for. */
const isHeldBack = ({ must_change_password, permissions }: Me) =>
  must_change_password && permissions.every(each => each === 'account.manage_own')

/** Who signs here needs a second factor, and has none of an app. */
const lacksCode = ({ features, totp_enrolled, permissions }: Me) =>
  features.signature.otp && !totp_enrolled && permissions.includes('signatures.create')

// For this tab, until it is loaded anew: somebody who has no telephone at hand still gets to their work.
let isPostponed = false
export function postpone() {
  isPostponed = true
}

/** What a person has to do before anything else; undefined when nothing is left. */
export async function firstStep(client: QueryClient, user: Me): Promise<FirstStep | undefined> {
  if (isHeldBack(user)) return 'password'
  if (isPostponed || !lacksCode(user)) return undefined
  // A passkey counts as two factors.
  const passkeys = await client.ensureQueryData(ask('GET /api/auth/passkeys/', {}))
  return passkeys.length > 0 ? undefined : 'second_factor'
}
