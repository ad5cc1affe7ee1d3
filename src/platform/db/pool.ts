import type { ClientConfig, CustomTypesConfig, Pool } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { clientOfPrimary, type Primary } from './primary.ts'
import { giveUpSilence, type Patience, usualPatience } from './silence.ts'

type Parser = (text: string) => unknown

const driversParser = pg.types.getTypeParser as (id: number, format?: 'text' | 'binary') => Parser
const textArray = 1009
/** Values in the form of the API, so that a row can be sent as it was read. */
const parsers: Record<number, Parser> = {
  [pg.types.builtins.TIMESTAMPTZ]: isoTimestamp,
  [pg.types.builtins.DATE]: text => text, // pg would make it midnight in this machine's time zone, which is another day elsewhere
  [pg.types.builtins.INT8]: wholeNumber,
  // Arrays of the three types above.
  1185: arrayOf(isoTimestamp),
  1182: arrayOf(text => text),
  1016: arrayOf(wholeNumber),
}
const types: CustomTypesConfig = {
  getTypeParser: ((id: number, format: 'text' | 'binary') =>
    parsers[id] ?? driversParser(id, format)) as CustomTypesConfig['getTypeParser'],
}

/**
 * Opens a pool with these types and with pipelining: a statement may be sent before the one ahead is answered. With `primary`, its
 * connections go to the server that takes changes.
 */
export function openPool(app: ClientConfig, log: Log, patience: Patience = usualPatience, primary?: Primary): Pool {
  const pool = new pg.Pool({
    max: 10,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // The server ends a statement after a minute (roles.sql). This limit is for a connection that hangs.
    query_timeout: 65_000,
    keepAlive: true,
    ...app,
    types,
    pipeline: true,
    ...(primary && { Client: clientOfPrimary(primary) }),
  })
  // A broken connection ends this process unless it has a listener. The pool listens to idle connections only, and most are in use when
  // the server is restarted.
  pool.on('connect', client => client.on('error', error => log.warn(`a database connection broke: ${error.message}`)))
  pool.on('error', () => {})
  giveUpSilence(pool, () => primary?.login() ?? app, log, patience)
  return pool
}

/** Keeps microseconds, so that a value that was read equals the stored one. Falls back to milliseconds if the session is not in UTC. */
function isoTimestamp(text: string) {
  return text.endsWith('+00') ? `${text.slice(0, -3).replace(' ', 'T')}Z` : new Date(text).toISOString()
}

function wholeNumber(text: string) {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new Error(`${text} does not fit into a number`)
  return number
}

function arrayOf(parse: Parser): Parser {
  const split = driversParser(textArray) as (text: string) => (string | null)[]
  return text => split(text).map(element => (element === null ? null : parse(element)))
}
