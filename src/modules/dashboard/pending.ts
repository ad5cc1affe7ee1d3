import type { ActionContext, Actor } from '#action'
import { type AwaitingCapa, awaitingCapas } from '#modules/capas'
import { awaitingConfigurationChanges } from '#modules/configuration'
import { awaitingCopies } from '#modules/controlled-copies'
import type { RepresentedPerson } from '#modules/deputies'
import { awaitingDeviations } from '#modules/deviations'
import { awaitingDocuments, listOrphanedApprovals } from '#modules/documents'
import { awaitingFileRemovals } from '#modules/file-removals'
import { awaitingDisposals } from '#modules/retention'
import type { Tx } from '#platform/db/database.ts'
import type { Row } from './queries.ts'
import { sortRows } from './rules.ts'
import { byDueDate } from './schema.ts'

/** In a longer list only the first by due date are checked. */
const most = 1000

/** The items that await a decision of the caller, by the rules of the decision itself and ordered by due date. */
interface Pending {
  documents: Row[]
  deviations: Row[]
  draft_capas: Row[]
  /** CAPAs with a plan to approve, and those to close. */
  capas: Row[]
  configuration_changes: Row[]
  controlled_copies: Row[]
  file_removals: Row[]
  disposals: Row[]
  /** The transitions that the caller may take on a deviation. */
  ways: readonly string[]
  is_complete: boolean
}

export async function pendingOf({
  tx,
  actor,
  services,
  represented,
}: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'> & {
  represented: readonly RepresentedPerson[]
}): Promise<Pending> {
  const documents = await awaitingDocuments({ tx, actor, services }, { most })
  const forOthers = await documentsFor({ tx, actor, services, represented }, documents.versions)
  const deviations = await awaitingDeviations(tx, actor, { most })
  const capas = await awaitingCapas(tx, actor, { most })
  const rowOf = ({ id, number, title, status, priority, due_date, created_by }: AwaitingCapa): Row => ({
    ...{ kind: 'capa', record_id: id, part_id: id, number, title, status, urgency: priority },
    ...{ due_date, person_id: created_by, is_yours: true },
  })
  const configuration = await awaitingConfigurationChanges({ tx, actor, services }, { most })
  const copies = await awaitingCopies(tx, actor, { most })
  const removals = await awaitingFileRemovals({ tx, actor }, { most })
  const disposals = await awaitingDisposals({ tx, actor }, { most })
  return {
    documents: sortRows([...documents.versions.map(approvalRow), ...forOthers.rows], byDueDate),
    deviations: deviations.deviations.map(({ id, number, title, status, severity, due_date, reported_by }) => ({
      ...{ kind: 'deviation', record_id: id, part_id: id, number, title, status, urgency: severity },
      ...{ due_date, person_id: reported_by, is_yours: true },
    })),
    draft_capas: capas.drafts.map(rowOf),
    capas: capas.decisions.map(rowOf),
    configuration_changes: configuration.changes.map(({ id, number, title, status, proposed_by }) => ({
      ...{ kind: 'configuration_change', record_id: id, part_id: id, number, title, status, urgency: null },
      ...{ due_date: null, person_id: proposed_by.id, is_yours: true },
    })),
    controlled_copies: copies.copies.map(({ id, document_id, number, title, status, due_date, holder_id }) => ({
      ...{ kind: 'controlled_copy', record_id: document_id, part_id: id, number, title, status, urgency: null },
      ...{ due_date, person_id: holder_id, is_yours: true },
    })),
    file_removals: removals.removals.map(({ id, number, title, status, requested_by }) => ({
      ...{ kind: 'file_removal', record_id: id, part_id: id, number, title, status, urgency: null },
      ...{ due_date: null, person_id: requested_by.id, is_yours: true },
    })),
    disposals: disposals.disposals.map(({ id, number, title, status, proposed_by }) => ({
      ...{ kind: 'disposal', record_id: id, part_id: id, number, title, status, urgency: null },
      ...{ due_date: null, person_id: proposed_by.id, is_yours: true },
    })),
    ways: deviations.ways,
    is_complete: [documents, forOthers, deviations, capas, configuration, copies, removals, disposals].every(
      each => each.is_complete,
    ),
  }
}

/** Approvals that too few people are left to give, for people who may configure them. Whoever has approved the version may not. */
export async function orphanedApprovals(
  tx: Tx,
  { userId, permissions }: Actor,
): Promise<{ rows: Row[]; is_complete: boolean }> {
  if (!permissions.has('documents.configure_approval') || !permissions.has('documents.read_drafts'))
    return { rows: [], is_complete: true }
  const { versions, is_complete } = await listOrphanedApprovals(tx, { most })
  const rows = versions.map(
    ({ id, document_id, number, title, status, approval_due_date, created_by, approvals }): Row => ({
      ...{ kind: 'document_approval', record_id: document_id, part_id: id, number, title, status, urgency: null },
      ...{ due_date: approval_due_date, person_id: created_by },
      is_yours: approvals.every(({ user }) => user.id !== userId),
    }),
  )
  return { rows, is_complete }
}

type Version = Awaited<ReturnType<typeof awaitingDocuments>>['versions'][number]

const approvalRow = ({ id, document_id, number, title, status, approval_due_date, created_by }: Version): Row => ({
  ...{ kind: 'document_approval', record_id: document_id, part_id: id, number, title, status, urgency: null },
  ...{ due_date: approval_due_date, person_id: created_by, is_yours: true },
})

/** The documents that the caller may decide about for others only. Those that name the caller too are in their own list. */
async function documentsFor(
  { represented, ...asking }: Parameters<typeof pendingOf>[0],
  own: readonly Version[],
): Promise<{ rows: Row[]; is_complete: boolean }> {
  const listed = new Set(own.map(({ id }) => id))
  const rows: Row[] = []
  let is_complete = true
  for (const person of represented.filter(({ scopes }) => scopes.includes('approvals'))) {
    const found = await awaitingDocuments({ ...asking, actor: { ...asking.actor, standsInFor: person } }, { most })
    is_complete &&= found.is_complete
    for (const version of found.versions.filter(({ id }) => !listed.has(id))) {
      listed.add(version.id)
      rows.push({ ...approvalRow(version), for_id: person.userId })
    }
  }
  return { rows, is_complete }
}
