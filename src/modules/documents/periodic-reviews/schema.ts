import { type Static, Type } from 'typebox'
import { Body, ChangeFields, DeputyFields, ProofFields, Words } from '#kernel/schema.ts'
import { PeriodicReview } from '../core/schema.ts'

export const PeriodicReviewDecision = Body({
  outcome: PeriodicReview.properties.outcome,
  comment: Words(2000),
  next_review_date: Type.Optional(
    Type.String({
      format: 'date',
      description: 'If the version stays effective: a day before the one that the review period of the type gives',
    }),
  ),
  revision: ChangeFields.revision,
  ...DeputyFields,
  ...ProofFields,
})
export type PeriodicReviewDecision = Static<typeof PeriodicReviewDecision>
