import { type Static, Type } from 'typebox'
import { type ActionContext, query } from '#action'
import { type Issue, notFound } from '#kernel/errors.ts'
import { reasonOf } from '#kernel/message.ts'
import { PageParams, pageOf } from '#kernel/paging.ts'
import { IdParams } from '#kernel/schema.ts'
import { listCurrentDeputies } from '#modules/deputies'
import {
  type Absences,
  checkDefinition,
  effectiveDefinition,
  findTemplate,
  findType,
  listTypesAdmitting,
  namesIn,
  readTenantFacts,
  rehearse,
  shortfallOf,
  type WorkflowDefinition,
  weaknessesOf,
  writtenBy,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { idleGateReason, untrained } from '../core/gate.ts'
import { findGate } from '../core/gate-queries.ts'
import { findUser } from '../core/queries.ts'
import { requireReadable, type VersionAtWork } from '../core/view.ts'
import { messages } from '../messages.ts'
import { countKeeping, listKeeping } from './queries.ts'
import { firstPeople } from './workflow.ts'
import { KeepingDocuments, Preview, PreviewBody, UnsavedPreviewBody } from './workflow-schema.ts'

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

type Asking = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

async function requireTemplate(tx: Tx, id: number) {
  const template = await findTemplate(tx, id)
  if (!template) throw notFound('Workflow template')
  return template
}

/** A place in a definition as a JSON pointer. Its parts are names of fields and indexes, which need no escape. */
const pointerOf = ({ loc }: Issue) =>
  loc
    .slice(2)
    .map(part => `/${part}`)
    .join('')

/** What the types that use the template, and the one that it is tried with, require beyond the definition. */
async function listDemands(tx: Tx, template: { id: number } | undefined, type_id: number | undefined) {
  const using = template ? await listTypesAdmitting(tx, template.id) : []
  if (type_id === undefined || using.some(({ id }) => id === type_id)) return using
  const type = await findType(tx, type_id)
  if (!type) throw notFound('Document type')
  return [...using, type]
}

/** The people who are taken to be away, each with their deputy of today. */
async function absencesOf({ tx, services }: Asking, away: readonly number[]): Promise<Absences> {
  const people = await Promise.all(away.map(id => findUser(tx, id)))
  if (people.includes(undefined)) throw notFound('User')
  const deputies = await listCurrentDeputies({ tx, services }, away)
  const forApprovals = deputies.filter(({ scopes }) => scopes.includes('approvals'))
  return new Map(away.map(id => [id, forApprovals.find(({ person_id }) => person_id === id)?.deputy_id ?? null]))
}

interface Tried {
  template: NonNullable<Awaited<ReturnType<typeof findTemplate>>> | undefined
  name: string
  definition: WorkflowDefinition
}

async function tryOut(
  { tx, actor, services }: Asking,
  { template, name, definition }: Tried,
  { document_id, document_type_id, author_id, away_ids = [] }: Static<typeof PreviewBody>,
): Promise<Preview> {
  const view = document_id === undefined ? undefined : await requireReadable(tx, actor, document_id)
  if (author_id !== undefined && !(await findUser(tx, author_id))) throw notFound('User')
  const contributors = {
    ...(view ? view.atWork.instance : writtenBy(actor.userId ?? 0)),
    ...(author_id !== undefined && { authorId: author_id }),
  }
  const isItsOwn = template !== undefined && view?.atWork.version.workflow_template_id === template.id
  const tried = view && isItsOwn ? configuredFor(definition, view.atWork) : definition
  const demands = await listDemands(tx, template, document_type_id ?? view?.row.document_type.id)
  const absences = await absencesOf({ tx, actor, services }, away_ids)
  const facts = await readTenantFacts(tx, tried)
  const issues = checkDefinition(tried, facts)
  const rehearsed = rehearse(tried, contributors, facts, absences)
  const people = [...new Set(rehearsed.flatMap(({ rules }) => rules.flatMap(rule => rule.people)))]
  const lacking = view ? await untrained({ tx, services }, await findGate(tx, view.row.id), people) : new Map()
  const idle = view && (await idleGateReason({ tx, services }, view.row))
  const deputies = await listCurrentDeputies({ tx, services }, people)
  const steps = rehearsed.map(({ rules, excluded, ...step }) => ({
    ...step,
    rules: rules.map(({ people, away, ...rule }) => ({
      ...rule,
      ...firstPeople(people, facts),
      away: away.map(({ userId, deputyId }) => ({
        person: facts.personOf(userId),
        deputy: deputyId === null ? null : facts.personOf(deputyId),
      })),
    })),
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
  const document_types = demands.map(type => {
    const shortfall = shortfallOf(type, name, tried)
    return { id: type.id, name: type.name, shortfall: shortfall ? reasonOf(shortfall) : null }
  })
  return {
    template: template ? { id: template.id, name: template.name, version: template.version } : null,
    document: view ? { id: view.row.id, number: view.row.number, version: view.atWork.version.version } : null,
    author: facts.personOf(contributors.authorId),
    may_become_effective: steps.length > 0 && steps.every(({ issue }) => issue === null),
    steps,
    deputies: deputies
      .filter(({ scopes }) => scopes.includes('approvals'))
      .map(({ person_id, deputy_id, ends_on }) => ({
        person: facts.personOf(person_id),
        deputy: facts.personOf(deputy_id),
        ends_on,
      })),
    issues: issues.map(issue => ({
      path: pointerOf(issue),
      detail: issue.msg,
      code: issue.type,
      params: issue.params ?? {},
    })),
    document_types,
    names: await namesIn(tx, tried),
    warnings: [...weaknessesOf(tried, facts), ...(idle ? [idle] : [])],
  }
}

const explanation =
  'Lists, step by step from the first state to the effective one, who would have to approve and what would block an approval. Nothing is stored. `document_id`: uses the author and the configured approvals of this document; `document_type_id`: what this type requires; `author_id`: the author, by default you; `away_ids`: whether the approvals could be given without these people.'

export const preview = query({
  summary: 'Try a workflow template out on a document',
  description: `${explanation} \`definition\`: a changed template.`,
  permission: 'workflow_templates.read',
  input: { params: IdParams, body: PreviewBody },
  response: Preview,
  async run(asking, { params, body: { definition, ...body } }) {
    const template = await requireTemplate(asking.tx, params.id)
    return tryOut(asking, { template, name: template.name, definition: definition ?? template.definition }, body)
  },
})

export const previewUnsaved = query({
  summary: 'Try a workflow out that is not stored',
  description: `${explanation} \`issues\` names each error by its place, as it would be refused.`,
  permission: 'workflow_templates.read',
  input: { body: UnsavedPreviewBody },
  response: Preview,
  async run(asking, { body: { definition, name = 'Workflow', template_id, ...body } }) {
    const template = template_id === undefined ? undefined : await requireTemplate(asking.tx, template_id)
    return tryOut(asking, { template, name, definition }, body)
  },
})

/** A new version of a template changes nothing for these. */
export const keepingDocuments = query({
  summary: 'List the documents under way that follow a workflow template',
  description:
    'Versions that are not effective yet, of documents that you may read. Each keeps the version of the template that it began with.',
  permission: 'workflow_templates.read',
  input: {
    params: IdParams,
    query: Type.Object(
      {
        page: PageParams.page,
        page_size: PageParams.page_size,
        version: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      },
      { additionalProperties: false },
    ),
  },
  response: KeepingDocuments,
  async run({ tx, actor }, { params: { id }, query }) {
    await requireTemplate(tx, id)
    const asked = { template_id: id, version: query.version, actor }
    return pageOf(
      query,
      (limit, offset) => listKeeping(tx, asked, limit, offset),
      () => countKeeping(tx, asked),
    )
  },
})

/** The approvers of a step who may not decide because they lack training. */
const untrainedOf = (
  rules: readonly { people: readonly number[] }[],
  lacking: ReadonlyMap<number, readonly string[]>,
) => [...new Set(rules.flatMap(({ people }) => people.filter(userId => lacking.has(userId))))]
