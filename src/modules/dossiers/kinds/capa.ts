import { dayOf, headings, labels } from '#kernel/print.ts'
import { todayOf } from '#modules/accounts'
import { type CapaWork, capaAccess, listReviews, loadCapa } from '#modules/capas'
import { readRecordParts, requireReader } from '#modules/casework'
import { readSignaturesOf } from '#modules/signatures'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { by, heading, importedFacts, labelled, plain, texts, words } from '../blocks.ts'
import { printed } from '../messages.ts'
import type { Kind, Subject } from '../subject.ts'
import { filesOf, pagesOfParts, partsOf, signaturesOf } from './case.ts'

type Review = Awaited<ReturnType<typeof listReviews>>[number]

/** A CAPA with its actions and effectiveness reviews. */
export const capas: Kind<{ id: number }> = {
  reading: ['capa.record_exported', 'capa.dossier_exported', 'attachment.downloaded', 'access.denied'],
  async require(context, { id }) {
    requireReader(context.actor, 'capa', id)
    const { row } = await loadCapa(context, id)
    return { id, number: row.number, mark: markOf(row, await listReviews(context.tx, id, await todayOf(context))) }
  },
  read: ({ read, actor, services }, { id }) =>
    read(async (tx): Promise<Subject> => {
      const { row, actions } = await loadCapa({ tx, services }, id)
      const parts = await readRecordParts(tx, actor, capaAccess, id)
      const reviews = (await listReviews(tx, id, await todayOf({ tx, services }))).toReversed()
      const reviewIds = reviews.map(review => review.id)
      const { number, title, status, revision, updated_at } = row
      return {
        ...{ type: 'capa', id, number, title, status: plain(status), revision },
        mark: markOf(row, reviews),
        changed_at: updated_at,
        record: { capa: recordOf(row), actions: actions.map(({ overdue, ...action }) => action) },
        parts: { ...partsOf(parts), effectiveness_reviews: reviews.map(({ overdue, ...review }) => review) },
        facts: factsOf(row),
        pages: altered => [
          ...texts([
            [headings.description, row.description],
            [headings.root_cause, row.root_cause],
            [headings.adverse_effect_assessment, row.adverse_effect_assessment],
          ]),
          ...actions.flatMap(actionOf),
          ...reviews.flatMap(reviewOf),
          ...pagesOfParts(parts, altered),
        ],
        files: filesOf(parts),
        signatures: signaturesOf([
          ...(await readSignaturesOf(tx, services.signing, 'effectiveness_review', reviewIds)),
          ...(await readSignaturesOf(tx, services.signing, 'capa', [id])),
        ]),
        scope: {
          resources: [
            { type: 'capa', ids: [id] },
            { type: 'effectiveness_review', ids: reviewIds },
            { type: 'attachment', ids: parts.files.map(file => file.id) },
          ],
          refused: [{ id, number }],
        },
      }
    }),
}

const markOf = ({ revision }: { revision: number }, reviews: readonly Review[]) =>
  [revision, ...reviews.map(each => `${each.id}:${each.revision}`).sort()].join(' ')

/** Without what follows from the day, and what parts of the dossier hold. */
function recordOf(row: CapaWork['row']) {
  const { overdue, newest_result, planned_reviewer, document_ids, deviation_ids, ...record } = row
  return record
}

const factsOf = (row: CapaWork['row']): Fact[] => [
  [headings.status, plain(row.status)],
  [headings.type, plain(row.type)],
  [headings.source, plain(row.source)],
  [headings.priority, plain(row.priority)],
  [headings.assigned_to, words(row.assigned_to)],
  [
    headings.due,
    printed.dossier_due({ day: row.due_date, original: row.original_due_date, extensions: row.extension_count }),
  ],
  [headings.created, by(row.created_at, row.created_by)],
  [headings.approved, by(row.approved_at, row.approved_by)],
  [headings.closed, by(row.closed_at, row.closed_by)],
  ...importedFacts(row),
]

const actionOf = (action: CapaWork['actions'][number], at: number): Block[] => [
  heading(printed.dossier_action({ number: at + 1 })),
  {
    kind: 'facts',
    facts: [
      [headings.status, plain(action.status)],
      [headings.assigned_to, words(action.assigned_to)],
      [headings.due, dayOf(action.due_date)],
      [headings.completed, by(action.completed_at, action.completed_by ?? action.completed_by_name)],
      [headings.verified, by(action.approved_at, action.approved_by ?? action.approved_by_name)],
    ],
  },
  ...labelled(headings.description, action.description),
  ...labelled(headings.evidence, action.evidence ?? '-'),
]

const reviewOf = (review: Review): Block[] => [
  heading(printed.dossier_review({ number: review.number })),
  {
    kind: 'facts',
    facts: [
      [headings.status, plain(review.status)],
      [headings.method, plain(review.method)],
      [headings.reviewer, words(review.reviewer)],
      [headings.due, dayOf(review.due_date)],
      [headings.result, review.result === null ? labels.none : plain(review.result)],
      [headings.completed, by(review.completed_at, review.completed_at === null ? null : review.reviewer)],
      [headings.signature, words(review.signature_id)],
    ],
  },
  ...labelled(headings.criteria, review.criteria),
  ...labelled(headings.conclusion, review.conclusion),
  ...labelled(headings.evidence, review.evidence),
  ...labelled(headings.follow_up, review.follow_up),
]
