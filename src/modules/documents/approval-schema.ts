import { type Static, Type } from 'typebox'
import {
  Body,
  ChangeFields,
  Day,
  Id,
  Nullable,
  OneOf,
  Person,
  ProofFields,
  Ref,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { ApprovalMode, ApprovalRule } from '#modules/workflows'

export const RuleNamed = Type.Object({
  kind: Type.String(),
  who: Type.Union([Type.String(), Type.Integer(), Type.Array(Type.Integer())]),
  percent: Type.Optional(Type.Integer()),
})

export const ApproveBody = Body({
  decision: Type.Optional(OneOf('approve', 'reject')),
  comment: Type.Optional(Words(2000)),
  revision: ChangeFields.revision,
  ...ProofFields,
})

export const TransitionBody = Body({
  transition: Type.String({ minLength: 1, maxLength: 40 }),
  comment: Type.Optional(Words(2000)),
  revision: ChangeFields.revision,
  ...ProofFields,
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

/** FLOW-02: transitions and decisions in the order in which they happened. */
export const HistoryEntry = Type.Object({
  kind: OneOf('transition', 'decision', 'delegation', 'delegation_ended'),
  occurred_at: Timestamp,
  version: Type.String(),
  round: Type.Integer(),
  transition: Type.String(),
  from: Nullable(Type.String()),
  to: Nullable(Type.String()),
  trigger: Nullable(OneOf('user', 'automatic')),
  decision: Nullable(OneOf('approve', 'reject')),
  is_void: Type.Boolean({ description: 'A decision that no longer counts, because the version was sent back' }),
  signature_id: Nullable(Id),
  user: Nullable(Person),
  comment: Nullable(Type.String()),
  delegation: Nullable(
    Type.Object({ from: Person, to: Person }, { description: 'Who delegated the approval to whom' }),
  ),
})
export type HistoryEntry = Static<typeof HistoryEntry>
