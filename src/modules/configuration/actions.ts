import { isDeepStrictEqual } from 'node:util'
import type { Services, Writing } from '#action'
import {
  type ActionContext,
  type Actor,
  ConfigurationChange,
  ConfigurationChangeSummary,
  command,
  query,
} from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { conforms } from '#kernel/json-schema.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { applyAndCollect, requireChange, shown, shownInFull } from './propose.ts'
import {
  changeSorts,
  countChanges,
  decideChange,
  findRevision,
  listChanges,
  lockChange,
  lockConfiguration,
  type StoredChange,
} from './queries.ts'
import { decisionRefusal, digestOf, numberOf, statedChanges, withdrawalRefusal } from './rules.ts'
import { Approval, ChangeFilter, Rejection, Withdrawal } from './schema.ts'
import { signedConfigurationChanges } from './subject.ts'

export const list = query({
  summary: 'List configuration changes',
  permission: 'configuration_changes.read',
  input: { query: ChangeFilter },
  response: Page(ConfigurationChangeSummary),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, changeSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      async (limit, offset) => (await listChanges(tx, query, sort, limit, offset)).map(shown),
      () => countChanges(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read a configuration change',
  description: 'With the old and the new value of each field, who may approve it, and what you may do with it.',
  permission: 'configuration_changes.read',
  input: { params: IdParams },
  response: ConfigurationChange,
  run: async (context, { params }) => shownInFull(context, await requireChange(context.tx, params.id)),
})

async function lockedChange(tx: Tx, id: number): Promise<StoredChange> {
  if (!(await lockChange(tx, id))) throw notFound('Configuration change')
  return requireChange(tx, id)
}

function requireDecision(actor: Actor, change: StoredChange, { configuration }: Services) {
  const { permission } = configuration.commandOf(change.kind, change.operation)
  const refusal = decisionRefusal(actor, change, permission)
  if (refusal) throw refusal
}

/** The record is no longer the one that the change was proposed for. */
const isOutdated = async (tx: Tx, { kind, operation, resource_id, base_revision }: StoredChange) =>
  operation !== 'create' && (await findRevision(tx, kind, resource_id!)) !== base_revision

const outdated = ({ title }: StoredChange) => conflict(messages.configuration_change_outdated({ title }))

/** In a transaction of its own, because the approval that finds it out is refused. */
async function markOutdated({ tx, record }: Writing, id: number) {
  const change = await lockedChange(tx, id)
  if (change.status !== 'pending') return
  await decideChange(tx, id, { status: 'outdated' })
  recordDecision(record, change, 'outdated')
}

function recordDecision(
  record: ActionContext<unknown>['record'],
  { id, kind, title, proposed_by }: StoredChange,
  status: 'approved' | 'rejected' | 'withdrawn' | 'outdated',
  { reason = null, ...after }: { reason?: string | null; signature_id?: number; resource_id?: number | null } = {},
) {
  record(`configuration_change.${status}`, id, {
    number: numberOf(id),
    before: { status: 'pending' },
    after: { status, kind, title, ...after },
    reason,
    notify: status === 'withdrawn' ? [] : [proposed_by.id],
  })
}

/** The stored request, if the row still is what was proposed: whoever has the database login could have written another. */
function requireGenuine({ configuration }: Services, change: StoredChange) {
  const { kind, operation, request, resource_id } = change
  const { input } = configuration.commandOf(kind, operation)
  const { params, body, ...more } = request
  const isGenuine =
    digestOf(change) === change.digest &&
    Object.keys(more).length === 0 &&
    (input.params ? conforms(input.params, params) && params!.id === resource_id : params === undefined) &&
    (input.body ? conforms(input.body, body) : body === undefined)
  if (!isGenuine) throw conflict(messages.configuration_change_altered({ number: numberOf(change.id) }))
  return request
}

export const approve = command({
  summary: 'Approve a configuration change',
  description:
    'Puts the change into force with a signature: `password` (and `otp`), or a fresh log-in. It needs the permission to change such a record, and another person than the one who proposed it. A change of a record that was changed otherwise meanwhile is a 409, and becomes `outdated`.',
  permission: 'configuration_changes.decide',
  input: { params: IdParams, body: Approval },
  response: ConfigurationChange,
  async prepare(context, { params: { id }, body }): Promise<RecordProof> {
    const { actor, services, read, inSeparateTransaction } = context
    const seen = await read(async tx => {
      const change = await requireChange(tx, id)
      requireDecision(actor, change, services)
      return { change, is_outdated: await isOutdated(tx, change) }
    })
    if (seen.is_outdated) {
      await inSeparateTransaction(writing => markOutdated(writing, id))
      throw outdated(seen.change)
    }
    return proveToSign(context, { type: 'configuration_change', id }, body)
  },
  async run(context, { params: { id }, body: { intent } }) {
    const { tx, actor, services, record, prepared: proof } = context
    await lockConfiguration(tx)
    const change = await lockedChange(tx, id)
    requireDecision(actor, change, services)
    if (await isOutdated(tx, change)) throw outdated(change)
    const { kind, operation, base_revision, title } = change
    const request = requireGenuine(services, change)
    const expectedRevision = base_revision ?? undefined
    const recorded = await applyAndCollect(
      { ...context, expectedRevision },
      services.configuration.commandOf(kind, operation),
      request,
    )
    const [{ id: changed, before, after }] = recorded
    // The approver was shown the values that are put into force, also where they depend on other records.
    if (!isDeepStrictEqual(statedChanges(before, after), change.changes)) throw outdated(change)
    const signature_id = await signRecord(context, (await signedConfigurationChanges.read(tx, id))!, {
      signature_type: 'approval',
      intent: intent ?? `I approve this change of ${title}`,
      occasion: { kind: 'configuration', ref: '' },
      proof,
    })
    for (const { event, id: resource, outcome: _outcome, ...rest } of recorded) record(event, resource, rest)
    await decideChange(tx, id, {
      status: 'approved',
      signature_id,
      ...(operation === 'create' && { resource_id: changed! }),
    })
    recordDecision(record, change, 'approved', { signature_id, resource_id: changed })
    return shownInFull(context, await requireChange(tx, id))
  },
})

export const reject = command({
  summary: 'Reject a configuration change',
  permission: 'configuration_changes.decide',
  input: { params: IdParams, body: Rejection },
  response: ConfigurationChange,
  async run(context, { params: { id }, body: { decision_reason } }) {
    const { tx, actor, services, record } = context
    const change = await lockedChange(tx, id)
    requireDecision(actor, change, services)
    await decideChange(tx, id, { status: 'rejected', decision_reason })
    recordDecision(record, change, 'rejected', { reason: decision_reason })
    return shownInFull(context, await requireChange(tx, id))
  },
})

export const withdraw = command({
  summary: 'Withdraw a configuration change that you proposed',
  permission: 'configuration_changes.decide',
  input: { params: IdParams, body: Withdrawal },
  response: ConfigurationChange,
  async run(context, { params: { id }, body: { decision_reason = null } }) {
    const { tx, actor, record } = context
    const change = await lockedChange(tx, id)
    const refusal = withdrawalRefusal(actor, change)
    if (refusal) throw refusal
    await decideChange(tx, id, { status: 'withdrawn', decision_reason })
    recordDecision(record, change, 'withdrawn', { reason: decision_reason })
    return shownInFull(context, await requireChange(tx, id))
  },
})
