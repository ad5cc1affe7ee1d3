import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { DayOrMoment, Id, Nullable, OneOf, Person, Ref, Timestamp } from '#kernel/schema.ts'
import { asOf, Reconstruction } from '#modules/audit'
import { Assignment } from '../assignments/schema.ts'
import { assignmentStates } from '../rules.ts'
import { Format } from './exports.ts'

export const RecordParams = Type.Object({ user_id: Ref('user') })

export const RecordFilter = Type.Object(
  {
    ...PageParams,
    status: Type.Optional(OneOf(...assignmentStates)),
    training_id: Type.Optional(Id),
    is_valid: Type.Optional(Type.Boolean({ description: 'True if the person counts as trained by it today' })),
    date_from: Type.Optional(DayOrMoment),
    date_to: Type.Optional(DayOrMoment),
    format: Type.Optional(Format),
    as_of: asOf,
  },
  { additionalProperties: false },
)
export type RecordFilter = Static<typeof RecordFilter> & { assigned_by_then?: string; assignment_id?: number }

/** 21 CFR 11.50: the signer, the time and the meaning. */
const RecordSignature = Type.Object({
  id: Id,
  signer: Type.Object({ username: Type.String(), full_name: Nullable(Type.String()) }),
  meaning: Type.String(),
  intent: Type.String(),
  signed_at: Timestamp,
  verification_code: Type.String(),
  is_void: Type.Boolean(),
})
export type RecordSignature = Static<typeof RecordSignature>

const Attempt = Type.Object({
  attempt_number: Type.Integer(),
  score: Type.Integer(),
  passed: Type.Boolean(),
  quiz_version: Type.Integer(),
  submitted_at: Timestamp,
})

export const RecordEntry = Type.Object({
  ...Assignment.properties,
  signature: Nullable(RecordSignature),
  verification_signature: Nullable(RecordSignature),
  quiz_attempts: Type.Array(Attempt),
})
export type RecordEntry = Static<typeof RecordEntry>

export const TrainingRecord = Type.Object({
  user: Person,
  role: Type.Optional(Type.String({ description: 'The role of today; missing in an answer as of another time' })),
  is_active: Type.Optional(Type.Boolean({ description: 'Today: missing in an answer as of another time' })),
  items: Type.Array(RecordEntry),
  page: Type.Integer(),
  page_size: Type.Integer(),
  total: Type.Integer(),
  pages: Type.Integer(),
  reconstruction: Type.Optional(Reconstruction),
})
