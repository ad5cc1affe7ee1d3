import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import { listHistory } from './lifecycle/queries.ts'
import { listReviews } from './periodic-reviews/queries.ts'

const listDecisions = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_decisions as c')
    .innerJoin('document_versions as v', 'v.id', 'c.version_id')
    .select(['c.id', 'v.version', 'c.round', 'c.transition', 'c.rules', 'c.decision', 'c.comment', 'c.signature_id'])
    .select(['c.is_void', 'c.decided_at', personOf('c.user_id').as('user')])
    .where('c.document_id', '=', documentId)
    .orderBy('c.id')
    .execute()

const listDelegations = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_delegations as g')
    .innerJoin('document_versions as v', 'v.id', 'g.version_id')
    .select(['g.id', 'v.version', 'g.round', 'g.transition', 'g.rules', 'g.reason', 'g.given_at'])
    .select([
      personOf('g.from_user_id').as('from'),
      personOf('g.to_user_id').as('to'),
      personOf('g.given_by').as('given_by'),
    ])
    .select(['g.ended_at', personOf('g.ended_by').as('ended_by'), 'g.end_reason'])
    .where('g.document_id', '=', documentId)
    .orderBy('g.id')
    .execute()

const listComments = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('document_comments as c')
    .innerJoin('document_versions as v', 'v.id', 'c.version_id')
    .select(['c.id', 'v.version', 'c.round', 'c.page', 'c.quote', 'c.text', 'c.created_at'])
    .select([personOf('c.created_by').as('created_by'), personOf('c.resolved_by').as('resolved_by')])
    .select(['c.resolved_at', 'c.reply'])
    .where('c.document_id', '=', documentId)
    .orderBy('c.id')
    .execute()

/** The parts of a document's record beside the document and its versions, by their file names in a dossier. */
export const recordParts: Record<string, (tx: Tx, documentId: number) => Promise<object[]>> = {
  history: listHistory,
  decisions: listDecisions,
  delegations: listDelegations,
  reviews: listReviews,
  comments: listComments,
}
