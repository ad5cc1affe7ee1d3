import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, DayOrMoment, Id, Nullable, OneOf, Person, ProofFields, Timestamp, Words } from '#kernel/schema.ts'
import { ReviewNarrowing } from '#modules/audit'
import { GivenSignature } from '#modules/signatures'

export const ReviewOutcome = OneOf('no_findings', 'findings')

/** The period and the filter of a review, as they were requested. */
export interface Reviewed extends Static<ReturnType<typeof Type.Object<typeof ReviewNarrowing>>> {
  date_from: string
  date_to: string
}

export const AuditReviewCreate = Body({
  date_from: DayOrMoment,
  date_to: DayOrMoment,
  filter: Type.Optional(Body(ReviewNarrowing)),
  outcome: ReviewOutcome,
  findings: Type.Optional(Words(20_000)),
  intent: Type.Optional(Words(2000)),
  ...ProofFields,
})
export type AuditReviewCreate = Static<typeof AuditReviewCreate>

export const AuditReview = Type.Object({
  id: Id,
  date_from: DayOrMoment,
  date_to: DayOrMoment,
  filter: Type.Object(ReviewNarrowing),
  outcome: ReviewOutcome,
  findings: Nullable(Type.String()),
  reviewer: Person,
  entries: Type.Integer({ description: 'How many entries of the trail were reviewed' }),
  own_entries: Type.Integer({ description: "How many of them are of the reviewer's own acts" }),
  first_seq: Type.Integer(),
  last_seq: Type.Integer(),
  entries_sha256: Type.String({
    description: 'SHA-256 of the concatenated hashes of their leaves (32 bytes each, RFC 6962), in the order of `seq`',
  }),
  checkpoint: Type.Object(
    { epoch: Type.Integer(), size: Type.Integer(), note: Type.String() },
    { description: 'The signed root of the tree that the entries are in' },
  ),
  signature: GivenSignature,
  created_at: Timestamp,
})
export type AuditReview = Static<typeof AuditReview>

export const AuditReviewDetails = Type.Object({
  ...AuditReview.properties,
  still_matches: Type.Boolean({
    description: 'The filter still finds exactly the reviewed entries, by number and hash',
  }),
  later_entries: Type.Integer({
    description: 'Matching entries that were not reviewed, because their transactions were committed after the review',
  }),
})
export type AuditReviewDetails = Static<typeof AuditReviewDetails>

/** A review matches a range that overlaps its period. */
export const AuditReviewFilter = Type.Object(
  {
    ...PageParams,
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    reviewer_id: Type.Optional(Id),
    outcome: Type.Optional(ReviewOutcome),
  },
  { additionalProperties: false },
)
export type AuditReviewFilter = Static<typeof AuditReviewFilter>
