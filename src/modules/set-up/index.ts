import { openRoute, type Route, route } from '#http'
import { sendTestMail, setUp } from './actions.ts'
import { startFirstCompany } from './first-start.ts'

export { issueSetupCode } from './first-start.ts'

export const routes: Route[] = [
  openRoute('POST', '/api/auth/first-start', startFirstCompany, { status: 204 }),
  route('GET', '/api/set-up/', setUp),
  route('POST', '/api/set-up/test-mail', sendTestMail),
]
