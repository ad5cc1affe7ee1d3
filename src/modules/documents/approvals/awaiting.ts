// The documents whose pending approval one person may decide about now: the rules of `evaluateDecision` for all documents at once.
import type { Actor, Represented, Services } from '#action'
import {
  gateFrom,
  isGated,
  listDefinitions,
  nobody,
  type Participant,
  readTenantFacts,
  ruleNames,
  type TenantFacts,
  type WorkflowDefinition,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { untrained } from '../core/gate.ts'
import { listSigningGates } from '../core/gate-queries.ts'
import { findVersions, listGroupsOfActor } from '../core/version-queries.ts'
import { atWorkOf, participantOf, type VersionAtWork } from '../core/view.ts'
import { approvalBlockedReason, canDecide, decideByWorkflow, needsPeople } from './decision.ts'
import { type GatedState, listCandidates } from './queries.ts'

interface Asking {
  tx: Tx
  actor: Actor
  services: Services
}

/** For a deputy who acts for a person, those that they may decide about for them. The soonest due first. At most `most` candidates are checked; `is_complete` is false if there are more. */
export async function awaitingDocuments(
  asking: Asking,
  { most }: { most: number },
): Promise<{ versions: VersionAtWork['version'][]; is_complete: boolean }> {
  const { tx, actor } = asking
  if (actor.userId === null || (await approvalBlockedReason(tx, actor))) return { versions: [], is_complete: true }
  const groupIds = await listGroupsOfActor(tx)
  const definitions = new Map((await listDefinitions(tx)).map(each => [keyOf(each), each] as const))
  const person = actor.standsInFor && (await participantFor(tx, actor.standsInFor, [...definitions.values()]))
  const named = person ?? participantOf(actor, { groupIds })
  const states = [...definitions.values()].flatMap(each => gatedStates(each, named))
  const ids = await listCandidates(tx, {
    userId: named.userId,
    gated: [...new Set(states.map(({ status }) => status))],
    naming: states.filter(({ isNamed }) => isNamed),
    limit: most + 1,
  })
  const looked = ids.slice(0, most)
  const places = new Map(looked.map((id, place) => [id, place]))
  const versions = (looked.length === 0 ? [] : await findVersions(tx, looked))
    .map(version => atWorkOf(version, definitions.get(keyOf(templateOf(version)))!.definition, groupIds))
    .sort((a, b) => places.get(a.version.id)! - places.get(b.version.id)!)
  const facts = await factsFor(tx, versions, { isForPerson: person !== undefined })
  const theirs = versions.filter(each => canDecide(decideByWorkflow(actor, each, { decision: 'approve' }, facts)))
  const lacking = await untrainedFor(asking, theirs)
  return {
    versions: theirs.map(({ version }) => version).filter(({ document_id }) => !lacking.has(document_id)),
    is_complete: ids.length <= most,
  }
}

interface Template {
  template_id: number
  version: number
}
const keyOf = ({ template_id, version }: Template) => `${template_id}/${version}`
const templateOf = ({ workflow_template_id, workflow_template_version }: VersionAtWork['version']): Template => ({
  template_id: workflow_template_id,
  version: workflow_template_version,
})

/** The states of this workflow with a pending approval, and whether an approval rule names the person. */
const gatedStates = (
  { definition, ...template }: Template & { definition: WorkflowDefinition },
  participant: Participant,
): (GatedState & { isNamed: boolean })[] =>
  definition.states.flatMap(({ name: status }) => {
    const gate = gateFrom(definition, status)
    return gate
      ? [{ ...template, status, isNamed: gate.approval.rules.some(rule => ruleNames(rule, participant)) }]
      : []
  })

/** The people of the tenant, read once for all these workflows, and only if one of them depends on others than the caller. */
async function factsFor(
  tx: Tx,
  versions: readonly VersionAtWork[],
  { isForPerson }: { isForPerson: boolean },
): Promise<TenantFacts> {
  const asking = versions.map(({ definition }) => definition).filter(each => isForPerson || needsPeople(each))
  return asking.length === 0 ? nobody : readTenantFacts(tx, gatesOf(asking))
}

const gatesOf = (definitions: readonly WorkflowDefinition[]) => ({
  states: [],
  transitions: definitions.flatMap(each => each.transitions.filter(isGated)),
})

/** The person for whom the caller acts, with their groups as far as these workflows name them. */
const participantFor = async (
  tx: Tx,
  { userId }: Represented,
  templates: readonly { definition: WorkflowDefinition }[],
): Promise<Participant> =>
  (await readTenantFacts(tx, gatesOf(templates.map(({ definition }) => definition)))).participantOf(userId)

/** The documents that the person may not decide about because they lack a training. Each set of programs is checked once. */
async function untrainedFor(asking: Asking, versions: readonly VersionAtWork[]): Promise<ReadonlySet<number>> {
  const userId = asking.actor.userId!
  const gates =
    versions.length === 0
      ? []
      : await listSigningGates(
          asking.tx,
          versions.map(each => each.version.document_id),
        )
  const bySet = Map.groupBy(gates, ({ signing_program_ids }) => JSON.stringify(signing_program_ids))
  const lacking = new Set<number>()
  for (const [first, ...others] of bySet.values())
    if ((await untrained(asking, first!, [userId])).has(userId))
      for (const { id } of [first!, ...others]) lacking.add(id)
  return lacking
}
