import assert from 'node:assert/strict'
import { type Json, ok } from '../builders/documents.ts'
import type { World } from './world.ts'

/** An entry of the trail has its own moment, a row that of the beginning of its transaction. */
const same_moment_ms = 15_000

const momentOrSame = (_field: string, value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? new Date(value).toISOString() : value

/** Parts of a record say what one may do with them, as the record itself does. */
const withoutActs = (field: string, value: unknown) => (field === 'you' ? undefined : value)

/** An answer as far as it can be told from the trail, with the moment of its latest change apart. */
function comparable(answer: Json, left_out: readonly string[]) {
  const { updated_at, reconstruction: _, ...rest } = answer
  for (const field of left_out) delete rest[field]
  // Moments as moments: one time in ten the last digit of one is a zero that is not written.
  return {
    updated_at: updated_at ? Date.parse(updated_at) : 0,
    rest: JSON.parse(JSON.stringify(rest, withoutActs), momentOrSame),
  }
}

/** Remembers what was answered of a record after each step that changed it, and what the trail must say afterwards that it was. */
export function remembered(world: World, { by, url }: { by: string; url: string }) {
  const answers: { at: string; answer: Json }[] = []
  const separator = url.includes('?') ? '&' : '?'
  const get = async (query = '') => ok(await world.as(by).get(url + query))
  return {
    async look() {
      const answer = await get()
      if (JSON.stringify(answer) === JSON.stringify(answers.at(-1)?.answer)) return
      const [now] = await world.rows<{ at: string }>(
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
      )
      answers.push({ at: now!.at, answer })
    },
    /** `but`: what goes by the day, which the clock of a test may have moved. */
    async assertAll({ but = [] }: { but?: readonly string[] } = {}) {
      for (const { at, answer } of answers) {
        const then = await get(`${separator}as_of=${at}`)
        const { as_of, left_out, unknown } = then.reconstruction
        assert.deepEqual([Date.parse(as_of), unknown], [Date.parse(at), []])
        const [said, was] = [then, answer].map(each => comparable(each, [...left_out, ...but]))
        assert.deepEqual(said!.rest, was!.rest, `as of ${at}`)
        assert.ok(Math.abs(said!.updated_at - was!.updated_at) < same_moment_ms, `updated at, as of ${at}`)
      }
    },
  }
}
