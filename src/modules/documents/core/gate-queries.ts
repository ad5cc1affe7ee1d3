import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { TrainingGate as GateKind } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'

export type Gate = Static<typeof GateKind>

/** The training gate of a document `d` of the type `t`: its own, else that of its type. */
export const gateHere = sql<Gate>`coalesce(d.training_gate, t.training_gate)`
export const thresholdHere = sql<number>`coalesce(d.training_threshold, t.training_threshold)`

const gates = (tx: Tx) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_types as t', 't.id', 'd.document_type_id')
    .select(['d.training_gate as own_gate', 'd.training_threshold as own_threshold', 't.name as type_name'])
    .select([gateHere.as('gate'), thresholdHere.as('threshold'), 't.signing_program_ids'])

/** The training gate of a document, its threshold and the programs that approvers need. */
export const findGate = (tx: Tx, documentId: number) =>
  gates(tx).where('d.id', '=', documentId).executeTakeFirstOrThrow()

/** Those of these documents whose approvers need a training. */
export const listSigningGates = (tx: Tx, documentIds: readonly number[]) =>
  gates(tx)
    .select('d.id')
    .where('d.id', '=', sql<number>`any(${documentIds}::bigint[])`)
    .where(gateHere, '=', 'before_sign')
    .execute()
export type GateRow = Awaited<ReturnType<typeof findGate>>

export const updateGate = (
  tx: Tx,
  documentId: number,
  values: { training_gate: Gate | null; training_threshold: number | null },
) => tx.updateTable('documents').set(values).where('id', '=', documentId).execute()

/** People read and train on version `v` of the document. */
const isToRead = sql<boolean>`(v.id = d.effective_version_id
  or v.id = d.latest_version_id and v.is_waiting and v.approved_at is not null and ${gateHere} = 'before_effective')`

/** The document in this column has a version that people must read. */
export const hasVersionToRead = (column: string) =>
  sql<boolean>`exists (select from documents d join document_types t on t.id = d.document_type_id
    join document_versions v on v.document_id = d.id where d.id = ${sql.ref(column)} and ${isToRead})`

/**
 * The version that people are to read and be trained on: the effective one, or the approved one that waits until enough of them are.
 * Undefined while there is neither.
 */
export async function versionToRead(tx: Tx, documentId: number): Promise<{ id: number; version: string } | undefined> {
  return tx
    .selectFrom('documents as d')
    .innerJoin('document_types as t', 't.id', 'd.document_type_id')
    .innerJoin('document_versions as v', 'v.document_id', 'd.id')
    .select(['v.id', 'v.version'])
    .where('d.id', '=', documentId)
    .where(isToRead)
    .orderBy('v.major', 'desc')
    .orderBy('v.minor', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A trainee reads an approved version before it is effective. */
export const isTrainee = async (
  tx: Tx,
  userId: number | null,
  version: { document_id: number; version_id: number },
) => {
  const found = await tx
    .selectFrom('training_assignments as a')
    .innerJoin('document_versions as v', 'v.id', 'a.version_id')
    .select('a.id')
    .where('a.document_id', '=', version.document_id)
    .where('a.version_id', '=', version.version_id)
    .where('a.user_id', '=', userId)
    .where('a.status', 'in', ['assigned', 'in_progress', 'completed'])
    .where('v.approved_at', 'is not', null)
    .where('v.status_kind', '<>', 'final')
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
