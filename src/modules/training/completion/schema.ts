import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { Body, Nullable, ProofFields, Words } from '#kernel/schema.ts'
import { Assignment } from '../assignments/schema.ts'
import { Key, maxOptions, maxQuestions } from '../programs/schema.ts'

const Signing = { ...ProofFields, intent: Type.Optional(Words(2000)) }
const Revision = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'The revision of the assignment; a stale one is a 409',
  }),
)

export const Completion = Body({
  answers: Type.Optional(
    Type.Array(Body({ question: Key, options: Type.Array(Key, { maxItems: maxOptions, uniqueItems: true }) }), {
      maxItems: maxQuestions,
      description: 'By the keys of the questions and of their options; a missing answer is wrong',
    }),
  ),
  quiz_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The version of the questions that are answered' }),
  ),
  document_version: Type.Optional(
    Type.String({
      pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$',
      examples: ['1.0'],
      description: 'The version that was read; another one than that of the assignment is a 409',
    }),
  ),
  ...Signing,
  revision: Revision,
})
export type Completion = Static<typeof Completion>

export const AssignmentShown = Type.Object({ ...Assignment.properties, you: Allowed })
export type AssignmentShown = Static<typeof AssignmentShown>

export const CompletionResult = Type.Object({
  ...Assignment.properties,
  passed: Type.Boolean(),
  attempts_left: Nullable(Type.Integer({ description: 'null without questions, or if the assignment has ended' })),
})
export type CompletionResult = Static<typeof CompletionResult>

export const Verification = Body({ comment: Type.Optional(Words(2000)), ...Signing, revision: Revision })
export type Verification = Static<typeof Verification>
