export { type SeveritySuggestion, suggestSeverity } from './suggest.ts'
