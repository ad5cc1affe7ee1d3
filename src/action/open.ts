// What the runner does not run: who asks is not known, or the database may not be there.
import type { Static, TSchema } from 'typebox'
import type { Permission } from '#kernel/catalogue.ts'
import type { Database } from '#platform/db/database.ts'
import type { Input, Origin, Parts } from './definitions.ts'
import type { Runner } from './runner.ts'
import type { Services } from './services.ts'

/** What an open route works with: no actor is known yet. */
interface OpenContext {
  services: Services
  origin: Origin
  database: Database
  runner: Runner
}

/**
 * Tells of the installation itself, and of nobody's records: it has no transaction, because it must answer while the database
 * does not.
 */
export interface Report<R extends TSchema = TSchema> {
  kind: 'report'
  summary: string
  description?: string
  permission: Permission
  input: Record<string, never>
  response: R
  run: (context: OpenContext) => Promise<Static<R>>
}
export const report = <R extends TSchema>(definition: Omit<Report<R>, 'kind' | 'input'>): Report<R> => ({
  kind: 'report',
  input: {},
  ...definition,
})

/** One of the few things that need no token (AUTH-06). */
export interface OpenAction<P extends Parts = Parts, R extends TSchema = TSchema> {
  kind: 'open'
  summary: string
  description?: string
  input: P
  response: R
  run: (context: OpenContext, input: Input<P>) => Promise<Static<R>>
  /** Where the answer itself decides its status: a probe that found something down. */
  statusOf?: (answer: Static<R>) => number
}
export const openAction = <const P extends Parts, R extends TSchema>(
  definition: Omit<OpenAction<P, R>, 'kind'>,
): OpenAction<P, R> => ({ kind: 'open', ...definition })
