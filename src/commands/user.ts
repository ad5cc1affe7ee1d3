import { renderUnicodeCompact } from 'uqr'
import { validate } from '#http/validation.ts'
import {
  addPlatformUser,
  createUser,
  findByLogin,
  findTenant,
  PlatformUserCreate,
  platformTenantId,
  systemActor,
  UserCreate,
  unlockUser,
} from '#modules/accounts'
import { findRoleByName } from '#modules/roles'
import { type Command, print, Refusal, readOptions, readPassword, required, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, withService } from './start.ts'

export const userCreate: Command = {
  options: {
    '--tenant S': "the tenant's slug; needed if there are several tenants",
    '--username U': 'letters, digits, dot, hyphen and underscore',
    '--email E': '',
    '--full-name F': 'as it is printed in signatures',
    '--role R': 'User by default',
    '--password P': 'at least 12 characters',
    '--password-stdin': 'read the password from standard input',
    '--keep-password': 'the person need not change the password at the first log-in',
  },
  async run(args, env) {
    const options = readOptions(args, {
      tenant: { type: 'string' },
      username: { type: 'string' },
      email: { type: 'string' },
      'full-name': { type: 'string' },
      role: { type: 'string', default: 'User' },
      password: { type: 'string' },
      'password-stdin': { type: 'boolean' },
      'keep-password': { type: 'boolean', default: false },
    })
    const given = {
      username: required('username', options.username),
      email: required('email', options.email),
      full_name: required('full-name', options['full-name']),
      password: await readPassword('password', options.password, options['password-stdin']),
      must_change_password: !options['keep-password'],
    }
    await withService(env, lines.service_running_user_create, async ({ database, runner }) => {
      const tenant = await findTenant(database, options.tenant)
      if (!tenant)
        throw new Refusal(
          options.tenant ? lines.tenant_unknown({ slug: options.tenant }) : lines.tenant_option_needed(),
        )
      const actor = systemActor(tenant.id)
      const role = await database.transaction(actor, 'read only', tx => findRoleByName(tx, options.role))
      if (!role) throw new Refusal(lines.tenant_role_unknown({ tenant: tenant.name, role: options.role }))
      const body = validate(UserCreate, 'body', { ...given, role_id: role.id }) as UserCreate
      const user = await runner.run(createUser, actor, { body }, { origin })
      say(lines.user_created({ username: user.username, id: user.id, role: user.role, tenant: tenant.name }))
    })
    return 0
  },
}

export const userUnlock: Command = {
  options: {
    '--username U': 'the user name or the e-mail address',
  },
  async run(args, env) {
    const options = readOptions(args, { username: { type: 'string' } })
    const username = required('username', options.username)
    await withService(env, lines.service_running_user_unlock, async services => {
      const user = await findByLogin(services.database, username)
      if (!user) throw new Refusal(lines.user_unknown({ username }))
      const { was_locked } = await services.runner.run(
        unlockUser,
        systemActor(user.tenant_id),
        { params: { id: user.user_id } },
        { origin },
      )
      say(lines.user_unlocked({ username, was_locked }))
    })
    return 0
  },
}

export const platformUserCreate: Command = {
  options: {
    '--username U': '',
    '--email E': '',
    '--password P': 'at least 12 characters',
    '--password-stdin': 'read the password from standard input',
  },
  async run(args, env) {
    const options = readOptions(args, {
      username: { type: 'string' },
      email: { type: 'string' },
      password: { type: 'string' },
      'password-stdin': { type: 'boolean' },
    })
    const given = {
      username: required('username', options.username),
      email: required('email', options.email),
      password: await readPassword('password', options.password, options['password-stdin']),
    }
    await withService(env, lines.service_running_platform_user, async ({ runner }) => {
      const body = validate(PlatformUserCreate, 'body', given) as PlatformUserCreate
      const { username, secret, otpauth_uri } = await runner.run(
        addPlatformUser,
        systemActor(platformTenantId),
        { body },
        { origin },
      )
      say(lines.platform_user_created({ username }))
      say(lines.platform_user_secret({ secret, uri: otpauth_uri }))
      print(`\n${renderUnicodeCompact(otpauth_uri)}`)
    })
    return 0
  },
}
