import { sql } from 'kysely'
import { steppedJob } from '#modules/jobs'

/** Makes a group for each number, three in a step, and passes over each seventh. With `pause_s` there is time to be killed in the middle. */
export const makeGroups = steppedJob<{ name: string; count: number; pause_s?: number }, { from: number }>({
  name: 'test.make_groups',
  async step({ tx, record }, { input: { name, count, pause_s = 0 }, state: { from = 1 } }) {
    const numbers = Array.from({ length: Math.min(3, count - from + 1) }, (_, index) => from + index)
    const wanted = numbers.filter(number => number % 7 !== 0)
    for (const number of wanted) {
      const { id } = await tx
        .insertInto('groups')
        .values({ name: `${name} ${number}`, group_type: 'custom' })
        .returning('id')
        .executeTakeFirstOrThrow()
      record('group.created', id, { after: { name: `${name} ${number}`, revision: 1 } })
      await sql`select pg_sleep(${pause_s})`.execute(tx)
    }
    const next = from + numbers.length
    const skipped = numbers.length - wanted.length
    return { state: { from: next }, done: wanted.length, skipped, isOver: next > count }
  },
})
