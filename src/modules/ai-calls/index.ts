import { type Route, route } from '#http'
import { changeSettings, settings } from './settings.ts'
import { usage } from './usage.ts'

export { endAbandoned } from './abandoned.ts'
export { requireAssistant, withAiCall } from './call.ts'
export type { AiCallKind } from './words.ts'

export const routes: Route[] = [
  route('GET', '/api/ai/settings', settings),
  route('PUT', '/api/ai/settings', changeSettings),
  route('GET', '/api/ai/usage', usage),
]
