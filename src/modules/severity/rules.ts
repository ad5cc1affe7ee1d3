import { conductRules } from './conduct-rules.ts'
import { qualityRules } from './quality-rules.ts'
import { reassuringRules } from './reassurance-rules.ts'
import type { Rule } from './rule.ts'
import { safetyRules } from './safety-rules.ts'

/** From so many points on. */
export const thresholds = { major: 2, critical: 6 } as const
/** Rules that do not speak for critical give no more than this together: much that is major does not make it critical. */
export const maxWithoutCritical = 4

export const rules: readonly Rule[] = [...safetyRules, ...qualityRules, ...conductRules, ...reassuringRules]
