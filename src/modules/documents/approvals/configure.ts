import { isDeepStrictEqual } from 'node:util'
import { type ActionContext, type Actor, command } from '#action'
import { conflict, forbidden, type Issue, invalid, invalidField, notFound } from '#kernel/errors.ts'
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
  isShortOfPeople,
  readTenantFacts,
  settleCounts,
  shortfallOf,
  type TenantPeople,
  unusedDelegations,
  type WorkflowDefinition,
  withCounts,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { isUnderWay } from '../core/rules.ts'
import { Document } from '../core/schema.ts'
import { updateWorkflow } from '../core/version-queries.ts'
import { allowedTransitions, finish, lockForWork, nextRevision, type VersionAtWork, type Work } from '../core/view.ts'
import { currentApprovers, dueDateIn, dueTerms } from '../lifecycle/approval-terms.ts'
import { type ApprovalTerms, endDelegations, updateTerms } from '../lifecycle/queries.ts'
import { messages, reasons } from '../messages.ts'
import { ConfigureApproval } from './schema.ts'

type Version = VersionAtWork['version']

export const configureApproval = command({
  summary: 'Configure the approval of a document',
  description:
    'Sets another workflow template that the document type admits, other approvers than those of the template, or the due date of an approval. All but the due date needs a reason and can be set only before the first approval of the version under way; whoever chose so may not decide about the version. If too few people are left to give the pending approval, its approvers can be named anew although others have approved: rules that have approvals stay as they are, and whoever has approved leaves it to another person.',
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
    const isBegun = Boolean(isOtherwise) && instance.approvals.length > 0
    if (isBegun) await requireOrphaned(context, { document, atWork }, body)
    const type = (await findType(tx, document.document_type_id)) as DocumentType
    const { definition, name, ...chosen } = await chooseWorkflow(tx, { version, type }, body.workflow_template_id)
    const today = await todayOf(context)
    if (body.due_date && body.due_date < today) throw invalidField('due_date', messages.document_day_past({ today }))
    const override = isOverriding(body) ? overrideOf(definition, chosen, body) : undefined
    const approval_overrides = override ? withOverride(chosen.approval_overrides, override) : chosen.approval_overrides
    const configured = approval_overrides.reduce((each, next) => effectiveDefinition(each, next), definition)
    await holdGroups(tx, configured)
    const facts = await readTenantFacts(tx, configured)
    if (isBegun) requireGivenKept(atWork, definition, chosen.approval_overrides, configured)
    const issues = isBegun ? newRuleIssues(atWork, configured, facts) : checkDefinition(configured, facts)
    if (issues.length > 0) throw invalid(...issues.map(issue => locate(issue, configured, approval_overrides)))
    const approval_chosen_by = choosersAfter(actor, { version, type, definition }, { ...chosen, approval_overrides })
    const contributors = { ...instance, chooserIds: approval_chosen_by }
    // A delegation belongs to rules that are being replaced, unless somebody has decided with it.
    const ended = isOtherwise ? unusedDelegations(atWork.definition, instance) : []
    const delegations = instance.delegations.filter(({ from }) => !ended.includes(from))
    const prepared: VersionAtWork = { ...atWork, instance: { ...contributors, delegations } }
    const terms = termsOf(prepared, configured, { approval_overrides, today, facts }, override)
    if (isBegun || (approval_chosen_by !== version.approval_chosen_by && approval_chosen_by.length > 0)) {
      if (!body.change_reason) throw invalidField('change_reason', messages.document_configuration_reason_required())
      const shortage =
        shortfallOf(type, name, configured) ?? shortageOf(prepared, { configured, terms, facts, isBegun })
      if (shortage) throw invalidField(body.approvers ? 'approvers' : 'workflow_template_id', shortage)
    }
    await updateWorkflow(tx, version.id, { ...chosen, approval_overrides, approval_chosen_by })
    await updateTerms(tx, version.id, terms)
    if (ended.length > 0)
      await endDelegations(tx, version.id, {
        givers: ended,
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

/** Approvals that were given are not lost, but too few people are left for the others: only then are the approvers of the pending step named anew. */
async function requireOrphaned(
  { tx, actor }: ActionContext<unknown>,
  { document, atWork }: Pick<Work, 'document' | 'atWork'>,
  { transition, workflow_template_id, mode }: ConfigureApproval,
) {
  const { version, definition, instance } = atWork
  const facts = await readTenantFacts(tx, definition)
  const gate = gateFrom(definition, version.status)
  if (!gate || workflow_template_id !== undefined || !isShortOfPeople(definition, instance, facts)) {
    const initial = definition.states.find(({ kind }) => kind === 'initial')!.name
    // A rejection is a decision of the approvers.
    const back = definition.transitions.filter(({ name, to }) => to === initial && name !== 'reject')
    const transitions = allowedTransitions(actor, atWork).filter(each => back.some(({ name }) => name === each))
    throw conflict(messages.document_approval_begun({ version: version.version, transitions }))
  }
  if (instance.approvals.some(({ userId }) => userId === actor.userId))
    throw forbidden(messages.document_approval_configured_by_approver({ version: version.version }), document)
  if (transition !== undefined && transition !== gate.name)
    throw conflict(messages.document_approval_other_step_orphaned({ step: gate.name }))
  if (mode !== undefined && mode !== gate.approval.mode)
    throw invalidField('mode', messages.document_approval_mode_fixed({ mode: gate.approval.mode }))
}

/** The rules of the pending step that have approvals, by their places. */
const placesGiven = ({ definition, instance }: VersionAtWork) => {
  const { name } = gateFrom(definition, instance.state)!
  return new Set(instance.approvals.filter(each => each.transition === name).flatMap(({ rules }) => rules))
}

/** An approval counts for the place of its rule, so a rule that has approvals stays where it is, as it is. */
function requireGivenKept(
  atWork: VersionAtWork,
  template: WorkflowDefinition,
  overrides: readonly ApprovalOverride[],
  configured: WorkflowDefinition,
) {
  const rulesIn = (definition: WorkflowDefinition) => gateFrom(definition, atWork.version.status)!.approval.rules
  const before = rulesIn(overrides.reduce((each, next) => effectiveDefinition(each, next), template))
  const after = rulesIn(configured)
  const changed = [...placesGiven(atWork)].filter(place => !isDeepStrictEqual(before[place], after[place]))
  if (changed.length > 0)
    throw invalidField(
      'approvers',
      messages.document_approval_rule_given({ places: changed.map(place => place + 1).toSorted((a, b) => a - b) }),
    )
}

/** The issues of the rules that are named anew. The people of others may have left since they approved. */
function newRuleIssues(atWork: VersionAtWork, configured: WorkflowDefinition, facts: TenantPeople): Issue[] {
  const { name } = gateFrom(atWork.definition, atWork.version.status)!
  const given = placesGiven(atWork)
  return checkDefinition(configured, facts).filter(({ loc: [, , part, index, , field, place] }) => {
    const isPending = part === 'transitions' && configured.transitions[Number(index)]?.name === name
    return isPending && field === 'rules' && typeof place === 'number' && !given.has(place)
  })
}

/** Why the approval could not be given; once it has begun, why the rest of the pending step could not. */
function shortageOf(
  { version, instance }: VersionAtWork,
  {
    configured,
    terms,
    facts,
    isBegun,
  }: { configured: WorkflowDefinition; terms: ApprovalTerms; facts: TenantPeople; isBegun: boolean },
) {
  if (!isBegun) return findShortage(configured, instance, facts)
  return isShortOfPeople(withCounts(configured, terms.approval_counts), instance, facts)
    ? messages.document_approval_still_orphaned({ step: gateFrom(configured, version.status)!.name })
    : undefined
}

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
