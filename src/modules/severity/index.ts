export { criteria } from './criteria.ts'
export { type Severity, severities } from './rules.ts'
export { type SeveritySuggestion, suggestSeverity } from './suggest.ts'
