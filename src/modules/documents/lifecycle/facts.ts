import type { ActionContext } from '#action'
import { todayOf } from '#modules/accounts'
import { canSoonBeEffective, withPeople } from '#modules/workflows'
import { isEnough, trained } from '../core/gate.ts'
import { loadAtWork, type Work } from '../core/view.ts'
import { type Facts, isWaiting } from './plan.ts'
import { findLifecycleFacts } from './queries.ts'

type Planned = Pick<Work, 'document' | 'atWork'>

/** Makes a plan from facts that are read once. The caller holds the document's lock. */
export async function makePlan<P>(
  context: ActionContext<unknown>,
  work: Planned,
  plan: (facts: Facts) => P,
): Promise<P> {
  const facts = await readFacts(context, work)
  return withPeople(context.tx, work.atWork.definition, people => plan({ ...facts, people }))
}

async function readFacts(
  context: ActionContext<unknown>,
  { document, atWork }: Planned,
): Promise<Omit<Facts, 'people'>> {
  const { tx, actor, services } = context
  const { version, definition } = atWork
  const { effective_version_id: effective } = document
  const isReplaced = effective !== null && effective !== version.id && canSoonBeEffective(definition, version.status)
  const [today, { gate, threshold, ...facts }, replaced] = await Promise.all([
    todayOf(context),
    findLifecycleFacts(tx, document.id),
    isReplaced ? loadAtWork(tx, effective) : undefined,
  ])
  const isGated = gate === 'before_effective'
  const progress =
    isGated && isWaiting(atWork) ? await services.training.progress(tx, { ...trained(version), today }) : undefined
  return {
    ...facts,
    actor,
    document,
    atWork,
    effective: replaced,
    training_gate: isGated ? { threshold, is_complete: progress && isEnough(progress, threshold) } : undefined,
    today,
    now: services.clock.now().toISOString(),
  }
}
