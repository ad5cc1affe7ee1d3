import { command, openAction } from '#action'
import { notFound, unavailable } from '#kernel/errors.ts'
import { findRoleByName } from '#modules/roles'
import type { Database } from '#platform/db/database.ts'
import { systemActor } from './actors.ts'
import { messages } from './messages.ts'
import { addUser } from './new-user.ts'
import { acceptPassword } from './passwords.ts'
import { Registration, User } from './schema.ts'
import { findTenant } from './tenants/actions.ts'
import { readSettings } from './tenants/settings.ts'

const addRegistered = command({
  summary: 'Add a registered user',
  permission: 'users.manage',
  input: { body: Registration },
  response: User,
  async prepare({ read }, { body }) {
    const { password } = await read(readSettings)
    return acceptPassword(body.password, { ...body, min_length: password.min_length }, 'password')
  },
  async run(context, { body }) {
    const role = await findRoleByName(context.tx, 'User')
    if (!role) throw notFound('Role')
    return addUser(context, { ...body, role_id: role.id, password_hash: context.prepared, must_change_password: false })
  },
})

/** AUTH-03; mounted only with REGISTRATION_ENABLED. */
export const register = openAction({
  summary: 'Register as a user',
  input: { body: Registration },
  response: User,
  async run({ services, origin }, { body }) {
    const { database, runner, loginLimits } = services
    const limited = await loginLimits.attempts.take(origin)
    if (limited) throw limited
    const tenantId = await findRegistrationTenant(database, services.config.registration_tenant)
    return runner.run(addRegistered, systemActor(tenantId), { body }, { origin })
  },
})

/** REGISTRATION_TENANT, or the only tenant. */
async function findRegistrationTenant(database: Database, slug: string | undefined): Promise<number> {
  const tenant = await findTenant(database, slug)
  if (!tenant?.is_active) throw unavailable(messages.registration_not_set_up())
  return tenant.id
}
