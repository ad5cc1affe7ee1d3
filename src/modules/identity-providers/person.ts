import type { ActionContext } from '#action'
import { addProvidedUser, findHolderOfEmail, giveProvidedRole, listAdmins, lockUserById } from '#modules/accounts'
import { setMemberships } from '#modules/groups'
import { lockGrants } from '#modules/roles'
import { link } from './identities.ts'
import { reasons } from './messages.ts'
import {
  findIdentityBySubject,
  type IdentityRow,
  lockProvider,
  noteAuthTime,
  type ProviderRow,
  sealLink,
} from './queries.ts'
import { appliedMappings, emailFrom, groupsFrom, textOf, usernameFrom } from './rules.ts'
import { openIdentitySeal, sealIdentity } from './seals.ts'

/** Why somebody whom the provider has let in does not get in here. */
export interface Stranger {
  code: 'not_linked' | 'refused'
  reason: string
}

export type Sent = Readonly<Record<string, unknown>>

interface Named {
  provider: ProviderRow
  subject: string
  sent: Sent
  now: Date
}

/** A link counts by its seal: whoever can only write to the database links nobody. */
async function linkedUser(
  { tx, services }: ActionContext<unknown>,
  provider: ProviderRow,
  identity: IdentityRow,
  { auth_time }: Sent,
): Promise<{ userId: number } | { stranger: Stranger }> {
  const about = { provider: provider.name, subject: identity.subject }
  const seal = openIdentitySeal(services.keys, provider, identity)
  if (seal === undefined) return { stranger: { code: 'refused', reason: reasons.reason_sso_link_altered(about).text } }
  if (seal === 'previous') await sealLink(tx, identity.id, sealIdentity(services.keys, provider, identity))
  if (Number.isSafeInteger(auth_time)) await noteAuthTime(tx, identity.id, auth_time as number)
  return { userId: identity.user_id }
}

/** The user whom the subject names. By `provider` and `subject` alone: an address that is the same links nobody. */
export async function findPerson(
  context: ActionContext<unknown>,
  named: Named,
): Promise<{ userId: number } | { stranger: Stranger }> {
  const { tx } = context
  const { provider, subject } = named
  const known = await findIdentityBySubject(tx, provider.id, subject)
  if (known) return linkedUser(context, provider, known, named.sent)
  // In the order of every change of roles and providers.
  await lockGrants(tx)
  await lockProvider(tx, provider.id)
  const meanwhile = await findIdentityBySubject(tx, provider.id, subject)
  if (meanwhile) return linkedUser(context, provider, meanwhile, named.sent)
  const about = { provider: provider.name, subject }
  const email = emailFrom(named.sent[provider.claims.email])
  const holder = email === undefined ? undefined : await findHolderOfEmail(tx, email)
  if (holder !== undefined) {
    const { username } = await lockUserById(tx, holder)
    context.record('identity_provider.email_taken', provider.id, {
      number: provider.name,
      outcome: 'denied',
      after: { subject, username },
      notify: await listAdmins(tx),
    })
    return { stranger: { code: 'not_linked', reason: reasons.reason_sso_email_taken(about).text } }
  }
  if (provider.provisioning === 'linked')
    return { stranger: { code: 'not_linked', reason: reasons.reason_sso_not_linked(about).text } }
  return addPerson(context, named, email)
}

/** Just in time: the account is made at the first log-in. */
async function addPerson(
  context: ActionContext<unknown>,
  { provider, subject, sent, now }: Named,
  email: string | undefined,
): Promise<{ userId: number } | { stranger: Stranger }> {
  const about = { provider: provider.name, subject }
  const { claims, default_role_id } = provider
  const username = usernameFrom(sent[claims.username]) ?? usernameFrom(email)
  if (username === undefined || email === undefined)
    return { stranger: { code: 'refused', reason: reasons.reason_sso_person_incomplete(about).text } }
  const full_name = textOf(sent[claims.full_name], 200) ?? null
  const user = await addProvidedUser(context, { username, email, full_name, role_id: default_role_id })
  if (!user) return { stranger: { code: 'refused', reason: reasons.reason_sso_name_not_free(about).text } }
  await link(context, { user, provider, subject, now })
  return { userId: user.id }
}

/** Role and groups by the groups that the provider sent. What could not follow them is said in the entry of the log-in. */
export async function followGroups(
  context: ActionContext<unknown>,
  userId: number,
  { provider, sent }: { provider: ProviderRow; sent: Sent },
): Promise<object> {
  if (provider.roles_from !== 'claims') return {}
  const groups = groupsFrom(sent, provider.claims.groups)
  if (groups === undefined) return { groups: 'not_sent' }
  const { role, joined, mapped } = appliedMappings(provider.mappings, groups)
  const about = { provider: provider.name }
  const role_id = role?.role_id ?? provider.default_role_id
  const given =
    role_id === null
      ? 'unchanged'
      : await giveProvidedRole(context, userId, {
          role_id,
          reason: (role
            ? reasons.reason_role_by_group({ ...about, group: role.claim_value })
            : reasons.reason_role_by_default(about)
          ).text,
        })
  await setMemberships(context, userId, {
    ...{ decided: mapped, joined, reason: reasons.reason_groups_of_provider(about).text },
  })
  return given === 'last_admin' ? { role: 'last_admin' } : {}
}
