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
import { minimumOf } from '../../src/modules/workflows/minimum.ts'

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
    return `| \`${json(asked).slice(1, -1)}\` | ${describeWho({ name: 'approve', from: 'in_review', to: 'approved', approval }).text} |`
  }),
].join('\n')

const minimumInWords = (template: string) => {
  const { definition } = builtinTemplates.find(({ name }) => name === template)!
  const { signature, people, author_excluded } = minimumOf(definition)
  const parts = [people === 1 ? '1 person' : `${people} people`]
  return [...parts, ...(signature ? ['signed'] : []), ...(author_excluded ? ['without the author'] : [])].join(', ')
}
const typesTable = [
  '| Type | Numbers | Workflow | Minimum approval | Periodic review | What it is |',
  '|---|---|---|---|---|---|',
  ...builtinTypes.map(({ name, prefix, workflow_template, review_period_months: months, description }) => {
    const review = months === null ? 'none' : `every ${months} months`
    return `| ${name} | \`${prefix}-0001\` | ${workflow_template} | ${minimumInWords(workflow_template)} | ${review} | ${description} |`
  }),
].join('\n')

export const workflows = [
  '# Workflows and document types',
  `Every tenant begins with these ${builtinTemplates.length} workflow templates and ${builtinTypes.length} document types; a QA Manager adds others through the API. A version of a document keeps the version of the template that it began with, whatever becomes of the template.`,
  ...builtinTemplates.map(chapterOf),
  '## What an approval can ask for',
  'One person gives one approval, which counts for one rule. A percentage is settled when the document is submitted, of the people there are then; people who may not decide about the version are not counted. `POST /api/workflow-templates/{id}/preview` says who would have to approve a given document, and `GET /api/documents/{id}/workflow` whom it waits for. A rule of the kind `group` names a group by its id, and in answers by its name: whoever is in it at that moment may decide, if they hold `documents.approve`; who leaves decides no more, and what they approved stays. A group that an approval names is not deleted. A draft that was submitted once is not cancelled any more; its author and its owner may always withdraw it.',
  rulesTable,
  '## Trying a workflow out',
  [
    '`POST /api/workflow-templates/preview` takes a definition that is not stored, and answers what would be refused: each of its `issues` has the `path` of its place (`/transitions/2/approval/rules/0/who`), a `code`, `params` and the sentence. `template_id` names the template that the definition is to change: `document_types` then says which types require more than it asks for.',
    'Both previews list who would have to approve each step. `document_id` brings the author and the configured approvals of a document, `document_type_id` what a type requires, `author_id` another author. With `away_ids`, the people who are away approve nothing, and their [deputies](deputies.md) of today decide for them where both may; `deputies` names the deputies of today of all who could approve.',
    '`GET /api/workflow-templates/{id}/versions` says who made each version, when and why, and how many versions of documents under way keep it; `GET /api/workflow-templates/{id}/documents` lists these documents, as far as the reader may read them. `names` beside a definition has the names of the users and groups that it names by ids.',
    'The page `/admin/workflows` does all of this without a program.',
  ].join('\n\n'),
  '## Who may not decide',
  [
    'Nobody decides about their own work. Where an approval excludes the author, it also excludes everyone who changed the metadata of the version, and the person who submitted it in this round. Where the author may approve, these people may too: one person alone uploads, submits and approves a general document. Where the author may not, approving a draft, which submits it at once, is refused: somebody submits it, and another person approves.',
    'Whoever chose another workflow than the default of the document type, or other approvers than those of the workflow, decides in no approval of the version while the choice holds, whatever the workflow says of the author. The choice needs a reason, it is refused where too few people would remain to approve, and choosing the default workflow again takes it back. A due date is no choice.',
    'A [deputy](deputies.md) decides for a person only where the rules let both of them decide.',
    'Refusals, the list of what awaits a person, the status of a workflow, its preview, percentages, delegations and reminders follow this one rule.',
    'An approval is orphaned when too few people are left to give it, because approvers were deactivated, changed their roles or lost a permission. Within five minutes everybody who may configure the approval and has not approved the version is notified (`document_approval_orphaned`), and it is on `GET /api/dashboard/orphaned-items`. There are two ways out, both with a reason, and neither lets its person decide: `configure-approval` names approvers anew although others have approved, whose rules and approvals stay; and `delegate` with `from` gives the part of a person who has left to another. An upload of a document type whose workflow is not active, or whose approvals could not be given for its author, is a 409 that says what is missing.',
  ].join('\n\n'),
  '## Document types',
  [
    '`workflow_template` is the default of a type, with which each version begins; `workflow_templates` lists all that a document of the type may use. Each of them must ask on every way to an effective state for the `minimum_approval` of the type: approvals by so many different `people`, one of them with a `signature`; with `author_excluded` only approvals count that the author cannot give. Two approvals count as those of different people only where one excludes the approvers of the other, and a percentage counts as one person. By default the minimum is all that the default workflow asks for, and no other workflow is admitted.',
    'A type or a workflow is not changed so that a workflow asks for less than a type that admits it: the change is a 409 that names the type, and what is missing. Approvers that are configured for one document are held to the same minimum. A version keeps the workflow that it began with, whatever is asked of its type later; but a version of a `controlled` type, which is the default, becomes effective only with an approval in its round, whatever its workflow says. The database refuses it as well.',
  ].join('\n\n'),
  typesTable,
].join('\n\n')
