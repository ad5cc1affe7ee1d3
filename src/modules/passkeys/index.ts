import type { Services } from '#action'
import { openRoute, type Route, route } from '#http'
import { list, listOfUser, rename, revokeOfUser, revokeOwn } from './actions.ts'
import { revoke } from './answers.ts'
import { beginLogIn, logIn } from './log-in.ts'
import { reasons } from './messages.ts'
import { prove } from './proof.ts'
import { listPasskeys, lockPasskey } from './queries.ts'
import { begin, register } from './registration.ts'

export { countPasskeys, resealPasskeys } from './kept.ts'
export { passkeyProof } from './proof.ts'

export const passkeys: Services['passkeys'] = {
  async revokeAll(writing, userId, { at, by }) {
    for (const { id } of await listPasskeys(writing.tx, userId)) {
      const passkey = (await lockPasskey(writing.tx, id))!
      const reason = reasons.reason_passkeys_of_reset().text
      await revoke(writing, passkey, { at, by, cause: 'password_reset', reason })
    }
  },
}

export const routes: Route[] = [
  openRoute('POST', '/api/auth/passkeys/login/options', beginLogIn),
  openRoute('POST', '/api/auth/passkeys/login', logIn, { status: 204 }),
  route('POST', '/api/auth/passkeys/options', begin),
  route('POST', '/api/auth/passkeys/', register, { status: 201 }),
  route('GET', '/api/auth/passkeys/', list),
  route('PUT', '/api/auth/passkeys/:id', rename),
  route('DELETE', '/api/auth/passkeys/:id', revokeOwn, { status: 204 }),
  route('GET', '/api/users/:id/passkeys', listOfUser),
  route('DELETE', '/api/users/:id/passkeys/:passkey_id', revokeOfUser, { status: 204 }),
  route('POST', '/api/signing-challenges/:id/passkey', prove),
]
