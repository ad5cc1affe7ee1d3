// The workflow templates and document types that every tenant begins with.
import { type BuiltinTemplate, builtinTemplates, builtinTypes } from '../../src/modules/workflows/builtin.ts'
import {
  type ApprovalGate,
  isGated,
  sourcesOf,
  triggerOf,
  type WorkflowDefinition,
} from '../../src/modules/workflows/definition.ts'
import { describeDefinition, describeWho } from '../../src/modules/workflows/describe.ts'

/** As GitHub and most Markdown viewers draw it. What happens by itself is in brackets. */
function diagramOf({ states, transitions }: WorkflowDefinition): string {
  const ways = transitions.flatMap(transition => {
    const label = isGated(transition) || triggerOf(transition) === 'by_hand' ? transition.name : `[${transition.name}]`
    return sourcesOf(transition).map(from => `  ${from} --> ${transition.to}: ${label}`)
  })
  const begins = states.filter(({ kind }) => kind === 'initial').map(({ name }) => `  [*] --> ${name}`)
  const ends = states.filter(({ kind }) => kind === 'final').map(({ name }) => `  ${name} --> [*]`)
  return ['```mermaid', 'stateDiagram-v2', ...begins, ...ways, ...ends, '```'].join('\n')
}

const chapterOf = ({ name, description, definition }: BuiltinTemplate) =>
  [`## ${name}`, `${description}.`, diagramOf(definition), describeDefinition(definition)].join('\n\n')

type Asked = Partial<ApprovalGate> & Pick<ApprovalGate, 'rules'>
/** The possible approvals, which the service describes itself. */
const asking: Asked[] = [
  { rules: [{ kind: 'role', who: 'QA', count: 2 }] },
  { rules: [{ kind: 'user', who: [11, 12, 13], count: 2 }] },
  { rules: [{ kind: 'permission', who: 'documents.review', percent: 50 }] },
  { rules: [{ kind: 'group', who: 7, count: 2 }] },
  {
    rules: [
      { kind: 'role', who: 'QA' },
      { kind: 'user', who: 11 },
    ],
    mode: 'sequential',
  },
  {
    rules: [{ kind: 'role', who: 'QA' }],
    due_days: 5,
    remind_days_before: 1,
    escalate_to: { kind: 'role', who: 'QA Manager' },
  },
]
const json = (value: unknown) =>
  JSON.stringify(value)
    .replaceAll('":', '": ')
    .replaceAll(/,(?=["{])/g, ', ')
const rulesTable = [
  '| An approval with | is in words |',
  '|---|---|',
  ...asking.map(asked => {
    const approval: ApprovalGate = { mode: 'parallel', signature_required: false, author_may_approve: false, ...asked }
    return `| \`${json(asked).slice(1, -1)}\` | ${describeWho({ name: 'approve', from: 'in_review', to: 'approved', approval })} |`
  }),
].join('\n')

const typesTable = [
  '| Type | Numbers | Workflow | Periodic review | What it is |',
  '|---|---|---|---|---|',
  ...builtinTypes.map(({ name, prefix, workflow_template, review_period_months: months, description }) => {
    const review = months === null ? 'none' : `every ${months} months`
    return `| ${name} | \`${prefix}-0001\` | ${workflow_template} | ${review} | ${description} |`
  }),
].join('\n')

export const workflows = [
  '# Workflows and document types',
  `Every tenant begins with these ${builtinTemplates.length} workflow templates and ${builtinTypes.length} document types; a QA Manager adds others through the API. A version of a document keeps the version of the template that it began with, whatever becomes of the template.`,
  ...builtinTemplates.map(chapterOf),
  '## What an approval can ask for',
  'One person gives one approval, which counts for one rule. A percentage is settled when the document is submitted, of the people there are then; the author is not counted where the author may not approve. `POST /api/workflow-templates/{id}/preview` says who would have to approve a given document, and `GET /api/documents/{id}/workflow` whom it waits for. A rule of the kind `group` names a group by its id, and in answers by its name: whoever is in it at that moment may decide, if they hold `documents.approve`; who leaves decides no more, and what they approved stays. A group that an approval names is not deleted. A draft that was submitted once is not cancelled any more; its author and its owner may always withdraw it.',
  rulesTable,
  '## Document types',
  typesTable,
].join('\n\n')
