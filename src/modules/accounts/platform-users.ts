import { type Static, Type } from 'typebox'
import { command } from '#action'
import { notFound } from '#kernel/errors.ts'
import { Body } from '#kernel/schema.ts'
import { findRoleByName, platformRoleName } from '#modules/roles'
import { newTotpSecret, sealTotpSecret, totpUri } from '#platform/crypto/totp.ts'
import { addUser } from './new-user.ts'
import { acceptPassword } from './passwords.ts'
import { storeTotp } from './queries.ts'
import { Email, Secret, TotpEnrolment, Username } from './schema.ts'

export const PlatformUserCreate = Body({ username: Username, email: Email, password: Secret })
export type PlatformUserCreate = Static<typeof PlatformUserCreate>

/** AUTH-07: from the command line alone, and with the second factor from the beginning. Run as the system actor of the platform. */
export const addPlatformUser = command({
  summary: 'Create a platform user',
  permission: 'platform.manage_tenants',
  input: { body: PlatformUserCreate },
  response: Type.Object({ username: Type.String(), ...TotpEnrolment.properties }),
  prepare: (_context, { body }) => acceptPassword(body.password, body, 'password'),
  async run(context, { body }) {
    const { tx, services, record, prepared } = context
    const role = await findRoleByName(tx, platformRoleName)
    if (!role) throw notFound('Role')
    const user = await addUser(context, {
      ...body,
      role_id: role.id,
      password_hash: prepared,
      must_change_password: false,
    })
    const secret = newTotpSecret()
    await storeTotp(tx, user.id, sealTotpSecret(services.keys.totp, user.id, secret), {
      at: services.clock.now(),
      step: 0,
    })
    record('user.totp_confirmed', user.id, { before: { totp_enrolled: false }, after: { totp_enrolled: true } })
    return {
      username: user.username,
      secret,
      otpauth_uri: totpUri(secret, { issuer: 'Attest', account: user.username }),
    }
  },
})
