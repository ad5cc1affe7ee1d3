import type { Act, AnyAction, Input, Parts, Services } from '#action'
import { invalid, issueAt } from '#kernel/errors.ts'
import { withoutProof } from '#kernel/schema.ts'
import { digest } from '#platform/crypto/canonical.ts'
import { messages } from './messages.ts'
import { validate } from './validation.ts'

/** A route, as far as it says which requests are its. */
interface Requested {
  method: string | string[]
  url: string
  action: { kind: string; input: Parts }
}

/** Whether a request of this route can be proved by a signing challenge. */
export const takesChallenge = ({ action: { input } }: Pick<Requested, 'action'>): boolean =>
  'signing_challenge' in ((input.body as { properties?: object } | undefined)?.properties ?? {})

/** The request as a signing challenge names it. The path is written from what was read of it, so that it has one spelling. */
export const actOf = (
  { method, url }: Pick<Requested, 'method' | 'url'>,
  { params, body }: { params: unknown; body: unknown },
): Act => ({
  method: String(method),
  path: url.replace(/:(\w+)/g, (_, name: string) => String((params as Record<string, unknown>)[name])),
  body_sha256: digestOf(withoutProof((body ?? {}) as object)),
})

/** Half a character has no canonical form, and so nothing that could be signed. */
function digestOf(body: object): string {
  try {
    return digest(body)
  } catch {
    throw invalid(issueAt(['body'], messages.unreadable_text()))
  }
}

/** The values of the parameters in the path; undefined if it is not one of the route. */
function paramsIn(url: string, path: string): Record<string, string> | undefined {
  const pattern = url.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\/$/, '/?')
  const match = new RegExp(`^${pattern}$`).exec(path)
  return match ? { ...match.groups } : undefined
}

/** Finds the action of a request that is about to be signed, and validates the request as its route does. */
export const openActs =
  (routes: () => readonly Requested[]): Services['findAct'] =>
  ({ method, path, body }) => {
    for (const route of routes().filter(takesChallenge)) {
      const texts = route.method === method ? paramsIn(route.url, path) : undefined
      if (!texts) continue
      const { input } = route.action
      const params = input.params ? validate(input.params, 'path', texts) : {}
      // A copy, because the validation fills in defaults.
      const read = validate(input.body!, 'body', structuredClone(withoutProof(body)))
      return {
        action: route.action as AnyAction,
        input: { params, query: {}, body: read } as unknown as Input<Parts>,
        act: actOf(route, { params, body: read }),
        expectedRevision: (read as { revision?: number }).revision,
      }
    }
    return undefined
  }
