import type { FastifyInstance } from 'fastify'

const windowMinutes = 5
const slotMs = 10_000
const slots = (windowMinutes * 60_000) / slotMs
/** Each step of the durations is a quarter longer than the one before, so the median is right to some ten percent. */
const stepFactor = 1.25
const stepCount = 64
/** Monitors ask these all the time, and a 503 of theirs says how something else is. A stream of events lasts as long as its reader stays. */
const uncounted = new Set(['/api/health', '/api/status/health', '/api/status', '/api/events'])

const stepOf = (ms: number) =>
  Math.min(stepCount - 1, Math.max(0, Math.ceil(Math.log(Math.max(ms, 1)) / Math.log(stepFactor))))

interface Slot {
  number: number
  requests: number
  failed: number
  /** How many requests took so long. */
  steps: number[]
}

export interface RecentAnswers {
  minutes: number
  requests: number
  /** Answers of 500 and above. */
  failed: number
  median_ms: number | null
}

/** The answers of the last minutes, in slots of ten seconds. `now` in milliseconds. */
export function openRecent(now: () => number) {
  let kept: Slot[] = []
  const current = () => Math.floor(now() / slotMs)
  const prune = (number: number) => {
    if (kept[0] && kept[0].number <= number - slots) kept = kept.filter(each => each.number > number - slots)
  }
  return {
    add({ status, ms }: { status: number; ms: number }) {
      const number = current()
      prune(number)
      let slot = kept.at(-1)
      if (slot?.number !== number) {
        slot = { number, requests: 0, failed: 0, steps: Array(stepCount).fill(0) }
        kept.push(slot)
      }
      slot.requests += 1
      if (status >= 500) slot.failed += 1
      slot.steps[stepOf(ms)]! += 1
    },
    read(): RecentAnswers {
      prune(current())
      const requests = kept.reduce((sum, each) => sum + each.requests, 0)
      const failed = kept.reduce((sum, each) => sum + each.failed, 0)
      let before = 0
      const median = Array.from({ length: stepCount }, (_, step) => step).find(step => {
        before += kept.reduce((sum, { steps }) => sum + steps[step]!, 0)
        return before * 2 >= requests
      })
      return {
        minutes: windowMinutes,
        requests,
        failed,
        median_ms: requests === 0 ? null : Math.round(stepFactor ** median!),
      }
    },
  }
}

/** Counts the requests that are being answered, and how those of the last minutes were answered. */
export function countTraffic(app: FastifyInstance) {
  let requests = 0
  const recent = openRecent(() => performance.now())
  app.server.on('request', (_request, response) => {
    requests += 1
    response.once('close', () => {
      requests -= 1
    })
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (!uncounted.has(request.routeOptions.url ?? '')) recent.add({ status: reply.statusCode, ms: reply.elapsedTime })
    done()
  })
  return { inFlight: () => requests, recent: recent.read }
}
export type Traffic = ReturnType<typeof countTraffic>
