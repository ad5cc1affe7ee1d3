import { isDeepStrictEqual } from 'node:util'
import { type Actor, command } from '#action'
import { conflict, type Issue, invalid, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import {
  type ApprovalOverride,
  checkDefinition,
  type DocumentType,
  effectiveDefinition,
  findDefinition,
  findShortage,
  findTemplate,
  findType,
  gateFrom,
  holdGroups,
  readTenantFacts,
  settleCounts,
  shortfallOf,
  type TenantPeople,
  type WorkflowDefinition,
  withCounts,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { isUnderWay } from '../core/rules.ts'
import { Document } from '../core/schema.ts'
import { updateWorkflow } from '../core/version-queries.ts'
import { finish, lockForWork, nextRevision, type VersionAtWork } from '../core/view.ts'
import { currentApprovers, dueDateIn, dueTerms } from '../lifecycle/approval-terms.ts'
import { type ApprovalTerms, endDelegations, updateTerms } from '../lifecycle/queries.ts'
import { messages, reasons } from '../messages.ts'
import { ConfigureApproval } from './schema.ts'

type Version = VersionAtWork['version']

export const configureApproval = command({
  summary: 'Configure the approval of a document',
  description:
    'Sets another workflow template that the document type admits, other approvers than those of the template, or the due date of an approval. All but the due date needs a reason and can be set only before the first approval of the version under way; whoever chose so may not decide about the version.',
  permission: 'documents.configure_approval',
  input: { params: IdParams, body: ConfigureApproval },
  response: Document,
  async run(context, { params, body }) {
    const { tx, actor, record } = context
    const { document, atWork } = await lockForWork(context, params.id)
    const { version, instance } = atWork
    if (!isUnderWay(version.status_kind))
      throw conflict(messages.document_without_approval({ version: version.version, status: version.status }))
    const isOtherwise = body.workflow_template_id !== undefined || body.approvers || body.mode
    if (isOtherwise && instance.approvals.length > 0)
      throw conflict(messages.document_approval_begun({ version: version.version }))
    const type = (await findType(tx, document.document_type_id)) as DocumentType
    const { definition, name, ...chosen } = await chooseWorkflow(tx, { version, type }, body.workflow_template_id)
    const today = await todayOf(context)
    if (body.due_date && body.due_date < today) throw invalidField('due_date', messages.document_day_past({ today }))
    const override = isOverriding(body) ? overrideOf(definition, chosen, body) : undefined
    const approval_overrides = override ? withOverride(chosen.approval_overrides, override) : chosen.approval_overrides
    const configured = approval_overrides.reduce((each, next) => effectiveDefinition(each, next), definition)
    await holdGroups(tx, configured)
    const facts = await readTenantFacts(tx, configured)
    const issues = checkDefinition(configured, facts)
    if (issues.length > 0) throw invalid(...issues.map(issue => locate(issue, configured, approval_overrides)))
    const approval_chosen_by = choosersAfter(actor, { version, type, definition }, { ...chosen, approval_overrides })
    const contributors = { ...instance, chooserIds: approval_chosen_by }
    if (approval_chosen_by !== version.approval_chosen_by && approval_chosen_by.length > 0) {
      if (!body.change_reason) throw invalidField('change_reason', messages.document_configuration_reason_required())
      const shortage = shortfallOf(type, name, configured) ?? findShortage(configured, contributors, facts)
      if (shortage) throw invalidField(body.approvers ? 'approvers' : 'workflow_template_id', shortage)
    }
    const prepared: VersionAtWork = { ...atWork, instance: { ...contributors, delegations: [] } }
    const terms = termsOf(prepared, configured, { approval_overrides, today, facts }, override)
    await updateWorkflow(tx, version.id, { ...chosen, approval_overrides, approval_chosen_by })
    await updateTerms(tx, version.id, terms)
    // A delegation belongs to rules that have just been replaced.
    if (isOtherwise && instance.delegations.length > 0)
      await endDelegations(tx, version.id, {
        ended_by: actor.userId,
        end_reason: reasons.reason_delegation_configured().text,
      })
    const { workflow_template_id, workflow_template_version, status, approval_due_date } = version
    const after = { ...chosen, approval_overrides, approval_chosen_by, approval_due_date: terms.approval_due_date }
    record('document.approval_configured', document.id, {
      number: document.number,
      before: {
        workflow_template_id,
        workflow_template_version,
        status,
        approval_overrides: version.approval_overrides,
        approval_chosen_by: version.approval_chosen_by,
        approval_due_date,
        revision: document.revision,
      },
      after: { ...after, version: version.version, revision: nextRevision(document) },
      reason: body.change_reason ?? null,
      assignees: currentApprovers({ ...prepared, definition: withCounts(configured, terms.approval_counts) }, facts),
    })
    return finish(context, document)
  },
})

const isOverriding = ({ approvers, mode, due_date }: ConfigureApproval) =>
  approvers !== undefined || mode !== undefined || due_date !== undefined

/** The terms after the configuration: those of a pending approval are settled again, a draft has none yet. */
function termsOf(
  { version, instance }: VersionAtWork,
  configured: WorkflowDefinition,
  { approval_overrides, today, facts }: { approval_overrides: ApprovalOverride[]; today: string; facts: TenantPeople },
  override: ApprovalOverride | undefined,
): ApprovalTerms {
  const { approval_counts, approval_due_date, approval_notice, approval_notice_on } = version
  const settled = { approval_counts, approval_due_date, approval_notice, approval_notice_on }
  if (version.status_kind === 'initial' || !override) return settled
  const { [override.transition]: _, ...others } = approval_counts
  const { [override.transition]: now } = settleCounts(configured, facts, instance)
  const counts = now ? { ...others, [override.transition]: now } : others
  const gate = gateFrom(configured, version.status)
  if (
    gate?.name !== override.transition ||
    override.due_date === version.approval_overrides.find(({ transition }) => transition === gate.name)?.due_date
  )
    return { ...settled, approval_counts: counts }
  return { ...dueTerms(gate.approval, dueDateIn(approval_overrides, gate.name), today), approval_counts: counts }
}

/** The mode and the rules of each approval, without due dates. A newer version of a workflow may lack a configured approval. */
const approversOf = (definition: WorkflowDefinition, overrides: readonly ApprovalOverride[]) =>
  overrides
    .filter(({ transition }) => definition.transitions.some(({ name, approval }) => name === transition && approval))
    .reduce((each, next) => effectiveDefinition(each, next), definition)
    .transitions.flatMap(({ approval }) => (approval ? [[approval.mode, approval.rules]] : []))

/** Who chose the approvals of the version, if they are not those of its type; a change of due dates alone is no choice. */
function choosersAfter(
  { userId }: Actor,
  { version, type, definition }: { version: Version; type: DocumentType; definition: WorkflowDefinition },
  chosen: Pick<Version, 'workflow_template_id' | 'approval_overrides'>,
): number[] {
  const isSame = chosen.workflow_template_id === version.workflow_template_id
  const approvers = approversOf(definition, chosen.approval_overrides)
  if (isSame && isDeepStrictEqual(approvers, approversOf(definition, version.approval_overrides)))
    return version.approval_chosen_by
  const isUsual = chosen.workflow_template_id === type.workflow_template.id
  return isUsual && isDeepStrictEqual(approvers, approversOf(definition, []))
    ? []
    : [...new Set([...version.approval_chosen_by, userId!])]
}

/** The workflow of the version, or the newest of another template, which begins with no approval configured. */
async function chooseWorkflow(
  tx: Tx,
  { version, type }: { version: Version; type: DocumentType },
  templateId: number | undefined,
) {
  const { workflow_template_id, workflow_template_version, workflow_template_name: name, status } = version
  if (templateId === undefined) {
    const definition = (await findDefinition(tx, workflow_template_id, workflow_template_version))!
    const { approval_overrides } = version
    return { definition, name, workflow_template_id, workflow_template_version, status, approval_overrides }
  }
  const template = await findTemplate(tx, templateId)
  if (!template) throw notFound('Workflow template')
  if (!template.is_active) throw conflict(messages.document_workflow_inactive({ name: template.name }))
  if (!type.workflow_templates.some(({ id }) => id === template.id)) {
    const admitted = type.workflow_templates.map(each => each.name)
    throw conflict(messages.document_workflow_not_admitted({ name: template.name, document_type: type.name, admitted }))
  }
  if (version.status_kind !== 'initial')
    throw conflict(messages.document_workflow_in_use({ version: version.version, status }))
  return {
    definition: template.definition,
    name: template.name,
    workflow_template_id: template.id,
    workflow_template_version: template.version,
    status: template.definition.states.find(({ kind }) => kind === 'initial')!.name,
    approval_overrides: [],
  }
}

/** The configuration so far, changed by the request. */
function overrideOf(
  { transitions }: WorkflowDefinition,
  { status, approval_overrides: overrides }: { status: string; approval_overrides: ApprovalOverride[] },
  { transition, approvers, mode, due_date }: ConfigureApproval,
): ApprovalOverride {
  const gates = transitions.filter(({ approval }) => approval)
  const next = gates.find(({ from }) => [from].flat().includes(status)) ?? gates[0]
  const gate = transition === undefined ? next : gates.find(({ name }) => name === transition)
  if (!gate) {
    const steps = gates.map(({ name }) => name)
    throw invalidField('transition', messages.document_approval_step_unknown({ steps }))
  }
  const before = overrides.find(each => each.transition === gate.name)
  const { due_date: day, ...kept } = before ?? { transition: gate.name, rules: gate.approval!.rules }
  const due = due_date === undefined ? day : (due_date ?? undefined)
  return {
    ...kept,
    ...(approvers && { rules: approvers }),
    ...(mode && { mode }),
    ...(due !== undefined && { due_date: due }),
  }
}

const withOverride = (overrides: readonly ApprovalOverride[], override: ApprovalOverride) => [
  ...overrides.filter(({ transition }) => transition !== override.transition),
  override,
]

/** Points an issue of the workflow at the field of the request that caused it: its approvers, or its template. */
function locate(issue: Issue, { transitions }: WorkflowDefinition, overrides: readonly ApprovalOverride[]): Issue {
  const [, , part, index, , field, ...rest] = issue.loc
  const isConfigured =
    part === 'transitions' &&
    field !== 'escalate_to' &&
    transitions[Number(index)]?.name === overrides.at(-1)?.transition &&
    overrides.length > 0
  return { ...issue, loc: isConfigured ? ['body', 'approvers', ...rest] : ['body', 'workflow_template_id'] }
}
