import { Type } from 'typebox'
import { type Origin, openAction, type Services } from '#action'
import { conflict, invalidField } from '#kernel/errors.ts'
import { Body, Text } from '#kernel/schema.ts'
import { hasTenant, makeTenant, platformTenantId, refuseTenant, systemActor, TenantCreate } from '#modules/accounts'
import { isSetupCode, newSetupCode } from '#platform/crypto/setup-code.ts'
import { messages, reasons } from './messages.ts'
import { endCodes, insertCode, listCodes, takeCompanyId } from './queries.ts'

/** Long enough for whoever starts the service in the evening. The next start prints another one. */
const lifetimeMs = 24 * 60 * 60 * 1000

const FirstCompany = Body({
  code: {
    ...Text({ minLength: 1, maxLength: 100 }),
    description: 'The setup code that the service printed at its start',
  },
  company: TenantCreate.properties.name,
  admin: Body({
    username: TenantCreate.properties.admin.properties.username,
    email: TenantCreate.properties.admin.properties.email,
    full_name: { ...Text({ minLength: 1, maxLength: 200 }), format: 'words', description: 'As signatures print it' },
    password: TenantCreate.properties.admin.properties.password,
  }),
})

const platform = systemActor(platformTenantId)
const over = () => conflict(messages.first_start_over())

/** A code for the log of a start without a company; undefined where there is one. The code is stored nowhere. */
export async function issueSetupCode(
  { database, runner, keys, clock }: Services,
  origin: Origin,
): Promise<{ code: string; expires_at: string } | undefined> {
  if (await hasTenant(database)) return undefined
  const { code, hash } = newSetupCode(keys.links)
  return runner.inSeparateTransaction(platform, origin, async ({ tx, record }) => {
    const now = clock.now()
    const expires_at = new Date(now.getTime() + lifetimeMs).toISOString()
    const company_id = await takeCompanyId(tx)
    const { id } = await insertCode(tx, { code_hash: hash, company_id, issued_at: now.toISOString(), expires_at })
    record('setup_code.issued', id, { after: { expires_at } })
    return { code, expires_at }
  })
}

/** The id for the company, or a refusal. */
async function openWith({ database, keys, clock, runner }: Services, typed: string, origin: Origin): Promise<number> {
  const codes = await database.transaction(platform, 'read only', listCodes)
  const open = codes.filter(({ expires_at }) => Date.parse(expires_at) > clock.now().getTime())
  const hashes = open.map(({ code_hash }) => code_hash)
  if (isSetupCode(keys.links, typed, hashes)) return open[0]!.company_id
  await runner.auditDenial(platform, origin, {
    event: 'setup_code.refused',
    outcome: 'denied',
    reason: reasons.reason_setup_code_refused().text,
  })
  throw invalidField('code', messages.setup_code_refused())
}

export const startFirstCompany = openAction({
  summary: 'Make the first company of an empty installation',
  description:
    'Takes the setup code that the service prints at its start while there is no company: it works once, within 24 hours. Makes the company and its first Admin, who logs in with the password. Refused with a 409 as soon as there is a company.',
  input: { body: FirstCompany },
  response: Type.Null(),
  async run({ services, origin }, { body: { code, company, admin } }) {
    const { database, runner, clock, loginLimits } = services
    if (await hasTenant(database)) throw over()
    const limited = await loginLimits.attempts.take(origin)
    if (limited) throw limited
    const id = await openWith(services, code, origin)
    const made = { name: company, admin }
    await refuseTenant(made)
    const tenant = await makeTenant(services, made, origin, id).catch(async error => {
      // Somebody else used a code at the same moment, and made it.
      throw (await hasTenant(database)) ? over() : error
    })
    // A process that is killed before this leaves codes that open nothing any more, because there is a company.
    await runner.inSeparateTransaction(platform, origin, async ({ tx, record }) => {
      for (const { id, ended_at, ...before } of await endCodes(tx, clock.now()))
        record('setup_code.used', id, { before: { ...before, ended_at: null }, after: { ...before, ended_at } })
      record('tenant.created', tenant.id, { after: tenant })
    })
    return null
  },
})
