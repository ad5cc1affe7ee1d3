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
  signals: readonly Signal[]
}
