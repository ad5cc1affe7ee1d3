import { type Static, Type } from 'typebox'
import { Body, ChangeFields, Day, Id, Nullable, OneOf, Person, ProofFields, Timestamp, Words } from '#kernel/schema.ts'

const ReviewOutcome = OneOf('keep_effective', 'needs_revision', 'make_obsolete')

export const PeriodicReview = Type.Object({
  id: Id,
  version: Type.String(),
  due_date: Nullable(Day),
  outcome: ReviewOutcome,
  comment: Type.String(),
  reviewer: Person,
  signature_id: Id,
  next_due_date: Nullable(Day),
  decided_at: Timestamp,
})
export type PeriodicReview = Static<typeof PeriodicReview>

export const PeriodicReviewDecision = Body({
  outcome: ReviewOutcome,
  comment: Words(2000),
  next_review_date: Type.Optional(
    Type.String({
      format: 'date',
      description: 'If the version stays effective: a day before the one that the review period of the type gives',
    }),
  ),
  revision: ChangeFields.revision,
  ...ProofFields,
})
export type PeriodicReviewDecision = Static<typeof PeriodicReviewDecision>
