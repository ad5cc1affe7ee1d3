import { type Static, Type } from 'typebox'
import { signatureTypes } from '#kernel/catalogue.ts'
import { Body, Id, OneOf, Ref, Words } from '#kernel/schema.ts'

const Name = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,39}$',
  examples: ['in_review'],
  description: 'Lower-case letters, digits and _',
})

/** A state that waits for the effective date or for training is also of kind `review`. */
export const StateKind = OneOf('initial', 'review', 'effective', 'final')
export type StateKind = Static<typeof StateKind>

export const State = Body({
  name: Name,
  label: Words(80),
  kind: StateKind,
})
export type State = Static<typeof State>

/** The meaning of a signature on an approval (21 CFR 11.50). */
export const SignatureType = OneOf(...signatureTypes)
export type SignatureType = Static<typeof SignatureType>

/** The number of approvals is `count`, or `percent` of the people whom the rule names when the round begins; the default is one. */
export const ApprovalRule = Body({
  kind: OneOf('role', 'user', 'group', 'permission'),
  who: Type.Union([Words(120), Id, Type.Array(Ref('user'), { minItems: 1, maxItems: 50 })], {
    description: 'The name of a role or a permission; the id of a user or a group; the ids of several users',
  }),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'The number of different people' })),
  percent: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Instead of count: the percentage of the people whom the rule names at the submission, rounded up',
    }),
  ),
})
export type ApprovalRule = Static<typeof ApprovalRule>

/** The people to notify of an overdue approval. */
const EscalationTarget = Body({
  kind: OneOf('role', 'user', 'permission'),
  who: ApprovalRule.properties.who,
})

export const ApprovalMode = OneOf('parallel', 'sequential')
const ApprovalRules = Type.Array(ApprovalRule, { minItems: 1, maxItems: 10 })

/** The approvals that a transition needs. One person's approval counts for one rule only. */
export const ApprovalGate = Body({
  mode: ApprovalMode,
  signature_required: Type.Boolean(),
  signature_type: Type.Optional(SignatureType),
  author_may_approve: Type.Boolean(),
  excludes_approvers_of: Type.Optional(
    Type.Array(Name, {
      maxItems: 60,
      uniqueItems: true,
      description: 'Transitions whose approvers may not approve this one in the same round',
    }),
  ),
  rules: ApprovalRules,
  due_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 365, description: 'The approval is due this many days after its beginning' }),
  ),
  remind_days_before: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30,
      description: 'Approvers are reminded this many days before; the default is 2',
    }),
  ),
  escalate_to: Type.Optional(EscalationTarget),
})
export type ApprovalGate = Static<typeof ApprovalGate>

export const Transition = Body({
  name: Name,
  label: Type.Optional(Words(80)),
  from: Type.Union([Name, Type.Array(Name, { minItems: 1, maxItems: 30, uniqueItems: true })]),
  to: Name,
  permission: Type.Optional(Words(80)),
  comment_required: Type.Optional(Type.Boolean()),
  automatic: Type.Optional(OneOf('on_approval', 'on_effective_date', 'on_training_complete', 'on_supersede')),
  approval: Type.Optional(ApprovalGate),
})
export type Transition = Static<typeof Transition>
export type GatedTransition = Transition & { approval: ApprovalGate }

/** The states and transitions of a workflow template (FLOW-01). `checkDefinition` checks the rules beyond this schema. */
export const WorkflowDefinition = Body({
  states: Type.Array(State, { minItems: 1, maxItems: 30 }),
  transitions: Type.Array(Transition, { minItems: 1, maxItems: 60 }),
})
export type WorkflowDefinition = Static<typeof WorkflowDefinition>

/** What a page shows in the place of ids. */
export const Names = Type.Object(
  {
    users: Type.Record(Type.String(), Type.String()),
    groups: Type.Record(Type.String(), Type.String()),
  },
  { description: 'The names of the users and groups that the definition names by their ids' },
)

/** A transition is triggered by a person or automatically. An approval implies `on_approval`. */
export type Trigger = 'by_hand' | NonNullable<Transition['automatic']>
export const triggerOf = ({ automatic, approval }: Transition): Trigger =>
  automatic ?? (approval ? 'on_approval' : 'by_hand')

export const transitionLabel = ({ name, label }: Pick<Transition, 'name' | 'label'>) =>
  label ?? `${name[0]!.toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`

export const isGated = (transition: Transition): transition is GatedTransition => transition.approval !== undefined
export const sourcesOf = ({ from }: Transition): readonly string[] => (typeof from === 'string' ? [from] : from)
export const transitionsFrom = (definition: WorkflowDefinition, state: string): Transition[] =>
  definition.transitions.filter(transition => sourcesOf(transition).includes(state))

/** The states that can be reached from these, including themselves, by transitions that pass `follow`. */
export function reachableFrom(
  definition: WorkflowDefinition,
  states: Iterable<string>,
  follow: (transition: Transition) => boolean = () => true,
): Set<string> {
  const reached = new Set(states)
  for (const state of reached)
    for (const transition of transitionsFrom(definition, state)) if (follow(transition)) reached.add(transition.to)
  return reached
}

/** An approval that is named `approve` would be approved twice in one sentence. */
export const stepName = (step: string) => (step === 'approve' ? 'approval' : step)
