import { conductRules } from './conduct-rules.ts'
import { decisiveRules } from './decisive-rules.ts'
import { qualityRules } from './quality-rules.ts'
import { reassuringRules } from './reassurance-rules.ts'
import type { Rule } from './rule.ts'
import { safetyRules } from './safety-rules.ts'

/** The least points of each severity. */
export const thresholds = { major: 2, critical: 6 } as const
/** Caps the points of all other rules, so that many major signals do not make a critical deviation. */
export const maxWithoutCritical = 4

export const rules: readonly Rule[] = [
  ...decisiveRules,
  ...safetyRules,
  ...qualityRules,
  ...conductRules,
  ...reassuringRules,
]
