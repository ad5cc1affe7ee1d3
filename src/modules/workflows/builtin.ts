import type { WorkflowDefinition } from './definition.ts'

/** A workflow template of every new tenant. */
export interface BuiltinTemplate {
  name: string
  description: string
  definition: WorkflowDefinition
}
interface BuiltinDocumentType {
  name: string
  prefix: string
  description: string
  /** The name of one of `builtinTemplates`. */
  workflow_template: string
  /** Months between periodic reviews; null where none is due. */
  review_period_months: number | null
  training_gate: 'none'
}

const draft = { name: 'draft', label: 'Draft', kind: 'initial' } as const
const inReview = { name: 'in_review', label: 'In review', kind: 'review' } as const
const inApproval = { name: 'in_approval', label: 'In approval', kind: 'review' } as const
/** From approval on, both workflows are the same. */
const released = [
  { name: 'approved', label: 'Approved', kind: 'review' },
  { name: 'effective', label: 'Effective', kind: 'effective' },
  { name: 'superseded', label: 'Superseded', kind: 'final' },
  { name: 'obsolete', label: 'Obsolete', kind: 'final' },
  { name: 'cancelled', label: 'Cancelled', kind: 'final' },
] as const

const submit = { name: 'submit', from: 'draft', to: 'in_review', permission: 'documents.submit' }
const cancel = { name: 'cancel', from: 'draft', to: 'cancelled', permission: 'documents.update' }
/** Back to draft: withdrawn by author or owner, or rejected by an approver. */
const wayBack = (from: string | string[]) => [
  { name: 'withdraw', from, to: 'draft', permission: 'documents.submit' },
  { name: 'reject', from, to: 'draft', comment_required: true },
]
const fromApproved: WorkflowDefinition['transitions'] = [
  { name: 'make_effective', from: 'approved', to: 'effective', automatic: 'on_effective_date' },
  { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' },
  { name: 'obsolete', from: 'effective', to: 'obsolete', permission: 'documents.obsolete', comment_required: true },
]

export const builtinTemplates: readonly [standard: BuiltinTemplate, gmp: BuiltinTemplate] = [
  {
    name: 'Standard approval',
    description: 'One approval by anyone who may approve documents, the author included',
    definition: {
      states: [draft, inReview, ...released],
      transitions: [
        submit,
        cancel,
        {
          name: 'approve',
          from: 'in_review',
          to: 'approved',
          approval: {
            mode: 'parallel',
            signature_required: false,
            author_may_approve: true,
            rules: [{ kind: 'permission', who: 'documents.approve', count: 1 }],
          },
        },
        ...wayBack('in_review'),
        ...fromApproved,
      ],
    },
  },
  {
    name: 'GMP two-step approval',
    description:
      'Review by someone other than the author, then a signed approval by QA, who is neither the author nor the reviewer',
    definition: {
      states: [draft, inReview, inApproval, ...released],
      transitions: [
        submit,
        cancel,
        {
          name: 'review',
          from: 'in_review',
          to: 'in_approval',
          approval: {
            mode: 'parallel',
            signature_required: true,
            signature_type: 'review',
            author_may_approve: false,
            rules: [{ kind: 'permission', who: 'documents.review', count: 1 }],
          },
        },
        {
          name: 'approve',
          from: 'in_approval',
          to: 'approved',
          approval: {
            mode: 'parallel',
            signature_required: true,
            signature_type: 'approval',
            author_may_approve: false,
            excludes_approvers_of: ['review'],
            rules: [{ kind: 'role', who: 'QA', count: 1 }],
          },
        },
        ...wayBack(['in_review', 'in_approval']),
        ...fromApproved,
      ],
    },
  },
]

const [standard, gmp] = builtinTemplates.map(({ name }) => name) as [string, string]
const none = 'none'

export const builtinTypes: readonly BuiltinDocumentType[] = [
  {
    name: 'General document',
    prefix: 'DOC',
    description: 'Any controlled document that no other type fits',
    workflow_template: standard,
    review_period_months: null,
    training_gate: none,
  },
  {
    name: 'SOP',
    prefix: 'SOP',
    description: 'Standard operating procedure: who does what, when and how, in a regulated process',
    workflow_template: gmp,
    review_period_months: 24,
    training_gate: none,
  },
  {
    name: 'Work instruction',
    prefix: 'WI',
    description: 'Step by step instruction for a single task',
    workflow_template: standard,
    review_period_months: 24,
    training_gate: none,
  },
  {
    name: 'Policy',
    prefix: 'POL',
    description: 'A commitment of the organisation',
    workflow_template: standard,
    review_period_months: 36,
    training_gate: none,
  },
  {
    name: 'Specification',
    prefix: 'SPEC',
    description: 'Requirements that a material, product or system must meet',
    workflow_template: gmp,
    review_period_months: 36,
    training_gate: none,
  },
  {
    name: 'Form',
    prefix: 'FRM',
    description: 'Blank form or template that records are made with',
    workflow_template: standard,
    review_period_months: 24,
    training_gate: none,
  },
  {
    name: 'Report',
    prefix: 'REP',
    description: 'Results and conclusions of work that is done',
    workflow_template: standard,
    review_period_months: null,
    training_gate: none,
  },
  {
    name: 'Validation protocol',
    prefix: 'VP',
    description: 'How a process, system or method is validated, and what is accepted',
    workflow_template: gmp,
    review_period_months: null,
    training_gate: none,
  },
]
