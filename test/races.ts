import { setTimeout } from 'node:timers/promises'
import type { World } from './world.ts'

/**
 * Lets requests meet: rows are locked by `lock` until `waiting` of the requests stand before them (or all are answered, because
 * nothing made them wait), and then all go on at once.
 */
export async function meeting<T>(
  world: World,
  lock: { text: string; values: unknown[]; waiting: number },
  send: () => Promise<T>[],
): Promise<T[]> {
  await world.rows('begin')
  try {
    await world.rows(lock.text, lock.values)
    let isAnswered = false
    const answers = Promise.all(send()).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) {
      const [{ n }] = (await world.rows(`select count(distinct pid)::int as n from pg_locks where not granted`)) as [
        { n: number },
      ]
      if (n >= lock.waiting) break
      await setTimeout(5)
    }
    await world.rows('commit')
    return await answers
  } catch (error) {
    await world.rows('rollback')
    throw error
  }
}
