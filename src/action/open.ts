// Actions without an actor, and reports that must answer without a database. The runner, which needs both, does not run them.
import { type Static, type TNull, type TSchema, Type } from 'typebox'
import type { Permission } from '#kernel/catalogue.ts'
import type { RedirectAnswer } from './cookie-answer.ts'
import type { Input, Origin, Parts, Services } from './definitions.ts'

/** The context of an action without an actor. */
interface OpenContext {
  services: Services
  origin: Origin
  /** The cookie of a log-in by a provider that the browser has begun; undefined without one. */
  loginCookie?: string | undefined
}

/** Describes the installation itself, and no record. It has no transaction, because it must answer while the database does not. */
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

/** One of the few actions that need no token (AUTH-06). */
export interface OpenAction<P extends Parts = Parts, R extends TSchema = TSchema> {
  kind: 'open'
  summary: string
  description?: string
  input: P
  response: R
  run: (context: OpenContext, input: Input<P>) => Promise<Static<R>>
  /** Sends a browser on to another page: `run` answers a `RedirectAnswer`. */
  answer?: 'redirect'
  /** The body is a form of names and values, and not JSON. */
  takesForm?: true
  /** A step of a log-in that costs a guesser nothing, and is counted by address. Log-ins themselves are counted where they are decided. */
  isSignInStep?: true
  /** For an answer that decides its own status, such as a probe that found something down. */
  statusOf?: (answer: Static<R>) => number
}
/** An open action that a browser opens as a page, and that sends it on. */
export const openRedirect = <const P extends Parts>(
  definition: Pick<OpenAction<P, TNull>, 'summary' | 'description' | 'input' | 'isSignInStep'> & {
    run: (context: OpenContext, input: Input<P>) => Promise<RedirectAnswer>
  },
): OpenAction<P, TNull> => ({
  kind: 'open',
  answer: 'redirect',
  response: Type.Null(),
  ...(definition as unknown as Omit<OpenAction<P, TNull>, 'kind' | 'response'>),
})
export const openAction = <const P extends Parts, R extends TSchema>(
  definition: Omit<OpenAction<P, R>, 'kind'>,
): OpenAction<P, R> => ({ kind: 'open', ...definition })
