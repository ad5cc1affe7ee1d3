import { type ActionContext, type Actor, command, type PrepareContext } from '#action'
import { AppError, conflict, invalidField, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { proveIdentity, readSettings } from '#modules/accounts'
import { requireIntactFile, type Signable, type Signing, sign } from '#modules/signatures'
import {
  type ApprovalOverride,
  checkDefinition,
  decide,
  effectiveDefinition,
  findDefinition,
  findTemplate,
  fire,
  type Outcome,
  pendingApproval,
  readTenantFacts,
  type WorkflowDefinition,
} from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { lockReadable, recorded } from './actions.ts'
import { takeSteps } from './lifecycle.ts'
import { insertDecision, updateDocument, updateWorkflow, type VersionRow } from './queries.ts'
import { ApproveBody, ConfigureApproval, Document, TransitionBody } from './schema.ts'
import { loadAtWork, participantOf, readDocument, requireReadable, underWayId, type VersionAtWork } from './view.ts'

const signableOf = (version: VersionRow): Signable => ({
  document_id: version.document_id,
  document_number: version.number,
  document_type_id: version.document_type_id,
  version_id: version.id,
  version: version.version,
  content_revision: version.content_revision,
  round: version.round,
  status: version.status,
  file_key: version.file_key,
  file_sha256: version.sha256,
  file_size: version.file_size,
  title: version.title,
  category: version.category,
  description: version.description,
  keywords: version.keywords,
})

/** What the signatures module signs: the version that is shown, or the one that is named. */
export const findSignable: Signing['findSignable'] = async (tx, actor, documentId, label, { lock }) => {
  const { row } = await requireReadable(tx, actor, documentId, label)
  if (lock) await tx.selectFrom('documents').select('id').where('id', '=', documentId).forUpdate().execute()
  return signableOf((await loadAtWork(tx, row.version_id)).version)
}

/** A refused attempt to decide is remembered (21 CFR 11.10(g)); what the state forbids is not an attempt on authority. */
function refusalOf({ status, detail }: Exclude<Outcome, { ok: true }>, { id, number }: { id: number; number: string }) {
  if (status === 422) return invalidField('comment', detail, 'missing')
  const error = new AppError(status, detail)
  return status === 403
    ? error.remember({ event: 'access.denied', outcome: 'denied', reason: `${number} (${id}): ${detail}` })
    : error
}

async function requireMayApprove(tx: Tx, actor: Actor) {
  if (actor.role === 'Admin' && !(await readSettings(tx)).admin_may_approve) {
    throw new AppError(403, 'Admins approve nothing in this tenant').remember({
      event: 'access.denied',
      outcome: 'denied',
      reason: 'An Admin tried to approve',
    })
  }
}

/** What the engine must know of other people: only an approval in a fixed order asks. */
const factsFor = async (tx: Tx, { definition }: VersionAtWork) =>
  definition.transitions.some(({ approval }) => approval?.mode === 'sequential')
    ? readTenantFacts(tx)
    : { peopleFor: () => new Set<number>() }

export const approve = command({
  summary: 'Approve or reject a document',
  description:
    'Records the decision about the pending approval, and moves the document by itself once the rules are met. A draft whose only way on is to be submitted is submitted and approved at once.',
  permission: 'documents.approve',
  input: { params: IdParams, body: ApproveBody },
  response: Document,
  // Whether a signature will be asked for is read ahead, because a password takes longer to check than a lock may be held.
  async prepare(context: PrepareContext, { params, body }) {
    const { pending, version } = await context.read(async tx => {
      const { row } = await requireReadable(tx, context.actor, params.id)
      const { definition, instance, version } = await loadAtWork(tx, underWayId(row))
      return { pending: pendingApproval(definition, instance), version }
    })
    const asksForSignature = body.decision !== 'reject' && pending?.signature_required
    const proof = asksForSignature || body.password !== undefined ? await proveIdentity(context, body) : undefined
    if (asksForSignature) await requireIntactFile(context.services, signableOf(version))
    return { proof, version_id: version.id }
  },
  async run(context, { params, body: { decision = 'approve', comment } }) {
    const { tx, actor, prepared } = context
    const { document, before } = await lockReadable(context, params.id)
    await requireMayApprove(tx, actor)
    const { row } = await requireReadable(tx, actor, params.id)
    const atWork = await loadAtWork(tx, underWayId(row))
    const participant = participantOf(actor)
    const outcome = decide(
      atWork.definition,
      atWork.instance,
      participant,
      { decision, ...(comment && { comment }) },
      await factsFor(tx, atWork),
    )
    if (!outcome.ok) throw refusalOf(outcome, document)
    const [first, ...rest] = outcome.transitions
    const submits = first?.trigger === 'user' && decision === 'approve'
    const at = submits ? await moveTo(context, atWork, [first]) : atWork
    const gate = pendingApproval(at.definition, at.instance)!
    let signature_id: number | null = null
    if (decision === 'approve' && gate.signature_required) {
      if (!prepared.proof || prepared.version_id !== at.version.id)
        throw conflict('The document moved on while you approved it: read it again')
      signature_id = await sign(context, signableOf(at.version), {
        signature_type: gate.signature_type,
        intent: comment ?? `${gate.transition} version ${at.version.version}`,
        proof: prepared.proof,
      })
    }
    await insertDecision(tx, {
      document_id: document.id,
      version_id: at.version.id,
      round: at.version.round,
      transition: gate.transition,
      rules: [...(outcome.approval?.rules ?? [])],
      user_id: actor.userId!,
      decision,
      comment: comment ?? null,
      signature_id,
    })
    const steps = submits ? rest : outcome.transitions
    if (steps.length > 0) await takeSteps(context, withApproval(at, outcome), steps, comment ?? null)
    return finish(
      context,
      document,
      before,
      decision === 'approve' ? 'document.approved' : 'document.rejected',
      comment,
      { decision, transition: gate.transition, version: at.version.version, signature_id },
    )
  },
})

/** The engine's next question counts the approval that was just given. */
const withApproval = (at: VersionAtWork, { approval }: Extract<Outcome, { ok: true }>): VersionAtWork =>
  approval ? { ...at, instance: { ...at.instance, approvals: [...at.instance.approvals, approval] } } : at

/** A submission moves the version, and its approval is given in the round that it begins. */
async function moveTo(context: ActionContext<unknown>, atWork: VersionAtWork, steps: Parameters<typeof takeSteps>[2]) {
  return takeSteps(context, atWork, steps, null)
}

async function finish(
  { tx, actor, record }: ActionContext<unknown>,
  document: { id: number; number: string },
  before: Document,
  event: 'document.approved' | 'document.rejected' | 'document.state_changed' | 'document.approval_configured',
  reason: string | undefined,
  said: object,
) {
  await updateDocument(tx, document.id, { updated_by: actor.userId })
  const after = await readDocument(tx, actor, document.id, undefined, { isAssured: true })
  record(event, document.id, {
    number: document.number,
    before: recorded(before),
    after: { ...recorded(after), ...said },
    reason: reason ?? null,
  })
  return after
}

export const transition = command({
  summary: 'Take a transition of the workflow by hand',
  description:
    'Submit, withdraw, cancel, obsolete: whatever the template offers from the state. On a draft beside an effective version, the draft comes first.',
  permission: 'documents.read',
  input: { params: IdParams, body: TransitionBody },
  response: Document,
  async run(context, { params, body: { transition, comment } }) {
    const { tx, actor } = context
    const { document, before } = await lockReadable(context, params.id)
    const { row } = await requireReadable(tx, actor, params.id)
    const underWay = await loadAtWork(tx, underWayId(row))
    const offers = ({ definition, instance }: VersionAtWork) =>
      definition.transitions.some(({ name, from }) => name === transition && [from].flat().includes(instance.state))
    const atWork =
      offers(underWay) || row.version_id === underWay.version.id ? underWay : await loadAtWork(tx, row.version_id)
    const outcome = fire(atWork.definition, atWork.instance, participantOf(actor), {
      transition,
      ...(comment && { comment }),
    })
    if (!outcome.ok) throw refusalOf(outcome, document)
    await takeSteps(context, atWork, outcome.transitions, comment ?? null)
    return finish(context, document, before, 'document.state_changed', comment, {
      transition,
      version: atWork.version.version,
    })
  },
})

export const configureApproval = command({
  summary: 'Configure the approval of a document',
  description:
    'Another workflow template, or other approvers than the template names; only before the first approval of the version that is under way.',
  permission: 'documents.configure_approval',
  input: { params: IdParams, body: ConfigureApproval },
  response: Document,
  async run(context, { params, body }) {
    const { tx, actor } = context
    const { document, before } = await lockReadable(context, params.id)
    const { row } = await requireReadable(tx, actor, params.id)
    const { version, instance } = await loadAtWork(tx, underWayId(row))
    if (version.status_kind !== 'initial' && version.status_kind !== 'review')
      throw conflict(`Version ${version.version} is ${version.status}: there is no approval to configure`)
    if (instance.approvals.length > 0)
      throw conflict(`Version ${version.version} has approvals already: they were given by the rules as they are`)
    const chosen = await chooseTemplate(tx, version, body.workflow_template_id)
    const approval_override =
      body.approvers || body.mode
        ? overrideOf(chosen, body)
        : body.workflow_template_id
          ? null
          : version.approval_override
    const issues = checkDefinition(
      effectiveDefinition(chosen.definition, approval_override ?? undefined),
      await readTenantFacts(tx),
    )
    if (issues.length > 0)
      throw new AppError(
        422,
        issues.map(issue => ({ ...issue, loc: ['body', 'approvers'] })),
      )
    await updateWorkflow(tx, version.id, { ...chosen.values, approval_override })
    const said = {
      workflow_template_id: chosen.values.workflow_template_id,
      approval_override,
      version: version.version,
    }
    return finish(context, document, before, 'document.approval_configured', body.change_reason, said)
  },
})

async function chooseTemplate(tx: Tx, version: VersionRow, templateId: number | undefined) {
  const { workflow_template_id, workflow_template_version, status } = version
  if (templateId === undefined) {
    const definition = await findDefinition(tx, workflow_template_id, workflow_template_version)
    return { definition: definition!, status, values: { workflow_template_id, workflow_template_version, status } }
  }
  const template = await findTemplate(tx, templateId)
  if (!template) throw notFound('Workflow template')
  if (!template.is_active) throw conflict(`The workflow template ${template.name} is not active`)
  if (version.status_kind !== 'initial')
    throw conflict(`Version ${version.version} is ${status}: withdraw it first, then choose another workflow`)
  const initial = template.definition.states.find(({ kind }) => kind === 'initial')!.name
  return {
    definition: template.definition,
    status: initial,
    values: { workflow_template_id: template.id, workflow_template_version: template.version, status: initial },
  }
}

function overrideOf(
  { definition, status }: { definition: WorkflowDefinition; status: string },
  {
    transition,
    approvers,
    mode,
  }: { transition?: string; approvers?: ApprovalOverride['rules']; mode?: 'parallel' | 'sequential' },
): ApprovalOverride {
  const gates = definition.transitions.filter(({ approval }) => approval)
  const gate =
    transition === undefined
      ? (gates.find(({ from }) => [from].flat().includes(status)) ?? gates[0])
      : gates.find(({ name }) => name === transition)
  if (!gate)
    throw invalidField('transition', `must be an approval of the workflow: ${gates.map(({ name }) => name).join(', ')}`)
  return { transition: gate.name, ...(mode && { mode }), rules: approvers ?? gate.approval!.rules }
}
