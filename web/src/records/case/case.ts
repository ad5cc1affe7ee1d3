import type { Allowed } from '../allowed.ts'

/** The two kinds of records that are worked on until they are closed: their parts have the same operations. */
export type CaseKind = 'deviations' | 'capa'

/** What the parts need to know of their record. */
export interface Case {
  kind: CaseKind
  id: number
  number: string
  title: string
  revision: number
  /** Changes need a reason. */
  needsReason: boolean
  updated_at: string
  updated_by: { username: string; full_name: string | null } | null
  you: Allowed
}

/** What goes with each change: the record as it was on the screen, and why. */
export interface Sent {
  revision: number
  change_reason?: string
  /** The person whose deputy changes it. */
  on_behalf_of?: number
}
