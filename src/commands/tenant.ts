import { validate } from '#http/validation.ts'
import { makeTenant, TenantCreate } from '#modules/accounts'
import { type Command, readOptions, readPassword, required, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, withService } from './start.ts'

export const tenantCreate: Command = {
  options: {
    '--name N': 'the name of the tenant',
    '--slug S': 'a short name for addresses; by default made from the name',
    '--admin-username U': 'letters, digits, dot, hyphen and underscore',
    '--admin-email E': '',
    '--admin-full-name F': 'as it is printed in signatures',
    '--admin-password P': 'at least 12 characters',
    '--admin-password-stdin': 'read the password from standard input',
  },
  async run(args, env) {
    const options = readOptions(args, {
      name: { type: 'string' },
      slug: { type: 'string' },
      'admin-username': { type: 'string' },
      'admin-email': { type: 'string' },
      'admin-full-name': { type: 'string' },
      'admin-password': { type: 'string' },
      'admin-password-stdin': { type: 'boolean' },
    })
    const admin = {
      username: required('admin-username', options['admin-username']),
      email: required('admin-email', options['admin-email']),
      ...(options['admin-full-name'] && { full_name: options['admin-full-name'] }),
      password: await readPassword('admin-password', options['admin-password'], options['admin-password-stdin']),
    }
    const given = { name: required('name', options.name), ...(options.slug && { slug: options.slug }), admin }
    await withService(env, lines.service_running_tenant_create, async services => {
      const { username } = admin
      const { name, slug, id } = await makeTenant(
        services,
        validate(TenantCreate, 'body', given) as TenantCreate,
        origin,
      )
      say(lines.tenant_created({ name, slug, id, admin: username }))
      if (!options['admin-full-name']) say(lines.tenant_admin_nameless({ username }))
    })
    return 0
  },
}
