import { conductRules } from './conduct-rules.ts'
import { qualityRules } from './quality-rules.ts'
import { reassuringRules } from './reassurance-rules.ts'
import { safetyRules } from './safety-rules.ts'
import type { Signal } from './signals.ts'

export const severities = ['minor', 'major', 'critical'] as const
export type Severity = (typeof severities)[number]

export type Dimension =
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

/** From so many points on. */
export const thresholds = { major: 2, critical: 6 } as const
/** Rules that do not speak for critical give no more than this together: much that is major does not make it critical. */
export const most_without_critical = 4

export const rules: readonly Rule[] = [...safetyRules, ...qualityRules, ...conductRules, ...reassuringRules]
