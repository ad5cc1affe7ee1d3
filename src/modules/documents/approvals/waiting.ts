// All versions that wait for an approval, and those whose approval too few people are left to give.
import {
  gateFrom,
  isGated,
  isShortOfPeople,
  listDefinitions,
  readTenantFacts,
  type TenantPeople,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { findVersions } from '../core/version-queries.ts'
import { atWorkOf, type VersionAtWork } from '../core/view.ts'
import { listWaitingIds } from './queries.ts'

/** Submitted versions that wait for an approval, in the order of their ids. */
export async function listWaiting(
  tx: Tx,
  { after = 0, limit }: { after?: number; limit: number },
): Promise<VersionAtWork[]> {
  const definitions = await listDefinitions(tx)
  const states = definitions.flatMap(({ definition, ...template }) =>
    definition.states
      .filter(({ name, kind }) => kind === 'review' && gateFrom(definition, name))
      .map(({ name: status }) => ({ ...template, status })),
  )
  const ids = await listWaitingIds(tx, states, { after, limit })
  if (ids.length === 0) return []
  const byTemplate = new Map(definitions.map(each => [`${each.template_id}/${each.version}`, each.definition]))
  const versions = await findVersions(tx, ids)
  return versions
    .map(each => atWorkOf(each, byTemplate.get(`${each.workflow_template_id}/${each.workflow_template_version}`)!, []))
    .sort((a, b) => a.version.id - b.version.id)
}

/** The people of the tenant, read once for the workflows of all these versions. */
export const factsOf = (tx: Tx, versions: readonly VersionAtWork[]): Promise<TenantPeople> =>
  readTenantFacts(tx, {
    states: [],
    transitions: versions.flatMap(each => each.definition.transitions.filter(isGated)),
  })

/** Too few people are left who may give the pending approval. */
export const isOrphaned = ({ definition, instance }: VersionAtWork, facts: TenantPeople) =>
  isShortOfPeople(definition, instance, facts)

/** Of the first `most` waiting versions those whose approval is orphaned. The people who approved one may not configure its approval. */
export async function listOrphanedApprovals(tx: Tx, { most }: { most: number }) {
  const waiting = await listWaiting(tx, { limit: most + 1 })
  const looked = waiting.slice(0, most)
  if (looked.length === 0) return { versions: [], is_complete: true }
  const facts = await factsOf(tx, looked)
  return {
    versions: looked.filter(each => isOrphaned(each, facts)).map(({ version }) => version),
    is_complete: waiting.length <= most,
  }
}
