export { criteria } from './criteria.ts'
export { type Severity, severities } from './rule.ts'
export { type SeveritySuggestion, suggestSeverity } from './suggest.ts'
