import {
  type ActionContext,
  type AnyConfigurationCommand,
  AwaitingApproval,
  type ConfigurationChange,
  type Input,
  type Parts,
  type Recorded,
  type Services,
} from '#action'
import { allowedActs, requirePermission } from '#action/allowed.ts'
import type { Permission } from '#kernel/catalogue.ts'
import { type AppError, conflict, notFound } from '#kernel/errors.ts'
import { listHolders, readSettings } from '#modules/accounts'
import { namesIn, type WorkflowDefinition } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { inTrial } from '#platform/db/trial.ts'
import { messages } from './messages.ts'
import {
  findChange,
  insertChange,
  listPeopleById,
  listProgramNames,
  lockConfiguration,
  type StoredChange,
} from './queries.ts'
import { decisionRefusal, digestOf, numberOf, type StoredRequest, statedChanges, withdrawalRefusal } from './rules.ts'

export const requireChange = async (tx: Tx, id: number): Promise<StoredChange> => {
  const change = await findChange(tx, id)
  if (!change) throw notFound('Configuration change')
  return change
}

export const shown = <C extends { id: number }>(change: C) => ({ ...change, number: numberOf(change.id) })

/** How many people are named who may approve a change. */
const maxApprovers = 20

/** The people who may approve or reject a change, which its author may not. */
export const listApprovers = async (tx: Tx, permission: Permission, proposed_by: number) =>
  (await listHolders(tx, permission, 'configuration_changes.decide')).filter(each => each !== proposed_by)

/** The names of all that the old and the new values name by ids. */
async function namesOf(tx: Tx, { kind, changes }: StoredChange) {
  const values = (field: string) => [changes[field]?.from, changes[field]?.to]
  if (kind === 'workflow_template')
    return namesIn(tx, ...(values('definition').filter(Boolean) as WorkflowDefinition[]))
  if (kind !== 'document_type') return {}
  const ids = values('signing_program_ids').flatMap(value => (value ?? []) as number[])
  const programs = ids.length > 0 ? await listProgramNames(tx, ids) : []
  return { training_programs: Object.fromEntries(programs.map(({ id, name }) => [id, name])) }
}

/** With who may decide, and what the actor may do themselves. */
export async function shownInFull(
  { tx, actor, services }: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  stored: StoredChange,
): Promise<ConfigurationChange> {
  const { request: _request, ...change } = stored
  const { permission } = services.configuration.commandOf(change.kind, change.operation)
  const approvers = change.status === 'pending' ? await listApprovers(tx, permission, change.proposed_by.id) : []
  const decision = [
    () => requirePermission(actor, 'configuration_changes.decide'),
    () => throwIfAny(decisionRefusal(actor, change, permission)),
  ]
  const you = await allowedActs({
    approve: decision,
    reject: decision,
    withdraw: [
      () => requirePermission(actor, 'configuration_changes.decide'),
      () => throwIfAny(withdrawalRefusal(actor, change)),
    ],
  })
  return {
    ...shown(change),
    names: await namesOf(tx, stored),
    approvers: (await listPeopleById(tx, approvers)).slice(0, maxApprovers),
    you,
  }
}

function throwIfAny(refusal: AppError | undefined) {
  if (refusal) throw refusal
}

/** Runs a command of the configuration and keeps what it records. The first event is that of the record itself. */
export async function applyAndCollect(
  context: ActionContext<unknown>,
  command: AnyConfigurationCommand,
  { params, body }: StoredRequest,
): Promise<[Recorded, ...Recorded[]]> {
  const recorded: Recorded[] = []
  const record: typeof context.record = (event, id, change) =>
    recorded.push({ event, id, outcome: 'success', ...change })
  await command.apply({ ...context, prepared: undefined, record }, { params, body })
  return recorded as [Recorded, ...Recorded[]]
}

async function propose(
  context: ActionContext<undefined>,
  command: AnyConfigurationCommand,
  input: Input<Parts>,
): Promise<AwaitingApproval | undefined> {
  const { tx, actor, record } = context
  if (!command.needsApproval(input)) return undefined
  // Before the setting is read, so that nobody switches it on between this and the end of an unapproved change.
  await lockConfiguration(tx)
  if (!(await readSettings(tx)).configuration_needs_approval) return undefined
  const { params, body } = input as StoredRequest
  const request: StoredRequest = { ...(command.input.params && { params }), ...(command.input.body && { body }) }
  const [{ id: changed, before, after, reason }] = await inTrial(tx, () =>
    applyAndCollect({ ...context, afterCommit() {} }, command, request),
  )
  const changes = statedChanges(before, after)
  if (Object.keys(changes).length === 0) throw conflict(messages.configuration_change_without_effect())
  const approvers = await listApprovers(tx, command.permission, actor.userId ?? 0)
  if (approvers.length === 0)
    throw conflict(messages.configuration_change_without_approver({ permission: command.permission }))
  const proposal = {
    kind: command.configures,
    operation: command.operation,
    title: titleOf(before ?? after),
    base_revision: (before as { revision?: number } | undefined)?.revision ?? null,
    reason: reason ?? null,
    request,
    changes,
  }
  const resource_id = command.operation === 'create' ? null : changed
  const { id } = await insertChange(tx, { ...proposal, resource_id, digest: digestOf(proposal) })
  const { request: _request, ...stated } = proposal
  record('configuration_change.proposed', id, {
    number: numberOf(id),
    after: { ...stated, resource_id, digest: digestOf(proposal) },
    reason: proposal.reason,
    assignees: approvers,
  })
  return new AwaitingApproval(await shownInFull(context, await requireChange(tx, id)))
}

const titleOf = (resource: object | undefined) => (resource as { name?: string } | undefined)?.name ?? 'Settings'

/** `commands`: those of all routes that change the configuration. */
export const openConfiguration = (commands: () => readonly AnyConfigurationCommand[]): Services['configuration'] => ({
  propose,
  commandOf(kind, operation) {
    const command = commands().find(each => each.configures === kind && each.operation === operation)
    if (!command) throw new Error(`no route can ${operation} a ${kind}`)
    return command
  },
})
