import { setTimeout } from 'node:timers/promises'
import type { ClientConfig } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { within } from '../within.ts'

/** A server of DATABASE_HOSTS. Without a port, that of the URL. */
export interface Place {
  host: string
  port?: string
}

/** A login by URL, whose host is replaced by that of the server which takes changes. */
export type Login = ClientConfig & { connectionString: string }

/** For one server. */
const answer_ms = 1_500
/** A server that already answered waits so long for another one that claims to be newer. */
const others_ms = 250
/** How long a connection waits for a server to be promoted. It is within the ten seconds in which each request is answered. */
const promotion_ms = 2_000
const between_looks_ms = 100
/** Connections that are made together look once. */
const fresh_ms = 1_000

export const nameOf = ({ host, port }: Place) => (port ? `${host}:${port}` : host)

export function loginAt<L extends Login>(login: L, { host, port }: Place): L {
  const url = new URL(login.connectionString)
  url.hostname = host
  url.searchParams.delete('host')
  if (port) {
    url.port = port
    url.searchParams.delete('port')
  }
  return { ...login, connectionString: url.href }
}

interface Answer {
  place: Place
  /** Grows with each promotion; undefined for a standby and for a server that does not answer. */
  timeline?: number
  trouble: string
}

/** A server that takes changes says which timeline it writes. `pg_walfile_name` begins with it, and anybody may call it. */
const question = `select case when pg_is_in_recovery() then null else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`

async function ask(login: Login, place: Place): Promise<Answer> {
  const client = new pg.Client({
    ...loginAt(login, place),
    connectionTimeoutMillis: answer_ms,
    query_timeout: answer_ms,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ timeline: string | null }>(question)
    const timeline = rows[0]!.timeline
    return timeline === null
      ? { place, trouble: 'is a standby' }
      : { place, timeline: Number.parseInt(timeline, 16), trouble: '' }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return { place, trouble: `answers ${message || code}` }
  } finally {
    void client.end().catch(() => {})
  }
}

/**
 * Asks all servers side by side. Of two that take changes, the one with the later timeline was promoted, and the other has come back
 * without knowing it.
 */
async function look(login: Login, places: readonly Place[]): Promise<{ found?: Place; troubles: Answer[] }> {
  const answers: Answer[] = []
  const asked = places.map(async place => {
    const answer = await ask(login, place)
    answers.push(answer)
    if (answer.timeline === undefined) throw new Error(answer.trouble)
  })
  await Promise.any(asked).catch(() => {})
  await within(Promise.allSettled(asked), others_ms, undefined)
  const [first] = answers
    .filter(({ timeline }) => timeline !== undefined)
    .toSorted((one, other) => other.timeline! - one.timeline!)
  return { ...(first && { found: first.place }), troubles: answers }
}

async function lookUntilFound(login: Login, places: readonly Place[]): Promise<Place> {
  for (const deadline = performance.now() + promotion_ms; ; await setTimeout(between_looks_ms)) {
    const { found, troubles } = await look(login, places)
    if (found) return found
    if (performance.now() < deadline) continue
    const said = troubles.map(({ place, trouble }) => `${nameOf(place)} ${trouble}`)
    throw new Error(`no server of DATABASE_HOSTS takes changes: ${said.join('; ')}`)
  }
}

/** For what connects once, such as a migration. Without places, the login as it is. */
export const loginAtPrimary = async (login: Login, places: readonly Place[]): Promise<Login> =>
  places.length === 0 ? login : loginAt(login, await lookUntilFound(login, places))

/** Which of several servers takes changes, as the connections of a pool need it: looked for again whenever one breaks. */
export interface Primary {
  find(): Promise<Place>
  /** Called when a connection to it broke or was refused. */
  doubt(place: Place): void
  /** The login at the latest known server. */
  login(): Login
}

export function openPrimary(login: Login, places: readonly Place[], log: Log): Primary {
  let known: { place: Place; until: number } | undefined
  let latest = places[0]!
  let looking: Promise<Place> | undefined
  const lookAgain = async () => {
    const place = await lookUntilFound(login, places)
    if (place !== latest) log.warn(`the database that takes changes is ${nameOf(place)}`)
    latest = place
    known = { place, until: performance.now() + fresh_ms }
    return place
  }
  return {
    find() {
      if (known && performance.now() < known.until) return Promise.resolve(known.place)
      looking ??= lookAgain().finally(() => {
        looking = undefined
      })
      return looking
    },
    doubt(place) {
      if (known?.place === place) known = undefined
    },
    login: () => loginAt(login, latest),
  }
}

/** The driver's client, which connects to the server that takes changes at that moment. */
export function clientOfPrimary(primary: Primary): typeof pg.Client {
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = this.#connect()
      if (!callback) return connected
      // Outside of the promise, which would take an error of the caller for one of the connection.
      connected.then(
        () => process.nextTick(callback, undefined),
        error => process.nextTick(callback, error),
      )
      return undefined
    }

    async #connect(): Promise<this> {
      const place = await primary.find()
      const doubt = () => primary.doubt(place)
      this.on('error', doubt)
      const { host, port } = new pg.Client(primary.login())
      Object.assign(this, { host, port })
      // The server reports it by itself at the log-in. PgBouncer may not, and was asked a moment ago.
      let isStandby = false
      this.connection.on('parameterStatus', (status: { parameterName: string; parameterValue: string }) => {
        if (status.parameterName === 'in_hot_standby') isStandby = status.parameterValue === 'on'
      })
      try {
        await super.connect()
      } catch (error) {
        doubt()
        throw error
      }
      if (!isStandby) return this
      doubt()
      await this.end()
      throw new Error(`${nameOf(place)} has become a standby`)
    }
  }
}
