import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig, Pool, PoolClient } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { within } from '../within.ts'

export interface Patience {
  /** How long a connection is in use before it is asked whether the server is there at all. */
  held_ms: number
  /** How long the server has to answer that. */
  answer_ms: number
}

/** Together less than the ten seconds in which everybody who waits for the database is told. */
export const usualPatience: Patience = { held_ms: 4_000, answer_ms: 4_500 }

/**
 * Gives up the connections in use once the server answers nobody: it is frozen, or the network swallows what is sent. A statement may
 * take a minute, so its silence alone says nothing; but a server that works lets somebody in meanwhile, or refuses it in words. With
 * the one that is asked about go those that were taken after it: each would else wait for a question of its own, and longer than promised.
 */
export function giveUpSilence(pool: Pool, app: ClientConfig, log: Log, { held_ms, answer_ms }: Patience) {
  const held = new Map<PoolClient, number>()
  let isWatching = false
  const watch = async () => {
    if (isWatching) return
    isWatching = true
    while (held.size > 0) {
      const oldest = Math.min(...held.values())
      // Not at once again where it was looked at just now, and a statement still takes its time.
      await setTimeout(Math.max(oldest + held_ms - performance.now(), held_ms / 8), undefined, { ref: false })
      if (![...held.values()].some(since => performance.now() - since >= held_ms)) continue
      const before = [...held].map(([client, since]) => ({ client, since, heard: heardOn(client) }))
      if (await answers(app, answer_ms)) continue
      const silent = before.filter(
        ({ client, since, heard }) => held.get(client) === since && heardOn(client) === heard,
      )
      if (silent.length === 0) continue
      log.warn(`the database is silent: ${silent.length} connections in use are given up`)
      // By themselves they would wait for the answers to what was sent.
      for (const { client } of silent) client.connection.stream.destroy()
    }
    isWatching = false
  }
  pool.on('acquire', client => {
    held.set(client, performance.now())
    void watch()
  })
  const free = (client: PoolClient) => void held.delete(client)
  pool.on('release', (_, client) => free(client))
  pool.on('remove', free)
}

const heardOn = ({ connection }: PoolClient) => (connection.stream as Socket).bytesRead

async function answers(app: ClientConfig, timeout_ms: number) {
  const client = new pg.Client({ ...app, connectionTimeoutMillis: timeout_ms + 500 })
  client.on('error', () => {})
  const answered = client.connect().then(
    () => true,
    () => true,
  )
  void answered.then(() => client.end()).catch(() => {})
  return within(answered, timeout_ms, false)
}
