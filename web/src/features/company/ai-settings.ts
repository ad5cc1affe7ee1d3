import type { Answer } from '../../api/client.ts'

export type AiSettings = Answer<'GET /api/ai/settings'>
