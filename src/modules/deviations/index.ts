import { type Route, route } from '#http'
import { caseRoutes } from '#modules/casework'
import { deviationAccess } from './access.ts'
import { details, list, values } from './actions.ts'
import { create } from './create.ts'
import { severitySuggestion } from './suggestion.ts'
import { update } from './update.ts'

export { deviationAccess } from './access.ts'
export { awaitingDeviations } from './awaiting.ts'
export { workOnDeviations } from './hand-over/work.ts'
export { addImportedDeviation, importedDeviationStates } from './imported/create.ts'
export { listNamedDeviations } from './queries.ts'
export { deviationReminders } from './reminders.ts'
export { requestsOfDeviations } from './requests.ts'
export { lateAfterHours, mayAssignDeviations } from './rules.ts'
export { Category, Severity, State } from './schema.ts'
export { signedDeviations } from './signed.ts'
export { type DeviationRow, requireDeviation } from './view.ts'

export const routes: Route[] = [
  route('POST', '/api/deviations/suggest-severity', severitySuggestion),
  route('GET', '/api/deviations/', list),
  route('POST', '/api/deviations/', create, { status: 201 }),
  route('GET', '/api/deviations/values', values),
  route('GET', '/api/deviations/:id', details),
  route('PUT', '/api/deviations/:id', update),
  ...caseRoutes(deviationAccess),
]
