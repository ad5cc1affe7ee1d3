import { hash } from 'node:crypto'
import type { Actor, Origin } from '#action'
import type { Clock } from '#kernel/clock.ts'
import { tooManyRequests } from '#kernel/errors.ts'
import { networkOf } from '#platform/client-network.ts'
import { type Rate, RateLimit, type Room } from '#platform/gcra.ts'
import { Limit } from '#platform/limit.ts'
import { messages } from './messages.ts'

/** What is limited beside all requests of a person or a key. */
export type Costly = 'export' | 'upload' | 'step_up'

const perMinute = (count: number, burst: number): Rate => ({ per_second: count / 60, burst })
const rates = {
  user: { per_second: 50, burst: 200 },
  /** An inspector's copy of a few records is eight files in a row. */
  export: perMinute(10, 20),
  upload: perMinute(60, 20),
  step_up: perMinute(30, 30),
  /** Steps of log-ins before anybody is known. A company in the morning comes from one address. */
  sign_in: perMinute(30, 200),
  /** Tokens and keys that are refused, by address. */
  refused: perMinute(60, 60),
} satisfies Record<string, Rate>
const burstOfKey = 100

const maxAccepted = 50_000

interface Around {
  isOn: boolean
  clock: Clock
  /** Writes the entry of the first refusal within an hour; of an address there is no actor. */
  audit(limited: { actor: Actor | undefined; origin: Origin; reason: string }): Promise<void>
}

type Headers = Record<string, string>
export type RateLimits = ReturnType<typeof openRateLimits>

/** As draft-ietf-httpapi-ratelimit-headers has it. */
const headersOf = (name: string, { per_second, burst }: Rate, { remaining, full_seconds }: Room): Headers => ({
  'ratelimit-policy': `"${name}";q=${burst};w=${Math.ceil(burst / per_second)}`,
  ratelimit: `"${name}";r=${remaining};t=${full_seconds}`,
})

export const refusalBy = (name: string, rate: Rate, room: Room) =>
  tooManyRequests(messages.too_many_requests({ seconds: room.retry_seconds }), {
    'retry-after': String(room.retry_seconds),
    ...headersOf(name, rate, room),
  })

/**
 * LIM-01: limits of this process, by person, by key and by address. They keep one client from taking the service away from all others; what
 * guards secrets is counted by all processes together (src/modules/accounts/log-in/limits.ts).
 */
export function openRateLimits({ isOn, clock, audit }: Around) {
  const limit = new RateLimit()
  const entries = new Limit({ most: 1, window_ms: 60 * 60 * 1000 })
  /** Hashes of an address with a token or key that was accepted from it. */
  const accepted = new Set<string>()
  const now = () => clock.now().getTime()
  const ofCredential = (address: string, text: string) => hash('sha256', `${address} ${text}`, 'base64')

  /** Steps of log-ins, refused tokens: of nobody who is known. */
  const ofAddress = (name: 'sign_in' | 'refused', { clientAddr }: Origin) => `${name} ${networkOf(clientAddr)}`

  async function refuse(
    name: string,
    { rate, room, ...limited }: { rate: Rate; room: Room; who: string; actor: Actor | undefined; origin: Origin },
  ): Promise<never> {
    const { who, actor, origin } = limited
    if (entries.count(`${name} ${who}`, clock.now()))
      await audit({ actor, origin, reason: messages.limit_reached({ limit: name }).text })
    throw refusalBy(name, rate, room)
  }

  return {
    /**
     * Before any look-up: an address from which many tokens and keys were refused is not asked further. Those that were accepted from it
     * before are let in, so that one program with a wrong key does not stop its neighbours behind the same address.
     */
    async admit(origin: Origin, credential: string) {
      if (!isOn) return
      const who = ofAddress('refused', origin)
      const room = limit.look(who, rates.refused, now())
      if (room.isAllowed || accepted.has(ofCredential(origin.clientAddr, credential))) return
      await refuse('refused', { rate: rates.refused, room, who, actor: undefined, origin })
    },
    noteRefused(origin: Origin) {
      if (isOn) limit.take(ofAddress('refused', origin), rates.refused, now())
    },
    async takeSignInStep(origin: Origin) {
      if (!isOn) return
      const who = ofAddress('sign_in', origin)
      const room = limit.take(who, rates.sign_in, now())
      if (!room.isAllowed) await refuse('sign_in', { rate: rates.sign_in, room, who, actor: undefined, origin })
    },
    noteAccepted({ clientAddr }: Origin, credential: string) {
      if (!isOn) return
      accepted.add(ofCredential(clientAddr, credential))
      if (accepted.size > maxAccepted) accepted.delete(accepted.values().next().value!)
    },
    /** Counts a request. The headers of its answer, where less than half of the room is left. */
    async take(actor: Actor, origin: Origin, costly: Costly | undefined): Promise<Headers> {
      if (!isOn) return {}
      const key = actor.apiKey
      const all = key
        ? {
            name: 'key',
            who: `key ${actor.tenantId} ${key.id}`,
            rate: { per_second: key.requests_per_second, burst: Math.max(burstOfKey, key.requests_per_second) },
          }
        : { name: 'user', who: `user ${actor.userId}`, rate: rates.user }
      const counted = [
        all,
        ...(costly ? [{ name: costly, who: `${costly} ${actor.userId}`, rate: rates[costly] }] : []),
      ]
      let headers: Headers = {}
      for (const { name, who, rate } of counted) {
        const room = limit.take(who, rate, now())
        if (!room.isAllowed) await refuse(name, { rate, room, who, actor, origin })
        if (room.remaining < rate.burst / 2) headers = headersOf(name, rate, room)
      }
      return headers
    },
  }
}
