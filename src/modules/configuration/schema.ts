import { type Static, Type } from 'typebox'
import { configurationKinds, configurationStatuses } from '#action'
import { PageParams } from '#kernel/paging.ts'
import { Body, Id, OneOf, ProofFields, Words } from '#kernel/schema.ts'

export const ChangeFilter = Type.Object(
  {
    ...PageParams,
    kind: Type.Optional(OneOf(...configurationKinds)),
    status: Type.Optional(OneOf(...configurationStatuses)),
    proposed_by: Type.Optional(Id),
  },
  { additionalProperties: false },
)
export type ChangeFilter = Static<typeof ChangeFilter>

export const Approval = Body({ intent: Type.Optional(Words(2000)), ...ProofFields })
export const Rejection = Body({ decision_reason: Words(2000) })
export const Withdrawal = Body({ decision_reason: Type.Optional(Words(2000)) })
