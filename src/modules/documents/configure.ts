import { command } from '#action'
import { AppError, conflict, type Issue, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import {
  type ApprovalOverride,
  checkDefinition,
  effectiveDefinition,
  findDefinition,
  findTemplate,
  readTenantFacts,
  type WorkflowDefinition,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { updateWorkflow } from './queries.ts'
import { isUnderWay } from './rules.ts'
import { ConfigureApproval, Document } from './schema.ts'
import { finish, lockForWork, nextRevision, type VersionAtWork } from './view.ts'

type Version = VersionAtWork['version']

export const configureApproval = command({
  summary: 'Configure the approval of a document',
  description:
    'Another workflow template, or other approvers than the template names; only before the first approval of the version that is under way.',
  permission: 'documents.configure_approval',
  input: { params: IdParams, body: ConfigureApproval },
  response: Document,
  async run(context, { params, body }) {
    const { tx, record } = context
    const { document, atWork } = await lockForWork(context, params.id)
    const { version, instance } = atWork
    if (!isUnderWay(version.status_kind))
      throw conflict(`Version ${version.version} is ${version.status}: there is no approval to configure`)
    if (instance.approvals.length > 0)
      throw conflict(`Version ${version.version} has approvals already: they were given by the rules as they are`)
    const { definition, ...chosen } = await chooseWorkflow(tx, version, body.workflow_template_id)
    const approval_overrides =
      body.approvers || body.mode
        ? replaceIn(chosen.approval_overrides, overrideOf(definition, chosen, body))
        : chosen.approval_overrides
    const configured = approval_overrides.reduce((each, override) => effectiveDefinition(each, override), definition)
    const issues = checkDefinition(configured, await readTenantFacts(tx))
    if (issues.length > 0)
      throw new AppError(
        422,
        issues.map(issue => locate(issue, configured, approval_overrides)),
      )
    await updateWorkflow(tx, version.id, { ...chosen, approval_overrides })
    const { workflow_template_id, workflow_template_version, status } = version
    record('document.approval_configured', document.id, {
      number: document.number,
      before: {
        workflow_template_id,
        workflow_template_version,
        status,
        approval_overrides: version.approval_overrides,
        revision: document.revision,
      },
      after: { ...chosen, approval_overrides, version: version.version, revision: nextRevision(document) },
      reason: body.change_reason ?? null,
    })
    return finish(context, document)
  },
})

/** The workflow of the version, or the newest of another template, which begins with no approval configured. */
async function chooseWorkflow(tx: Tx, version: Version, templateId: number | undefined) {
  const { workflow_template_id, workflow_template_version, status, approval_overrides } = version
  if (templateId === undefined) {
    const definition = await findDefinition(tx, workflow_template_id, workflow_template_version)
    return { definition: definition!, workflow_template_id, workflow_template_version, status, approval_overrides }
  }
  const template = await findTemplate(tx, templateId)
  if (!template) throw notFound('Workflow template')
  if (!template.is_active) throw conflict(`The workflow template ${template.name} is not active`)
  if (version.status_kind !== 'initial')
    throw conflict(`Version ${version.version} is ${status}: withdraw it first, then choose another workflow`)
  return {
    definition: template.definition,
    workflow_template_id: template.id,
    workflow_template_version: template.version,
    status: template.definition.states.find(({ kind }) => kind === 'initial')!.name,
    approval_overrides: [],
  }
}

function overrideOf(
  { transitions }: WorkflowDefinition,
  { status }: { status: string },
  { transition, approvers, mode }: ConfigureApproval,
): ApprovalOverride {
  const gates = transitions.filter(({ approval }) => approval)
  const next = gates.find(({ from }) => [from].flat().includes(status)) ?? gates[0]
  const gate = transition === undefined ? next : gates.find(({ name }) => name === transition)
  if (!gate)
    throw invalidField('transition', `must be an approval of the workflow: ${gates.map(({ name }) => name).join(', ')}`)
  const rules = approvers?.map(approver => ({ ...approver, count: approver.count ?? 1 })) ?? gate.approval!.rules
  return { transition: gate.name, ...(mode && { mode }), rules }
}

const replaceIn = (overrides: readonly ApprovalOverride[], override: ApprovalOverride) => [
  ...overrides.filter(({ transition }) => transition !== override.transition),
  override,
]

/** Where the request went wrong: among its approvers, or by the template that it chose. */
function locate(issue: Issue, { transitions }: WorkflowDefinition, overrides: readonly ApprovalOverride[]): Issue {
  const [, , part, index, , , ...rest] = issue.loc
  const isConfigured =
    part === 'transitions' && transitions[Number(index)]?.name === overrides.at(-1)?.transition && overrides.length > 0
  return { ...issue, loc: isConfigured ? ['body', 'approvers', ...rest] : ['body', 'workflow_template_id'] }
}
