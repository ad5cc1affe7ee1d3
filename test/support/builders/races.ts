import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { World } from '../world/world.ts'

const meeting_timeout_ms = 60_000

// Only who stands behind this world's own transaction, also in the second row: other tests share the server, and wait too.
// pg_locks, because pg_stat_activity stays the same for as long as a transaction.
const behindUs = `
  with recursive behind (pid) as (
    select pg_backend_pid()
    union
    select waits.pid from (select distinct pid from pg_locks where not granted) waits
    join behind on behind.pid = any (pg_blocking_pids(waits.pid))
  )
  select count(*)::int - 1 as n from behind`

/** How many wait for what the transaction of `world.rows` holds, or behind somebody who does. */
export async function waitingBehind(world: World): Promise<number> {
  const [row] = await world.rows<{ n: number }>(behindUs)
  return row!.n
}

/** Returns when `count` wait behind the transaction of `world.rows`, fails when they do not come. */
export async function haveWaiting(world: World, count: number) {
  for (const deadline = Date.now() + meeting_timeout_ms; ; ) {
    const waiting = await waitingBehind(world)
    if (waiting >= count) return
    assert.ok(Date.now() < deadline, `${waiting} of ${count} wait: they never met`)
    await setTimeout(5)
  }
}

async function holding<T>(world: World, lock: { text: string; values: unknown[] }, work: () => Promise<T>) {
  await world.rows('begin')
  try {
    await world.rows(lock.text, lock.values)
    return await work()
  } catch (error) {
    await world.rows('rollback')
    throw error
  }
}

/**
 * Lets requests meet: rows are locked by `lock` until `waiting` of the requests stand before them (or all are answered, because
 * nothing made them wait), and then all go on at once.
 */
export function meeting<T>(
  world: World,
  lock: { text: string; values: unknown[]; waiting: number },
  send: () => Promise<T>[],
): Promise<T[]> {
  return holding(world, lock, async () => {
    let isAnswered = false
    const answers = Promise.all(send()).finally(() => {
      isAnswered = true
    })
    while (!isAnswered && (await waitingBehind(world)) < lock.waiting) await setTimeout(5)
    await world.rows('commit')
    return answers
  })
}

/** Like `meeting`, but each starts when those before it wait: they go on in the order in which they are given. */
export function meetingInOrder<T>(
  world: World,
  lock: { text: string; values: unknown[] },
  starts: (() => Promise<T>)[],
): Promise<T[]> {
  return holding(world, lock, async () => {
    const running: Promise<T>[] = []
    for (const start of starts) {
      running.push(start())
      await haveWaiting(world, running.length)
    }
    await world.rows('commit')
    return Promise.all(running)
  })
}
