import type { ActionContext } from '#action'
import type { Check } from '#action/allowed.ts'
import { requireGuards, requireTransition } from '#kernel/machine.ts'
import { messages as shared } from '#kernel/messages.ts'
import { mayApprove, readSettings } from '#modules/accounts'
import {
  filterReaders,
  type InvolvingFacts,
  involvingChange,
  listIndependent,
  listInvolved,
  type PersonRefusals,
  readOnly,
  recordTransition,
  refusedInvolvement,
  requireOtherPerson,
  signTransition,
} from '#modules/casework'
import type { RecordProof } from '#modules/signatures'
import { isFormComplete } from './content.ts'
import { messages } from './messages.ts'
import { hasActiveCapa, type StateColumns } from './queries.ts'
import {
  type AuthorityGuard,
  type DeviationTransition,
  deviationMachine,
  holds,
  isGuardOfAuthority,
  isOver,
  isSigned,
  type State,
} from './rules.ts'
import { signedDeviations } from './signed.ts'
import type { DeviationRow } from './view.ts'

/** The record that the signer read, and the proof of their identity. */
export interface ReadyToClose {
  read: Pick<DeviationRow, 'revision' | 'attachments'>
  proof: RecordProof
}

const involvingFacts = (row: DeviationRow): InvolvingFacts => ({
  author: row.reported_by.username,
  assignee: row.assigned_to?.username ?? null,
  status: row.status,
  findings: [row.investigation, row.root_cause],
})

const changesOf = (context: Deciding, before: DeviationRow, row: DeviationRow) =>
  involvingChange(context, involvingFacts(before), involvingFacts(row))

/** The conditions of the transition, for the record with its new fields and links; with `isFormRead` also that its form is complete. */
export function readiness(
  context: Deciding,
  before: DeviationRow,
  row: DeviationRow,
  transition: DeviationTransition,
  known: Known = {},
): Check[] {
  let found: ReturnType<typeof holding> | undefined
  const facts = () => {
    found ??= holding(context, before, row, transition, known)
    return found
  }
  const guards = transition.guards.filter(each => !isGuardOfAuthority(each))
  return [
    async () => {
      const { held, refusals } = await facts()
      requireOtherPerson(row, transition, held, refusals)
    },
    async () => requireGuards(deviationMachine, row.number, { ...transition, guards }, (await facts()).held),
  ]
}
type Deciding = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** Which conditions hold, and the refusals of those on the person. Only what the transition depends on is read. */
interface Known {
  /** Missing fields of the form count. */
  isFormRead?: boolean
  /** Whether a CAPA is linked, where the caller has read it. */
  has_capa?: boolean | undefined
}

async function holding(
  context: Deciding,
  before: DeviationRow,
  row: DeviationRow,
  transition: DeviationTransition,
  { isFormRead = false, has_capa: known }: Known,
) {
  const { tx, actor } = context
  const { number, severity } = row
  const { guards, permission } = transition
  const [settings, involved, has_capa] = await Promise.all([
    readSettings(tx),
    guards.includes('independent') ? listInvolved(tx, 'deviation', row.id, changesOf(context, before, row)) : [],
    known ?? (guards.includes('capa_decided') && hasActiveCapa(tx, row.id)),
  ])
  const refused = await refusedInvolvement(context, { kind: 'deviation', number }, permission, involved)
  const refusals: PersonRefusals<AuthorityGuard> = {
    independent: () => messages.deviation_closer_is_involved(refused!),
    quality_unit: () => shared.admin_may_not_approve(),
    not_reporter: () => messages.deviation_reporter_cannot_cancel({ number, severity }),
  }
  const held = holds({
    severity: row.severity,
    assigned_to: row.assignee_id,
    reported_by: row.reporter_id,
    has_root_cause: row.root_cause !== null,
    impact_assessment: row.impact_assessment,
    no_capa_reason: row.no_capa_reason,
    has_capa,
    // Where the transition is requested, missing form fields are refused earlier, field by field.
    is_form_complete: !isFormRead || (await isFormComplete(context, row)),
    is_involved: refused !== undefined,
    by: actor,
    may_approve: mayApprove(settings, actor),
  })
  return { held, refusals }
}

/** The columns that the transition sets. */
export const stateColumnsOf = (
  { to }: DeviationTransition,
  { actor, services }: ActionContext<unknown>,
): StateColumns =>
  to === 'closed'
    ? { status: to, closed_at: services.clock.now().toISOString(), closed_by: actor.userId }
    : { status: to, closed_at: null, closed_by: null }

/** Signs and records the transition; `before` and `row` are the record before and after it. */
export async function settle(
  context: ActionContext<ReadyToClose | undefined>,
  transition: DeviationTransition,
  { before, row }: { before: DeviationRow; row: DeviationRow },
  { reason, intent }: { reason: string | null; intent: string | null },
) {
  const { tx, prepared } = context
  const { id, number, reporter_id, assignee_id } = row
  const signature_id = isSigned(transition, row.severity)
    ? await signTransition(context, signedDeviations, row, transition, {
        intent: intent ?? reason ?? `${transition.name} ${number}`,
        ref: String(row.content_revision),
        proof: prepared?.proof,
      })
    : null
  // A newly assigned person is notified of the assignment instead.
  const people = [reporter_id, ...(assignee_id === before.assignee_id ? [assignee_id] : [])]
  await recordTransition(context, { kind: 'deviation', id, number }, transition, {
    ...{ from: before.status, reason, signature_id },
    before: { closed_at: before.closed_at, revision: before.revision },
    after: { closed_at: row.closed_at, revision: row.revision },
    notify: await filterReaders(tx, 'deviation', people),
    assignees: row.status === 'pending_approval' ? await closersOf(context, before, row) : [],
  })
}

/** The people who can close it, and are notified that it awaits them. */
async function closersOf(context: ActionContext<unknown>, before: DeviationRow, row: DeviationRow) {
  const involved = await listInvolved(context.tx, 'deviation', row.id, changesOf(context, before, row))
  return (await listIndependent(context.tx, 'deviation', 'deviations.close', involved)).map(({ id }) => id)
}

/** A closed or cancelled deviation takes no change, except that a closed one is reopened. */
export function refuseLocked({ number, status }: DeviationRow, to: State | undefined) {
  if (!isOver(status)) return
  if (to === undefined) throw readOnly({ kind: 'deviation', number, status })
  requireTransition(deviationMachine, number, { from: status, to })
}
