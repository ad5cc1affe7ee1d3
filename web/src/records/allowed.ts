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

const lacks = new Set(['permission_required', 'record_transition_permission_required'])

/** The role of this person never does it, so it is not even shown. */
export const isNever = ({ may, why_not }: Allowed, act: string): boolean =>
  !may.includes(act) && (why_not[act] ?? []).some(({ code }) => lacks.has(code))

/** Whether it can be shown at all: it is one of the acts of this record as it is, and of this role. */
export const isOffered = (you: Allowed, act: string): boolean =>
  you.may.includes(act) || (act in you.why_not && !isNever(you, act))
