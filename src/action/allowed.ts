// Tells a person which acts on a record they may take, and why not the others, by the checks that refuse the acts.
import { type Static, Type } from 'typebox'
import type { Permission } from '#kernel/catalogue.ts'
import { AppError, forbidden, permissionRequired } from '#kernel/errors.ts'
import { Person, Reason } from '#kernel/schema.ts'
import type { ActionContext, Actor, DeputyScope, Represented } from './definitions.ts'

/** A condition of an act. Throws the refusal with which the act itself is refused. */
export type Check = () => unknown

/** Refuses an act by its first condition that does not hold. */
export async function requireAll(checks: readonly Check[]) {
  for (const check of checks) await check()
}

/** The conditions of each act, by its name. */
export type Acts = Readonly<Record<string, readonly Check[]>>

/** The acts that a deputy may take for other people; missing if there are none. */
export const AllowedFor = Type.Optional(
  Type.Array(Type.Object({ person: Person, may: Type.Array(Type.String()) }), {
    description:
      'The people whose deputy you are today, and the acts that you may take for each: with their id as `on_behalf_of`',
  }),
)

export const Allowed = Type.Object(
  {
    may: Type.Array(Type.String(), { description: 'The acts that you may take now, if your input is valid' }),
    why_not: Type.Record(Type.String(), Type.Array(Reason), {
      description: 'The other acts, each with its refusal, and what else is in its way',
    }),
    for: AllowedFor,
  },
  { description: 'What you may do with it yourself' },
)
export type Allowed = Static<typeof Allowed>

export async function allowedActs(acts: Acts): Promise<Allowed> {
  const allowed: Allowed = { may: [], why_not: {} }
  /** Acts share conditions, and what is refused is thrown, which takes as long as much of the rest. */
  const known = new Map<Check, Refusal>()
  for (const [name, checks] of Object.entries(acts)) {
    const reasons: NonNullable<Refusal>[] = []
    for (const check of checks) {
      if (!known.has(check)) {
        const found = refusalOf(check)
        // Most conditions decide at once, and a turn of the queue for each of them would take longer than they do.
        known.set(check, found instanceof Promise ? await found : found)
      }
      const refusal = known.get(check)
      if (refusal && !reasons.some(({ code }) => code === refusal.code)) reasons.push(refusal)
    }
    if (reasons.length === 0) allowed.may.push(name)
    else allowed.why_not[name] = reasons
  }
  return allowed
}

type Refusal = Static<typeof Reason> | undefined

function refusalOf(check: Check): Refusal | Promise<Refusal> {
  try {
    const checked = check()
    return checked instanceof Promise ? checked.then(() => undefined, toldOf) : undefined
  } catch (error) {
    return toldOf(error)
  }
}

/** Undefined also where the input decides (422): the person can give another one. */
function toldOf(error: unknown): Refusal {
  if (!(error instanceof AppError)) throw error
  const { status, message, code, params } = error
  return status === 422 ? undefined : { detail: message, code, params }
}

/** The refusal with which the runner answers an action without its permission. */
export function requirePermission({ permissions, restriction }: Actor, permission: Permission) {
  if (permissions.has(permission)) return
  throw restriction ? forbidden(restriction) : permissionRequired(permission)
}

/** Nobody's deputy: what is allowed is told to the person themselves. */
export function oneself(actor: Actor): Actor {
  if (actor.standsInFor === undefined) return actor
  const { standsInFor: _, ...own } = actor
  return own
}

type Asking = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The people for whom the actor acts today. */
export async function listPrincipals({ tx, actor, services }: Asking, scope: DeputyScope): Promise<Represented[]> {
  const people = await services.listRepresented({ tx, actor, services })
  return people.filter(({ scopes }) => scopes.includes(scope)).map(({ scopes: _, ...person }) => person)
}

/** The acts that the actor may take for each of these people. `mayFor` lists them for the actor in that person's name. */
export async function actsFor(
  actor: Actor,
  people: readonly Represented[],
  mayFor: (actor: Actor) => Promise<readonly string[]>,
): Promise<Pick<Allowed, 'for'>> {
  const found: NonNullable<Allowed['for']> = []
  for (const person of people) {
    const { userId: id, username, fullName: full_name } = person
    const may = [...(await mayFor({ ...actor, standsInFor: person }))]
    if (may.length > 0) found.push({ person: { id, username, full_name }, may })
  }
  return found.length > 0 ? { for: found } : {}
}
