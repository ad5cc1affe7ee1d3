import { type Static, Type } from 'typebox'
import { AllowedFor } from '#action/allowed.ts'
import { signatureTypes } from '#kernel/catalogue.ts'
import {
  Body,
  Day,
  Id,
  Nullable,
  OneOf,
  Page,
  Person,
  Reason,
  Ref,
  Said,
  saidIn,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { Names, TrainingGate, WorkflowDefinition } from '#modules/workflows'
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

const tried = {
  document_id: Type.Optional(Ref('document')),
  document_type_id: Type.Optional(Ref('document_type')),
  author_id: Type.Optional(Ref('user')),
  away_ids: Type.Optional(
    Type.Array(Ref('user'), {
      maxItems: 50,
      uniqueItems: true,
      description: 'People who are taken to be away: their deputies of today decide for them, if both may',
    }),
  ),
}

export const PreviewBody = Body({ ...tried, definition: Type.Optional(WorkflowDefinition) })

export const UnsavedPreviewBody = Body({
  ...tried,
  definition: WorkflowDefinition,
  name: Type.Optional(Words(120)),
  template_id: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, 'x-references': 'workflow_template' },
      description: 'The template that the definition is to change: what its document types require is checked too',
    }),
  ),
})

const PreviewStep = Type.Object({
  state: Type.String(),
  transition: Type.String(),
  to: Type.String(),
  in_words: Said,
  rules: Type.Array(
    Type.Object({
      in_words: Said,
      needed: Type.Integer(),
      ...People.properties,
      away: Type.Array(Type.Object({ person: Person, deputy: Nullable(Person) }), {
        description: 'The people of `away_ids` whom the rule names; null where no deputy could decide for them',
      }),
    }),
  ),
  excluded: Type.Array(Type.Object({ person: Person, why: Reason })),
  issue: Nullable(Said),
})

/** The answer of both previews. */
export const Preview = Type.Object({
  template: Nullable(Type.Object({ id: Id, name: Type.String(), version: Type.Integer() })),
  document: Nullable(Type.Object({ id: Id, number: Type.String(), version: Type.String() })),
  author: Person,
  may_become_effective: Type.Boolean(),
  steps: Type.Array(PreviewStep),
  deputies: Type.Array(Type.Object({ person: Person, deputy: Person, ends_on: Day }), {
    description: 'The deputies of today of the people who could approve',
  }),
  issues: Type.Array(
    Type.Object(
      {
        path: Type.String({
          description:
            'The place in the definition, as a JSON pointer (RFC 6901): `/transitions/2/approval/rules/0/who`',
        }),
        detail: Type.String(),
        code: Type.String(),
        params: Type.Record(Type.String(), Type.Unknown()),
      },
      saidIn({ text: 'detail' }),
    ),
    { description: 'Errors of the workflow, with the people of today' },
  ),
  document_types: Type.Array(Type.Object({ id: Id, name: Type.String(), shortfall: Nullable(Reason) }), {
    description:
      'The document types that use the template, and that of the request; `shortfall`: what the workflow asks for less than the type requires',
  }),
  names: Names,
  warnings: Type.Array(Said, {
    description:
      'Valid rules that may still leave a document without approvers, and a training gate that waits for nobody',
  }),
})
export type Preview = Static<typeof Preview>

/** The documents that keep a version of a template. */
export const KeepingDocuments = Page(
  Type.Object({
    id: Id,
    number: Type.String(),
    title: Type.String(),
    version: Type.String(),
    status: Type.String(),
    template_version: Type.Integer(),
  }),
)
