import { type Route, route } from '#http'
import { analyze } from './analyze.ts'
import { chat } from './chat.ts'
import { generate } from './generate.ts'

export const routes: Route[] = [
  route('POST', '/api/ai/chat', chat),
  route('POST', '/api/ai/generate', generate),
  route('POST', '/api/ai/analyze', analyze),
]
