import { query } from '#action'
import { messageOfIssue, notFound } from '#kernel/errors.ts'
import { reasonOf } from '#kernel/message.ts'
import { IdParams } from '#kernel/schema.ts'
import {
  checkDefinition,
  effectiveDefinition,
  findTemplate,
  issueAtPlace,
  readTenantFacts,
  rehearse,
  type WorkflowDefinition,
  weaknessesOf,
  writtenBy,
} from '#modules/workflows'
import { idleGateReason, untrained } from '../core/gate.ts'
import { findGate } from '../core/gate-queries.ts'
import { findUser } from '../core/queries.ts'
import { requireReadable, type VersionAtWork } from '../core/view.ts'
import { messages } from '../messages.ts'
import { firstPeople } from './workflow.ts'
import { Preview, PreviewBody } from './workflow-schema.ts'

const exclusion = {
  author: messages.document_author_excluded(),
  editor: messages.document_editor_excluded(),
  submitter: messages.document_submitter_excluded(),
  chooser: messages.document_chooser_excluded(),
} as const

/** The workflow with the approvals that were configured for the document, if the workflow has them. */
const configuredFor = (definition: WorkflowDefinition, { version }: VersionAtWork) =>
  version.approval_overrides
    .filter(({ transition }) => definition.transitions.some(({ name, approval }) => name === transition && approval))
    .reduce((each, override) => effectiveDefinition(each, override), definition)

export const preview = query({
  summary: 'Try a workflow template out on a document',
  description:
    'Lists, step by step from the first state to the effective one, who would have to approve and what would block an approval. Nothing is stored. `document_id`: uses the author and the configured approvals of this document; `author_id`: the author, by default you; `definition`: a changed template.',
  permission: 'workflow_templates.read',
  input: { params: IdParams, body: PreviewBody },
  response: Preview,
  async run({ tx, actor, services }, { params, body: { document_id, author_id, definition } }) {
    const template = await findTemplate(tx, params.id)
    if (!template) throw notFound('Workflow template')
    const view = document_id === undefined ? undefined : await requireReadable(tx, actor, document_id)
    if (author_id !== undefined && !(await findUser(tx, author_id))) throw notFound('User')
    const contributors = {
      ...(view ? view.atWork.instance : writtenBy(actor.userId ?? 0)),
      ...(author_id !== undefined && { authorId: author_id }),
    }
    const shown = definition ?? template.definition
    const isItsOwn = view?.atWork.version.workflow_template_id === template.id
    const tried = view && isItsOwn ? configuredFor(shown, view.atWork) : shown
    const facts = await readTenantFacts(tx, tried)
    const issues = checkDefinition(tried, facts)
    const rehearsed = rehearse(tried, contributors, facts)
    const people = [...new Set(rehearsed.flatMap(({ rules }) => rules.flatMap(rule => rule.people)))]
    const lacking = view ? await untrained({ tx, services }, await findGate(tx, view.row.id), people) : new Map()
    const idle = view && (await idleGateReason({ tx, services }, view.row))
    const steps = rehearsed.map(({ rules, excluded, ...step }) => ({
      ...step,
      rules: rules.map(({ people, ...rule }) => ({ ...rule, ...firstPeople(people, facts) })),
      excluded: [
        ...excluded.map(({ userId, part }) => ({
          person: facts.personOf(userId),
          why: reasonOf(exclusion[part]),
        })),
        ...untrainedOf(rules, lacking).map(userId => ({
          person: facts.personOf(userId),
          why: reasonOf(messages.document_training_not_valid({ programs: lacking.get(userId)! })),
        })),
      ],
    }))
    return {
      template: { id: template.id, name: template.name, version: template.version },
      document: view ? { id: view.row.id, number: view.row.number, version: view.atWork.version.version } : null,
      author: facts.personOf(contributors.authorId),
      may_become_effective: steps.length > 0 && steps.every(({ issue }) => issue === null),
      steps,
      issues: issues.map(issue => issueAtPlace(issue.loc.slice(2).join('.'), messageOfIssue(issue))),
      warnings: [...weaknessesOf(tried, facts), ...(idle ? [idle] : [])],
    }
  },
})

/** The approvers of a step who may not decide because they lack training. */
const untrainedOf = (
  rules: readonly { people: readonly number[] }[],
  lacking: ReadonlyMap<number, readonly string[]>,
) => [...new Set(rules.flatMap(({ people }) => people.filter(userId => lacking.has(userId))))]
