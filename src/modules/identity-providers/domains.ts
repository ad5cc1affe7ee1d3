import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { type ActionContext, command, query, type Services } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import type { SignInOptions } from '#modules/accounts'
import { isSsoRequired, startOf } from './access.ts'
import { messages } from './messages.ts'
import {
  type DomainRow,
  deleteDomain,
  findDomain,
  findDomainByName,
  findTenantOfDomain,
  insertDomain,
  listDomains,
  listProviders,
  verifyDomain,
} from './queries.ts'
import { SsoDomain, SsoDomainCreate, type VerificationMethod } from './schema.ts'

const permission = 'sso.manage'

const textOf = ({ challenge }: Pick<DomainRow, 'challenge'>) => `attest-domain=${challenge}`

const shown = ({ id, domain, challenge, verified_at, verified_by_method }: DomainRow): SsoDomain => ({
  ...{ id, domain, text: textOf({ challenge }), verified_at, verified_by_method },
})

export const list = query({
  summary: 'List the mail domains for single sign-on',
  permission,
  input: {},
  response: Type.Array(SsoDomain),
  run: async ({ tx }) => (await listDomains(tx)).map(shown),
})

export const create = command({
  summary: 'Name a mail domain for single sign-on',
  description:
    'People with an address of the domain are shown the providers at the log-in once the domain is verified: by the TXT record `text`, or by an operator.',
  permission,
  input: { body: SsoDomainCreate },
  response: SsoDomain,
  async run({ tx, record }, { body: { domain } }) {
    const inserted = await insertDomain(tx, { domain, challenge: randomBytes(16).toString('hex') })
    if (!inserted) throw conflict(messages.sso_domain_taken())
    record('sso_domain.created', inserted.id, { number: domain, after: { domain } })
    return shown((await findDomain(tx, inserted.id))!)
  },
})

/** Another tenant that has verified it as well is a duplicate, which the runner refuses. */
export async function storeVerified(
  { tx, services, record }: Pick<ActionContext<unknown>, 'tx' | 'services' | 'record'>,
  found: DomainRow | undefined,
  method: VerificationMethod,
): Promise<SsoDomain> {
  if (!found) throw notFound('Domain')
  const { id, domain, verified_at } = found
  if (verified_at !== null) throw conflict(messages.sso_domain_already_verified({ domain }))
  await verifyDomain(tx, id, method, services.clock.now())
  record('sso_domain.verified', id, { number: domain, after: { domain, method } })
  return shown((await findDomain(tx, id))!)
}

export const verify = command({
  summary: 'Verify a mail domain by its DNS',
  permission,
  input: { params: IdParams },
  response: SsoDomain,
  async prepare({ services, read }, { params: { id } }) {
    const found = await read(tx => findDomain(tx, id))
    if (!found) throw notFound('Domain')
    const text = textOf(found)
    if (!(await services.outbound.readTexts(found.domain)).includes(text))
      throw conflict(messages.sso_domain_not_proven({ domain: found.domain, text }))
  },
  run: async (context, { params: { id } }) => storeVerified(context, await findDomain(context.tx, id), 'dns'),
})

/** For the command line: an operator has seen by other means whose the domain is. */
export const confirm = command({
  summary: 'Confirm a mail domain as the operator',
  permission,
  input: { body: SsoDomainCreate },
  response: SsoDomain,
  run: async (context, { body: { domain } }) =>
    storeVerified(context, await findDomainByName(context.tx, domain), 'operator'),
})

export const remove = command({
  summary: 'Remove a mail domain from single sign-on',
  permission,
  input: { params: IdParams },
  response: Type.Null(),
  async run({ tx, record }, { params: { id } }) {
    const found = await findDomain(tx, id)
    if (!found) throw notFound('Domain')
    await deleteDomain(tx, id)
    record('sso_domain.deleted', id, { number: found.domain, before: { domain: found.domain } })
    return null
  },
})

/** How the people of a domain log in; undefined for a domain that nobody has verified. */
export async function signInOptions(
  services: Pick<Services, 'database' | 'config'>,
  domain: string,
): Promise<SignInOptions | undefined> {
  const { database } = services
  const tenantId = await database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
    findTenantOfDomain(tx, domain),
  )
  if (tenantId === undefined || services.config.public_url === undefined) return undefined
  return database.transaction({ tenantId, userId: null }, 'read only', async tx => {
    const active = (await listProviders(tx)).filter(({ is_active }) => is_active)
    const providers = active.map(each => ({ name: each.name, start: startOf(services, each) }))
    return { password: !(await isSsoRequired(tx)), providers }
  })
}
