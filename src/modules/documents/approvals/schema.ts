import { type Static, Type } from 'typebox'
import { Body, ChangeFields, Day, DeputyFields, OneOf, ProofFields, Reason, Ref, Words } from '#kernel/schema.ts'
import { ApprovalMode, ApprovalRule } from '#modules/workflows'
import { Document } from '../core/schema.ts'

/** The document after a decision or a transition. */
export const MovedDocument = Type.Object({
  ...Document.properties,
  warnings: Type.Array(Reason, { description: 'After a submission: what the version will not wait for' }),
})

export const ApproveBody = Body({
  decision: Type.Optional(OneOf('approve', 'reject')),
  comment: Type.Optional(Words(2000)),
  revision: ChangeFields.revision,
  ...DeputyFields,
  ...ProofFields,
})

export const WithdrawApprovalBody = Body({
  reason: Words(2000),
  revision: ChangeFields.revision,
  ...ProofFields,
})

export const TransitionBody = Body({
  transition: Type.String({ minLength: 1, maxLength: 40 }),
  comment: Type.Optional(Words(2000)),
  revision: ChangeFields.revision,
  ...ProofFields,
  ...DeputyFields,
})

export const ConfigureApproval = Body({
  workflow_template_id: Type.Optional(Ref('workflow_template')),
  transition: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'The approval step; by default the next one' }),
  ),
  approvers: Type.Optional(Type.Array(ApprovalRule, { minItems: 1, maxItems: 10 })),
  mode: Type.Optional(ApprovalMode),
  due_date: Type.Optional(
    Type.Union([Day, Type.Null()], {
      description:
        'The day, in the time zone of the tenant, on which the approval is due; null is the due date of the template',
    }),
  ),
  ...ChangeFields,
})
export type ConfigureApproval = Static<typeof ConfigureApproval>

export const DelegateBody = Body({
  to: Ref('user'),
  from: Type.Optional(Ref('user')),
  reason: Words(2000),
  revision: ChangeFields.revision,
})

export const EndDelegationBody = Body({
  from: Type.Optional(Ref('user')),
  reason: Type.Optional(Words(2000)),
  revision: ChangeFields.revision,
})
