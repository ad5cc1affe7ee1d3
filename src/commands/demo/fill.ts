import {
  addPlatformUser,
  createUser,
  findTenant,
  hasTenant,
  makeTenant,
  platformTenantId,
  systemActor,
} from '#modules/accounts'
import { openTotpSecret } from '#platform/crypto/totp.ts'
import type { App } from '../../app.ts'
import { Refusal } from '../command.ts'
import { origin } from '../start.ts'
import { capas } from './capas.ts'
import { deviations } from './deviations.ts'
import { documents } from './documents.ts'
import { lines } from './messages.ts'
import { cast, demoPassword, demoTenant, emailOf, platformUser } from './people.ts'
import { templates } from './templates.ts'
import { training } from './training.ts'
import { openVisit, type Part, type Progress, type Visit } from './visit.ts'

/** In this order, because later parts refer to records of earlier ones. */
const parts: readonly Part[] = [documents, templates, deviations, capas, training]

/** Creates the missing parts of the demo tenant, its people and records. */
export async function fill(app: App, progress: Progress): Promise<void> {
  await refuseOtherData(app)
  await ensurePlatformUser(app, progress)
  const tenantId = await ensureTenant(app, progress)
  const visit = openVisit(app, tenantId, progress)
  await ensurePeople(app, tenantId, visit)
  for (const part of parts) await part(visit)
}

/** People with a published password must not exist beside real records. */
async function refuseOtherData({ services: { database, config } }: App) {
  if ((await findTenant(database, demoTenant.slug)) || !(await hasTenant(database))) return
  throw new Refusal(lines.demo_other_data({ folder: config.database_url ? null : config.data_dir }))
}

async function ensureTenant({ services }: App, { say }: Progress): Promise<number> {
  const found = await findTenant(services.database, demoTenant.slug)
  if (found) return found.id
  say(lines.demo_tenant({ tenant: demoTenant.name }))
  const { username, full_name } = cast[0]
  const admin = { username, full_name, email: emailOf(username), password: demoPassword }
  const made = await makeTenant(services, { ...demoTenant, admin }, origin)
  return made.id
}

/** By the system, because an Admin gives temporary passwords alone. */
async function ensurePeople({ services: { runner } }: App, tenantId: number, visit: Visit) {
  const there = await visit.look(tx => tx.selectFrom('users').select('username').execute())
  const missing = cast.filter(({ username }) => !there.some(user => user.username === username))
  if (missing.length === 0) return
  visit.say(lines.demo_people({ people: missing.map(({ username, role }) => `${username} (${role})`) }))
  const roles = await visit.look(tx => tx.selectFrom('roles').select(['id', 'name']).execute())
  for (const { username, full_name, role } of missing) {
    const body = {
      username,
      full_name,
      email: emailOf(username),
      role_id: roles.find(({ name }) => name === role)!.id,
      password: demoPassword,
      must_change_password: false,
    }
    await runner.run(createUser, systemActor(tenantId), { body }, { origin })
  }
}

const findPlatformUser = ({ services: { database } }: App) =>
  database.transaction({ tenantId: platformTenantId, userId: null }, 'read only', tx =>
    tx
      .selectFrom('users as u')
      .innerJoin('credentials as c', 'c.user_id', 'u.id')
      .select(['u.id', 'c.totp_secret'])
      .where('u.username', '=', platformUser.username)
      .executeTakeFirst(),
  )

/** By the function of the command line, because the API cannot create a platform user. */
async function ensurePlatformUser(app: App, { say }: Progress) {
  if (await findPlatformUser(app)) return
  const { username } = platformUser
  say(lines.demo_platform_user({ username }))
  const body = { username, email: emailOf(username), password: demoPassword }
  await app.services.runner.run(addPlatformUser, systemActor(platformTenantId), { body }, { origin })
}

/** For the printed help; undefined if it is missing, or sealed with another SECRET_KEY. */
export async function platformUserSecret(app: App): Promise<string | undefined> {
  const user = await findPlatformUser(app)
  return user?.totp_secret ? openTotpSecret(app.services.keys.totp, user.id, user.totp_secret) : undefined
}
