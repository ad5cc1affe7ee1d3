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
import { conflict, notFound } from '#kernel/errors.ts'
import { listHolders, readSettings } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findChange, insertChange, inTrial, lockConfiguration, type StoredChange } from './queries.ts'
import { digestOf, numberOf, type StoredRequest, statedChanges } from './rules.ts'

export const requireChange = async (tx: Tx, id: number): Promise<StoredChange> => {
  const change = await findChange(tx, id)
  if (!change) throw notFound('Configuration change')
  return change
}

export const shown = <C extends { id: number }>(change: C) => ({ ...change, number: numberOf(change.id) })

export function shownInFull({ request: _request, ...change }: StoredChange): ConfigurationChange {
  return shown(change)
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
  const holders = await listHolders(tx, command.permission, 'configuration_changes.decide')
  const approvers = holders.filter(each => each !== actor.userId)
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
  return new AwaitingApproval(shownInFull(await requireChange(tx, id)))
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
