import type { Origin, Services } from '#action'
import { validate } from '#http/validation.ts'
import { AppError } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import {
  activeTenants,
  allTenants,
  completePlatform,
  findTenant,
  hasTenant,
  makeTenant,
  refuseTenant,
  systemActor,
  TenantCreate,
} from '#modules/accounts'
import { auditKeys, type PublicHalf, recordKeyRotation, registerAuditKey } from '#modules/audit'
import { issueSetupCode } from '#modules/set-up'
import { type BootstrapConfig, type Config, ConfigError, type Environment, readConfig } from '#platform/config.ts'
import { createLog, type Logger } from '#platform/log/log.ts'
import { linesOf, Refusal } from './command.ts'
import { refuseDemoInProduction } from './demo/mark.ts'
import { isInUse } from './location.ts'
import { lines } from './messages.ts'
import { type Brought, openService, type Service } from './service.ts'

/** The origin of changes by the command line, which have no request. */
export const origin: Origin = { requestId: '', clientAddr: '' }

/** Opens the service and completes its data, without listening: for the service, the demo and the commands. */
export async function start(config: Config, log: Logger, brought: Brought = {}): Promise<Service> {
  refuseDemoInProduction(config)
  const service = await openService(config, log, brought)
  try {
    await completePlatform(service.services.runner, origin)
    await bootstrap(service.services, config)
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}

/**
 * Records the new key in the trail of every tenant, and then registers it in the database; an interruption in between is repeated.
 * Resolves to the previous newest key; undefined for the first key, and for a registered one.
 */
export async function introduceAuditKey(
  { database, runner }: Services,
  key: PublicHalf,
  reason: string | null,
): Promise<PublicHalf | undefined> {
  const known = await auditKeys(database)
  if (known.some(({ key_id }) => key_id === key.key_id)) return undefined
  const before = known.at(-1)
  if (before)
    for (const tenantId of await allTenants(database))
      await runner.inSeparateTransaction(systemActor(tenantId), origin, writing =>
        recordKeyRotation(writing, key, { before, reason }),
      )
  await registerAuditKey(database, key)
  return before
}

const variables: Record<string, string> = {
  name: 'BOOTSTRAP_TENANT',
  slug: 'BOOTSTRAP_TENANT',
  'admin.username': 'BOOTSTRAP_ADMIN_USERNAME',
  'admin.email': 'BOOTSTRAP_ADMIN_EMAIL',
  'admin.full_name': 'BOOTSTRAP_ADMIN_FULL_NAME',
  'admin.password': 'BOOTSTRAP_ADMIN_PASSWORD',
}

/** Creates the first tenant if there is none. */
async function bootstrap(services: Services, { bootstrap: first }: Config) {
  const { database } = services
  if (!first || (await hasTenant(database))) return
  await naming(async () => {
    try {
      await makeTenant(services, bodyOf(first), origin)
    } catch (error) {
      // Another process that starts at the same time was faster.
      if (error instanceof AppError && error.status === 409 && (await hasTenant(database))) return
      throw error
    }
  })
}

/** Where there is no company yet, prints the code by which the first visitor makes it. Whoever reads the log of the service may. */
export async function announceFirstStart({ services }: Service, log: Logger): Promise<void> {
  const issued = await issueSetupCode(services, origin)
  if (!issued) return
  const { public_url } = services.config
  log.warn(
    `there is no company yet: open ${public_url ?? ''}/first-start in a browser and enter the setup code ${issued.code}. It works once, until ${issued.expires_at}`,
  )
}

/** Checks the BOOTSTRAP_ variables as a start does, without a database. */
export const refuseBootstrap = (first: BootstrapConfig) => naming(() => refuseTenant(bodyOf(first)))

const bodyOf = ({ tenant, ...admin }: BootstrapConfig) =>
  validate(TenantCreate, 'body', { name: tenant, admin }) as TenantCreate

/** Turns a refused field into a line that names its environment variable. */
async function naming(work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (typeof error.detail === 'string') throw new ConfigError([`BOOTSTRAP_TENANT: ${error.detail}`])
    throw new ConfigError(
      error.detail.map(({ loc, msg }) => `${variables[loc.slice(1).join('.')] ?? 'BOOTSTRAP_TENANT'}: ${msg}`),
    )
  }
}

/** Runs the work of a command. `running` is the refusal where the service runs on this data. */
export async function withService<T>(
  env: Environment,
  running: (params: { folder: string }) => Message,
  work: (services: Services) => Promise<T>,
  options: { areKeysLost?: boolean } = {},
): Promise<T> {
  const config = readConfig(env)
  // Only the result goes to standard output. Failures are shown at the terminal, so no tracker is needed.
  const log = createLog({ format: 'text', level: 'warning', write: line => process.stderr.write(line) })
  const service = await start({ ...config, bootstrap: undefined, error_tracker: undefined }, log, options).catch(
    error => {
      if (!isInUse(error)) throw error
      throw new Refusal(running({ folder: config.data_dir }))
    },
  )
  try {
    return await work(service.services)
  } catch (error) {
    if (error instanceof AppError) throw new Refusal(linesOf(error))
    throw error
  } finally {
    await service.close()
  }
}

/** The tenant of a slug, or all active tenants. */
export async function tenantsOf({ database }: Services, slug: string | undefined): Promise<number[]> {
  if (slug === undefined) return activeTenants(database)
  const tenant = await findTenant(database, slug)
  if (!tenant) throw new Refusal(lines.tenant_unknown({ slug }))
  return [tenant.id]
}
