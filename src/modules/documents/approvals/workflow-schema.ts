import { type Static, Type } from 'typebox'
import { AllowedFor } from '#action/allowed.ts'
import { signatureTypes } from '#kernel/catalogue.ts'
import { Body, Day, Id, Nullable, OneOf, Person, Reason, Ref, Said, Timestamp } from '#kernel/schema.ts'
import { TrainingGate, WorkflowDefinition } from '#modules/workflows'
import { RuleNamed } from '../core/schema.ts'

export const maxPeople = 20

const People = Type.Object(
  { people: Type.Array(Person), total: Type.Integer() },
  { description: `The first ${maxPeople}, and how many there are` },
)

const Rule = Type.Object({
  rule: RuleNamed,
  in_words: Said,
  needed: Type.Integer({ description: 'A percentage before the submission is counted as of today' }),
  given: Type.Array(
    Type.Object({
      user: Person,
      decided_at: Timestamp,
      signature_id: Nullable(Id),
      for: Nullable(Person),
    }),
    { description: '`for`: the person who delegated the approval, or for whom a deputy gave it' },
  ),
  missing: Type.Integer(),
  may_decide_now: People,
})

const Approval = Type.Object({
  transition: Type.String(),
  label: Type.String(),
  from: Type.Array(Type.Object({ name: Type.String(), label: Type.String() }), {
    description: 'The states in which a version waits for this approval',
  }),
  to: Type.String(),
  mode: Type.String(),
  status: OneOf('given', 'pending', 'ahead'),
  signature_type: Nullable(
    Type.Enum([...signatureTypes], { description: 'The meaning of the signature; null where none is asked for' }),
  ),
  intent: Nullable(Type.String({ description: 'What is signed beside the meaning, unless the approver comments' })),
  rules: Type.Array(Rule),
})

/** GET /api/documents/{id}/workflow. */
export const WorkflowAnswer = Type.Object({
  document: Type.Object({ id: Id, number: Type.String(), title: Type.String() }),
  version: Type.String(),
  state: Type.Object({ name: Type.String(), label: Type.String(), kind: Type.String() }),
  round: Type.Integer(),
  due_date: Nullable(Day),
  overdue: Type.Boolean(),
  summary: Said,
  waits_for: Type.Array(Said),
  training: Nullable(
    Type.Object(
      {
        gate: TrainingGate,
        in_words: Said,
        threshold: Nullable(Type.Integer()),
        assigned: Nullable(Type.Integer()),
        completed: Nullable(Type.Integer()),
        not_trained: Type.Array(Type.Object({ person: Person, lacks: Type.Array(Type.String()) }), {
          description: 'People who could decide now if they had the training',
        }),
      },
      { description: 'The training gate; null if the document has none' },
    ),
  ),
  approvals: Type.Array(Approval),
  delegations: Type.Array(Type.Object({ transition: Type.String(), from: Person, to: Person })),
  you: Type.Object({
    may: Type.Array(Type.String(), {
      description: '`approve` and `reject` if you may decide, and the transitions that you may take',
    }),
    why_not: Nullable(Reason),
    for: AllowedFor,
  }),
  ways: Type.Array(
    Type.Object({
      transition: Type.String(),
      label: Type.String(),
      to: Type.String(),
      in_words: Said,
      you_may: Type.Boolean(),
    }),
  ),
  decisions: Type.Array(
    Type.Object({
      in_words: Said,
      transition: Type.String(),
      decision: OneOf('approve', 'reject'),
      user: Person,
      on_behalf_of: Nullable(Person),
      comment: Nullable(Type.String()),
      decided_at: Timestamp,
      signature_id: Nullable(Id),
      is_void: Type.Boolean(),
    }),
    { description: 'The decisions of the current round, or of the last one if the version went back' },
  ),
})
export type WorkflowAnswer = Static<typeof WorkflowAnswer>

export const PreviewBody = Body({
  document_id: Type.Optional(Ref('document')),
  author_id: Type.Optional(Ref('user')),
  definition: Type.Optional(WorkflowDefinition),
})

/** POST /api/workflow-templates/{id}/preview. */
export const Preview = Type.Object({
  template: Type.Object({ id: Id, name: Type.String(), version: Type.Integer() }),
  document: Nullable(Type.Object({ id: Id, number: Type.String(), version: Type.String() })),
  author: Person,
  may_become_effective: Type.Boolean(),
  steps: Type.Array(
    Type.Object({
      state: Type.String(),
      transition: Type.String(),
      to: Type.String(),
      in_words: Said,
      rules: Type.Array(Type.Object({ in_words: Said, needed: Type.Integer(), ...People.properties })),
      excluded: Type.Array(Type.Object({ person: Person, why: Reason })),
      issue: Nullable(Said),
    }),
  ),
  issues: Type.Array(Said, {
    description: 'Errors of the workflow, with the people of today',
  }),
  warnings: Type.Array(Said, {
    description:
      'Valid rules that may still leave a document without approvers, and a training gate that waits for nobody',
  }),
})
