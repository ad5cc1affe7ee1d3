import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import {
  Body,
  ChangeFields,
  CommonFields,
  Day,
  DeputyFields,
  Id,
  Nullable,
  OneOf,
  Person,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { reviewMethods, reviewResults, reviewStatuses } from './rules.ts'
import { Signing } from './schema.ts'

const ReviewMethod = OneOf(...reviewMethods)
const ReviewResult = OneOf(...reviewResults)
const ReviewStatus = OneOf(...reviewStatuses)

export const EffectivenessReview = Type.Object({
  id: Id,
  capa_id: Id,
  number: Type.Integer({ description: 'The number of the review within this CAPA, from 1' }),
  status: ReviewStatus,
  criteria: Type.String(),
  method: ReviewMethod,
  due_date: Day,
  overdue: Type.Boolean(),
  reviewer: Person,
  result: Nullable(ReviewResult),
  conclusion: Nullable(Type.String()),
  evidence: Nullable(Type.String()),
  follow_up: Nullable(Type.String()),
  follow_up_capa_id: Nullable(Id),
  completed_at: Nullable(Timestamp),
  signature_id: Nullable(Id),
  ...CommonFields,
})
export type EffectivenessReview = Static<typeof EffectivenessReview>

export const ReviewShown = Type.Object({ ...EffectivenessReview.properties, you: Allowed })

const Criteria = Type.String({
  minLength: 1,
  maxLength: 10_000,
  format: 'words',
  description: 'The criteria by which the reviewer judges the effectiveness; fixed once the CAPA awaits its review',
})
const Long = Text({ maxLength: 20_000 })

export const ReviewCreate = Body({
  criteria: Criteria,
  method: ReviewMethod,
  due_date: Type.String({ format: 'date', description: 'A day where the tenant is, today or later' }),
  reviewer_id: Ref('user'),
})

export const ReviewUpdate = Body({
  criteria: Type.Optional(Criteria),
  method: Type.Optional(ReviewMethod),
  due_date: Type.Optional(Day),
  reviewer_id: Type.Optional(Ref('user')),
  result: Type.Optional(OneOf(...reviewResults)),
  conclusion: Type.Optional(Words(20_000)),
  evidence: Type.Optional(Nullable(Long)),
  follow_up: Type.Optional(Nullable(Long)),
  follow_up_capa_id: Type.Optional(Nullable(Ref('capa'))),
  ...DeputyFields,
  ...Signing,
  ...ChangeFields,
})
export type ReviewUpdate = Static<typeof ReviewUpdate>
