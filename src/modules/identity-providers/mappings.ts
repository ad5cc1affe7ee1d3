import { command } from '#action'
import { invalidField, noneOf } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { listGroupIds } from '#modules/accounts'
import { lockGrants } from '#modules/roles'
import { sealSettings, shown } from './access.ts'
import { messages } from './messages.ts'
import { lockedGenuineProvider, requireProvider, requireRoleGiver } from './providers.ts'
import { replaceMappings, updateProvider } from './queries.ts'
import { type Mapping, MappingsUpdate, Provider } from './schema.ts'

const keyOf = ({ claim_value, role_id, group_id }: Mapping) => JSON.stringify([claim_value, role_id, group_id])

function refuseUnclear(mappings: readonly Mapping[]) {
  const ambiguous = mappings.findIndex(({ role_id, group_id }) => (role_id === null) === (group_id === null))
  if (ambiguous >= 0) throw invalidField(`mappings.${ambiguous}`, messages.mapping_ambiguous())
  const repeated = mappings.findIndex((each, place) => mappings.findIndex(one => keyOf(one) === keyOf(each)) < place)
  if (repeated >= 0) throw invalidField(`mappings.${repeated}`, messages.mapping_repeated())
}

export const changeMappings = command({
  summary: 'Set which roles and groups the groups of a provider give',
  description:
    'The whole table. It applies at each log-in where `roles_from` is `claims`: the matching role with the highest priority, else the default one; of groups that are named here people are members by the provider alone. Needs `roles.assign` too, and each permission of a role that is given.',
  permission: 'sso.manage',
  input: { params: IdParams, body: MappingsUpdate },
  response: Provider,
  async run(context, { params: { id }, body }) {
    const { tx, services, record } = context
    await lockGrants(tx)
    const before = await lockedGenuineProvider(context, id)
    const mappings = body.mappings.map(({ claim_value, role_id = null, group_id = null, priority = 0 }) => ({
      ...{ claim_value, role_id, group_id, priority },
    }))
    const groups = [...new Set(mappings.flatMap(({ group_id }) => group_id ?? []))]
    const known = await listGroupIds(tx, groups)
    const missing = groups.filter(each => !known.includes(each))
    if (missing.length > 0) throw noneOf('Group', groups, missing)
    await requireRoleGiver(
      context,
      mappings.flatMap(({ role_id }) => role_id ?? []),
    )
    refuseUnclear(mappings)
    await replaceMappings(tx, id, mappings)
    await updateProvider(tx, id, {})
    await sealSettings(context, id)
    const after = await requireProvider(tx, id)
    record('identity_provider.mappings_changed', id, {
      number: after.name,
      before: { mappings: before.mappings, revision: before.revision },
      after: { mappings: after.mappings, revision: after.revision },
      reason: body.change_reason ?? null,
    })
    return shown(services, after)
  },
})
