import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { ClientConfig, Pool, PoolClient } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { within } from '../within.ts'

export interface Patience {
  /** Time in use after which a connection raises the question whether the server still answers. */
  held_ms: number
  /** Time for the server's answer. */
  answer_ms: number
}

/** Together shorter than the ten seconds in which every request that waits for the database is answered. */
export const usualPatience: Patience = { held_ms: 4_000, answer_ms: 4_500 }

/**
 * Drops the connections in use when the server answers nobody, because it is frozen or the network loses packets. A statement may take a
 * minute, so its silence proves nothing; but a working server accepts or refuses a new log-in meanwhile. Connections that were taken later
 * are dropped too, because each would otherwise wait for a probe of its own, longer than promised.
 */
export function giveUpSilence(pool: Pool, login: () => ClientConfig, log: Log, { held_ms, answer_ms }: Patience) {
  const held = new Map<PoolClient, number>()
  let isWatching = false
  const watch = async () => {
    if (isWatching) return
    isWatching = true
    while (held.size > 0) {
      const oldest = Math.min(...held.values())
      // Pauses after a successful probe, because a statement may still take its time.
      await setTimeout(Math.max(oldest + held_ms - performance.now(), held_ms / 8), undefined, { ref: false })
      if (![...held.values()].some(since => performance.now() - since >= held_ms)) continue
      const before = [...held].map(([client, since]) => ({ client, since, heard: heardOn(client) }))
      if (await answers(login(), answer_ms)) continue
      const silent = before.filter(
        ({ client, since, heard }) => held.get(client) === since && heardOn(client) === heard,
      )
      if (silent.length === 0) continue
      log.warn(`the database is silent: ${silent.length} connections in use are given up`)
      // Otherwise they would wait for the answers.
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
