import type { Signal } from './signals.ts'

export const severities = ['minor', 'major', 'critical'] as const
export type Severity = (typeof severities)[number]

type Dimension =
  | 'patient safety'
  | 'product quality'
  | 'data integrity'
  | 'regulatory commitment'
  | 'recurrence'
  | 'reassurance'

export interface Rule {
  name: string
  dimension: Dimension
  /** The severity that the rule supports. */
  severity: Severity
  /** Added once, however often the signals occur; negative points support a lower severity. */
  points: number
  /** Makes the deviation critical alone, whatever else is there, and at least major where it is uncertain. */
  decides?: true
  signals: readonly Signal[]
  /** A signal that begins where one of these does is something else, as the "dead" of a dead leg. */
  except?: readonly Signal[]
}
