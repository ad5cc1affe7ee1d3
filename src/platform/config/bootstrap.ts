import type { Variables } from './variables.ts'

/** The first tenant and its Admin. */
export interface BootstrapConfig {
  tenant: string
  username: string
  email: string
  /** Without it the Admin can do everything but sign. */
  full_name?: string
  password: string
}

export function readBootstrap({ env, text, wrong }: Variables): BootstrapConfig | undefined {
  const given = {
    BOOTSTRAP_TENANT: text('BOOTSTRAP_TENANT'),
    BOOTSTRAP_ADMIN_USERNAME: text('BOOTSTRAP_ADMIN_USERNAME'),
    BOOTSTRAP_ADMIN_EMAIL: text('BOOTSTRAP_ADMIN_EMAIL'),
    BOOTSTRAP_ADMIN_PASSWORD: env.BOOTSTRAP_ADMIN_PASSWORD || undefined,
  }
  const [tenant, username, email, password] = Object.values(given)
  const full_name = text('BOOTSTRAP_ADMIN_FULL_NAME')
  if (tenant && username && email && password)
    return { tenant, username, email, ...(full_name && { full_name }), password }
  if (tenant || username || email || full_name || password)
    for (const [name, value] of Object.entries(given))
      if (value === undefined) wrong.push(`${name} is not set, although other BOOTSTRAP_ variables are`)
  return undefined
}
