import { validate } from '#http/validation.ts'
import { findTenant, systemActor } from '#modules/accounts'
import { confirmDomain, SsoDomainCreate } from '#modules/identity-providers'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, withService } from './start.ts'

export const ssoDomainConfirm: Command = {
  options: {
    '--tenant S': "the tenant's slug; needed if there are several tenants",
    '--domain D': 'the mail domain, as the tenant has named it',
  },
  async run(args, env) {
    const options = readOptions(args, { tenant: { type: 'string' }, domain: { type: 'string' } })
    const body = validate(SsoDomainCreate, 'body', { domain: required('domain', options.domain) }) as { domain: string }
    await withService(env, lines.service_running, async ({ database, runner }) => {
      const tenant = await findTenant(database, options.tenant)
      if (!tenant)
        throw new Refusal(
          options.tenant ? lines.tenant_unknown({ slug: options.tenant }) : lines.tenant_option_needed(),
        )
      await runner.run(confirmDomain, systemActor(tenant.id), { body }, { origin })
      say(lines.sso_domain_confirmed({ domain: body.domain, tenant: tenant.name }))
    })
    return 0
  },
}
