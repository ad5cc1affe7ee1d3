import { type Static, Type } from 'typebox'
import { Body, Day, Id, Nullable, OneOf, Person, Reason, Ref, Timestamp } from '#kernel/schema.ts'
import { TrainingGate, WorkflowDefinition } from '#modules/workflows'
import { RuleNamed } from './approval-schema.ts'

export const most_people = 20

const People = Type.Object(
  { people: Type.Array(Person), total: Type.Integer() },
  { description: `The first ${most_people}, and how many there are` },
)

const Rule = Type.Object({
  rule: RuleNamed,
  in_words: Type.String(),
  needed: Type.Integer({ description: 'Of a percentage before the submission: as it would be today' }),
  given: Type.Array(
    Type.Object({
      user: Person,
      decided_at: Timestamp,
      signature_id: Nullable(Id),
      for: Nullable(Person),
    }),
    { description: '`for`: whose part it was, where it was handed on' },
  ),
  missing: Type.Integer(),
  may_decide_now: People,
})

const Approval = Type.Object({
  transition: Type.String(),
  to: Type.String(),
  mode: Type.String(),
  status: OneOf('given', 'pending', 'ahead'),
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
  summary: Type.String(),
  waits_for: Type.Array(Type.String()),
  training: Nullable(
    Type.Object(
      {
        gate: TrainingGate,
        in_words: Type.String(),
        threshold: Nullable(Type.Integer()),
        assigned: Nullable(Type.Integer()),
        completed: Nullable(Type.Integer()),
        not_trained: Type.Array(Type.Object({ person: Person, lacks: Type.Array(Type.String()) }), {
          description: 'Of those who could decide now, who may not for want of training',
        }),
      },
      { description: 'What training keeps back; null where it keeps back nothing' },
    ),
  ),
  approvals: Type.Array(Approval),
  delegations: Type.Array(Type.Object({ transition: Type.String(), from: Person, to: Person })),
  you: Type.Object({
    may: Type.Array(Type.String(), {
      description: '`approve` and `reject` where the decision is yours, and transitions',
    }),
    why_not: Nullable(Reason),
  }),
  ways: Type.Array(
    Type.Object({ transition: Type.String(), to: Type.String(), in_words: Type.String(), you_may: Type.Boolean() }),
  ),
  decisions: Type.Array(
    Type.Object({
      in_words: Type.String(),
      transition: Type.String(),
      decision: OneOf('approve', 'reject'),
      user: Person,
      comment: Nullable(Type.String()),
      decided_at: Timestamp,
      signature_id: Nullable(Id),
      is_void: Type.Boolean(),
    }),
    { description: 'Of this round, or of the last one where the version went back' },
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
      in_words: Type.String(),
      rules: Type.Array(Type.Object({ in_words: Type.String(), needed: Type.Integer(), ...People.properties })),
      excluded: Type.Array(Type.Object({ person: Person, why: Reason })),
      issue: Nullable(Type.String()),
    }),
  ),
  issues: Type.Array(Type.String(), {
    description: 'What is wrong with the workflow as it is, with the people of today',
  }),
  warnings: Type.Array(Type.String(), {
    description: 'What is sound and still may leave a document without approvers',
  }),
})
