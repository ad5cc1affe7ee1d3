// Documents without a database, for tests of the plans of their transitions.
import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { nobody, type TenantFacts, type WorkflowDefinition } from '#modules/workflows'
import type { DecisionFacts } from '../../../src/modules/documents/approvals/plan.ts'
import { atWorkOf, type VersionAtWork } from '../../../src/modules/documents/core/view.ts'
import type { Effect, Plan, Refusal } from '../../../src/modules/documents/lifecycle/plan.ts'
import { ruleNames } from '../../../src/modules/workflows/approvers.ts'
import { builtinTemplates } from '../../../src/modules/workflows/builtin.ts'

export type Version = VersionAtWork['version']

const author: Permission[] = ['documents.read', 'documents.submit', 'documents.update', 'documents.transition']
const qa: Permission[] = [...author, 'documents.approve', 'documents.review']
const actor = (userId: number, username: string, roles: string[], permissions: Permission[]): Actor => ({
  tenantId: 1,
  userId,
  username,
  fullName: null,
  role: roles[0]!,
  roles,
  isAdmin: false,
  permissions: new Set(permissions),
  authTime: 0,
})
export const people = {
  alan: actor(1, 'alan', ['Author'], author),
  petra: actor(2, 'petra', ['Author'], [...author, 'documents.approve', 'documents.review']),
  quentin: actor(3, 'quentin', ['QA', 'Author'], qa),
  quinn: actor(4, 'quinn', ['QA Manager', 'QA', 'Author'], [...qa, 'documents.obsolete']),
  uma: actor(5, 'uma', ['User'], ['documents.read']),
}
export type Name = keyof typeof people

const participant = ({ userId, roles, permissions }: Actor) => ({ userId: userId!, roles, permissions, groupIds: [] })
export const facts: TenantFacts = {
  peopleFor: rule =>
    new Set(
      Object.values(people)
        .map(participant)
        .filter(each => each.permissions.has('documents.approve') && ruleNames(rule, each))
        .map(({ userId }) => userId),
    ),
  nameOf: (id, kind) => (kind ? `group ${id}` : Object.values(people).find(({ userId }) => userId === id)!.username),
}

const [{ definition: standard }, { definition: gmp }] = builtinTemplates

/** A template with other terms of its approvals. */
const withApproval = (
  definition: WorkflowDefinition,
  name: string,
  change: Partial<NonNullable<WorkflowDefinition['transitions'][number]['approval']>>,
): WorkflowDefinition => ({
  ...definition,
  transitions: definition.transitions.map(each =>
    each.approval && each.name === name ? { ...each, approval: { ...each.approval, ...change } } : each,
  ),
})

export const templates = {
  standard,
  gmp,
  sequential: withApproval(standard, 'approve', {
    mode: 'sequential',
    author_may_approve: false,
    rules: [
      { kind: 'user', who: people.petra.userId! },
      { kind: 'role', who: 'QA' },
    ],
    due_days: 5,
  }),
  percentage: withApproval(standard, 'approve', {
    author_may_approve: false,
    signature_required: true,
    signature_type: 'approval',
    rules: [{ kind: 'permission', who: 'documents.approve', percent: 60 }],
  }),
} satisfies Record<string, WorkflowDefinition>
export type TemplateName = keyof typeof templates

export const today = '2026-03-02'
export const now = '2026-03-02T09:00:00.000Z'

/** A version in a state of its workflow; by default the first draft by alan. */
export function versionIn(definition: WorkflowDefinition, change: Partial<Version> = {}): Version {
  const status = change.status ?? 'draft'
  const { kind } = definition.states.find(({ name }) => name === status)!
  return {
    ...{
      id: 11,
      document_id: 7,
      number: 'SOP-00001',
      owner_id: 1,
      document_type_id: 1,
      version: '1.0',
      title: 'Cleaning',
    },
    ...{
      category: null,
      description: null,
      keywords: [],
      file_key: 'a',
      file_size: 1,
      sha256: 'b',
      is_file_removed: false,
    },
    ...{ status, status_kind: kind, round: kind === 'initial' ? 0 : 1, content_revision: 1, created_by: 1 },
    ...{ effective_date: null, is_waiting: false, approval_due_date: null, approval_notice: null },
    ...{ approval_notice_on: null, review_due_date: null, review_notice_on: null, content_fixed_at: null },
    ...{ workflow_template_id: 1, workflow_template_version: 1, workflow_template_name: 'Template' },
    ...{ approval_overrides: [], approval_counts: {}, delegations: [], approvals: [], voided_approvals: [] },
    ...{ submitted_by: kind === 'initial' ? null : 1, edited_by: [], approval_chosen_by: [] },
    ...change,
  }
}

