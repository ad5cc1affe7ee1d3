import type { AnswerOf } from './client.ts'

export type Tenant = AnswerOf<'GET /api/platform/tenants/'>['items'][number]

export const mib = 1_048_576
