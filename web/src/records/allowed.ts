/** What the service says that a person may do with a record, and why not the rest. */
export interface Allowed {
  may: string[]
  why_not: Record<string, { detail: string; code: string; params: Record<string, unknown> }[]>
}

/** Nobody does anything with a record as it was at an earlier time. */
export const nothing: Allowed = { may: [], why_not: {} }

/** Why somebody may not do this, in the service's words; undefined where they may. */
export const whyNotOf = ({ may, why_not }: Allowed, act: string): string | undefined =>
  may.includes(act) ? undefined : (why_not[act] ?? []).map(({ detail }) => detail).join(' ')

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
export const isOffered = ({ may, why_not }: Allowed, act: string): boolean =>
  may.includes(act) || (why_not[act] !== undefined && !why_not[act].some(({ code }) => notShown.has(code)))