export const approvalBy = (name: Name, transition: string, signature_id: number | null = null) => ({
  id: people[name].userId!,
  transition,
  rules: [0],
  user: { id: people[name].userId!, username: name, full_name: null },
  on_behalf_of: null,
  signature_id,
})

/** The facts of a plan about this version, asked for by this person. */
export const factsAbout = (
  definition: WorkflowDefinition,
  version: Version,
  { by = 'alan', ...change }: Partial<Omit<DecisionFacts, 'actor'>> & { by?: Name } = {},
): DecisionFacts => ({
  actor: people[by],
  document: {
    ...{ id: version.document_id, number: version.number, document_type_id: version.document_type_id, revision: 4 },
    ...{ effective_version_id: null, latest_version_id: version.id },
  },
  atWork: atWorkOf(version, definition, []),
  effective: undefined,
  once_effective_id: null,
  review_period_months: 24,
  is_controlled: true,
  training_gate: undefined,
  people: facts,
  blocked: undefined,
  today,
  now,
  ...change,
})
export const withoutPeople = nobody

const listed = (ids: readonly number[]) =>
  ids
    .map(id => Object.values(people).find(({ userId }) => userId === id)!.username)
    .sort()
    .join(' ')

function lineOf(effect: Effect): string[] {
  switch (effect.kind) {
    case 'sign':
      return [`sign ${effect.signature_type}, round ${effect.signable.round}: ${effect.intent}`]
    case 'store_decision': {
      const { decision, assignees } = effect
      const asked = assignees.length > 0 ? `; asks ${listed(assignees)}` : ''
      return [`${decision.decision} ${decision.transition} in round ${decision.round}${asked}`]
    }
    case 'withdraw_approval':
      return [`withdraw ${effect.id}, later [${effect.later.join()}]; void signatures [${effect.signature_ids.join()}]`]
    case 'void_round':
      return [`void signatures [${effect.signature_ids.join()}] of ${effect.version_id}: ${effect.reason}`]
    case 'change_state': {
      const { version_id, from, changes, history, is_signed, assignees } = effect
      const asked = assignees.length > 0 ? `; asks ${listed(assignees)}` : ''
      const due = changes.approval_due_date ? `; due ${changes.approval_due_date}` : ''
      const signed = is_signed ? ', signed' : ''
      return [`${version_id} ${history.transition}: ${from} -> ${changes.status}${signed}${asked}${due}`]
    }
    case 'set_pointers': {
      const { kind: _kind, ...pointers } = effect
      return Object.entries(pointers).map(([name, id]) => `${name} = ${id}`)
    }
    case 'release_training':
      return [`training of ${effect.version.version_id}: ${effect.as}`]
    case 'recall_copies':
      return [`recall copies of ${effect.version.version_id}`]
    case 'advance_if_trained':
      return [
        `if ${effect.threshold} % are trained on ${effect.version.version_id}:`,
        ...linesOf(effect.trained).map(line => `  ${line}`),
        ...(effect.otherwise.length > 0 ? ['otherwise:', ...linesOf(effect.otherwise).map(line => `  ${line}`)] : []),
      ]
  }
}
const linesOf = (effects: readonly Effect[]): string[] => effects.flatMap(lineOf)

/** A plan as a person reads it, or the status and code of the refusal. */
export const shown = (planned: Plan | Refusal): string[] =>
  planned.ok ? linesOf(planned.effects) : [`${planned.status} ${planned.message.code}`]
