import type { Tx } from '#platform/db/database.ts'
import { gateHere, thresholdHere } from './core/gate-queries.ts'

/** The planned date is not part of what is signed, so the content revision stays. */
export const planEffectiveDate = (tx: Tx, versionId: number, effective_date: string | null) =>
  tx.updateTable('document_versions').set({ effective_date }).where('id', '=', versionId).execute()

/** Waiting versions whose effective date has come, the longest overdue first. Few versions wait, and they have an index of their own. */
export const listDueVersions = (tx: Tx, today: string) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .innerJoin('document_types as t', 't.id', 'd.document_type_id')
    .select(['v.id as version_id', 'v.document_id', gateHere.as('gate'), thresholdHere.as('threshold')])
    .where('v.is_waiting', '=', true)
    .where(e => e.or([e('v.effective_date', 'is', null), e('v.effective_date', '<=', today)]))
    .orderBy('v.effective_date')
    .orderBy('v.id')
    .execute()
