/** What the service says that a person may do with a record, and why not the rest. */
export interface Allowed {
  may: string[]
  why_not: Record<string, { detail: string; code: string; params: Record<string, unknown> }[]>
  /** What this person may do as the deputy of others. */
  for?: { person: { id: number; username: string; full_name: string | null }; may: string[] }[]
}

/** For oneself, or for somebody whose deputy one is. */
export const canTake = ({ may, for: others }: Pick<Allowed, 'may' | 'for'>, act: string): boolean =>
  may.includes(act) || (others ?? []).some(each => each.may.includes(act))

/** Nobody does anything with a record as it was at an earlier time. */
export const nothing: Allowed = { may: [], why_not: {} }

/** Why somebody may not do this, in the service's words; undefined where they may. */
export const whyNotOf = (you: Allowed, act: string): string | undefined =>
  canTake(you, act) ? undefined : (you.why_not[act] ?? []).map(({ detail }) => detail).join(' ')

/** The role of this person never does it, or the state of the whole record keeps everybody from it: nothing is said at each button. */
const notShown = new Set([
  'permission_required',
  'record_transition_permission_required',
  'record_not_own_report',
  'extension_not_yours',
  'record_final',
  'deviation_closed',
  'capa_awaits_effectiveness_review',
  'capa_review_already_planned',
])

/** Whether an act is shown: it can be taken now, or something keeps this person from it that can change. */
export const isOffered = (you: Allowed, act: string): boolean =>
  canTake(you, act) || (you.why_not[act] !== undefined && !you.why_not[act].some(({ code }) => notShown.has(code)))
