import { argon2Sync, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { ClientConfig } from 'pg'
import { Type } from 'typebox'
import { command, createRunner, type Services } from '#action'
import { completePlatform, makeTenant, platformTenantId, systemActor } from '#modules/accounts'
import { auditSink } from '#modules/audit'
import { seedForms } from '#modules/forms'
import { projectionSink } from '#modules/projections'
import { seedTemplates } from '#modules/templates'
import { seedWorkflows } from '#modules/workflows'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { quiet } from './postgres.ts'

export const everybodysPassword = 'Correct horse 1 battery'

/**
 * As the service keeps it, by a thousandth of the work: thousands of signatures are given in a run, each with the password. What the
 * work of the service's own hashes is for is tested with those.
 */
function hashCheaply(password: string): string {
  const nonce = randomBytes(16)
  const cost = { memory: 8, passes: 1, parallelism: 1 }
  const tag = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, ...cost })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${text(nonce)}$${text(tag)}`
}

/** By tenant: name and role. Nobody of rival may ever see anything of acme, nor the other way round. */
const cast: Record<string, Record<string, string>> = {
  acme: {
    ada: 'Admin',
    quinn: 'QA Manager',
    petra: 'QA',
    quentin: 'QA',
    alan: 'Author',
    anna: 'Author',
    uma: 'User',
    otto: 'Auditor',
  },
  rival: { rex: 'Admin', rita: 'QA', rob: 'Author' },
  platform: { pat: 'Platform operator' },
}

const origin = { requestId: '', clientAddr: '' }

const nameOf = (username: string) => `${username[0]!.toUpperCase()}${username.slice(1)} Example`

const addPerson = (username: string, role: string, password_hash: string) =>
  command({
    summary: 'Add a person to the world of the tests',
    permission: 'users.manage',
    input: {},
    response: Type.Null(),
    async run({ tx, record }) {
      const { id: role_id } = await tx
        .selectFrom('roles')
        .select('id')
        .where('name', '=', role)
        .executeTakeFirstOrThrow()
      const { id } = await tx
        .insertInto('users')
        .values({ username, email: `${username}@example.com`, full_name: nameOf(username), role_id })
        .returning('id')
        .executeTakeFirstOrThrow()
      await tx.insertInto('credentials').values({ user_id: id, password_hash }).execute()
      record('user.created', id, { after: { username, role } })
      return null
    },
  })

/** Fills a migrated database with the cast, by the same commands as an installation: the audit guard would refuse bare rows. */
export async function addPeople(app: ClientConfig) {
  const database = new Database(openPool(app, quiet))
  const services = { database, seeds: [seedWorkflows, seedForms, seedTemplates] } as unknown as Services
  const runner = createRunner(services, [auditSink, projectionSink])
  services.runner = runner
  const password_hash = hashCheaply(everybodysPassword)
  await completePlatform(runner, origin)
  for (const [tenant, people] of Object.entries(cast)) {
    // The first of a tenant is its Admin, and comes with it.
    const [first, ...others] = Object.entries(people)
    const admin = {
      username: first![0],
      email: `${first![0]}@example.com`,
      full_name: nameOf(first![0]),
      password: everybodysPassword,
    }
    const isPlatform = tenant === 'platform'
    const tenantId = isPlatform
      ? platformTenantId
      : (await makeTenant(services, { name: tenant, slug: tenant, admin }, origin)).id
    for (const [username, role] of isPlatform ? [first!] : others)
      await runner.run(addPerson(username, role, password_hash), systemActor(tenantId), {}, { origin })
  }
  await database.close()
}

interface PersonOfWorld {
  id: number
  tenant_id: number
  session_version: number
}

export async function peopleOfWorld(superuser: pg.Client) {
  const { rows } = await superuser.query<{ username: string; id: string; tenant_id: string; session_version: number }>(
    'select u.username, u.id, u.tenant_id, c.session_version from users u join credentials c on c.user_id = u.id',
  )
  return Object.fromEntries(
    rows.map(({ username, id, tenant_id, session_version }) => [
      username,
      { id: Number(id), tenant_id: Number(tenant_id), session_version } satisfies PersonOfWorld,
    ]),
  )
}
