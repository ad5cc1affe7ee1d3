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
  /** Of which severity it speaks. */
  severity: Severity
  /** Added once, however often its signals stand in a text; less than nothing speaks for less. */
  points: number
  signals: readonly Signal[]
}
