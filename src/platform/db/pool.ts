import type { ClientConfig, CustomTypesConfig, Pool } from 'pg'
import pg from 'pg'
import type { Log } from '../log/log.ts'
import { giveUpSilence, type Patience, usualPatience } from './silence.ts'

type Parser = (text: string) => unknown

const driversParser = pg.types.getTypeParser as (id: number, format?: 'text' | 'binary') => Parser
const text_array = 1009
/** Values as the wire wants them, so that a row goes out as it was read. */
const parsers: Record<number, Parser> = {
  [pg.types.builtins.TIMESTAMPTZ]: isoTimestamp,
  [pg.types.builtins.DATE]: text => text, // pg would make it midnight in the zone of this machine: elsewhere, another day
  [pg.types.builtins.INT8]: wholeNumber,
  // The arrays of these three.
  1185: arrayOf(isoTimestamp),
  1182: arrayOf(text => text),
  1016: arrayOf(wholeNumber),
}
const types: CustomTypesConfig = {
  getTypeParser: ((id: number, format: 'text' | 'binary') =>
    parsers[id] ?? driversParser(id, format)) as CustomTypesConfig['getTypeParser'],
}

/** Connections that answer with these types, and that may be sent a statement before the one ahead of it is answered. */
export function openPool(app: ClientConfig, log: Log, patience: Patience = usualPatience): Pool {
  const pool = new pg.Pool({
    max: 10,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // The server ends a statement after a minute (roles.sql). This is for a connection that hangs while the server answers others.
    query_timeout: 65_000,
    keepAlive: true,
    ...app,
    types,
    pipeline: true,
  })
  // A connection that breaks ends this process unless someone listens. The pool does so for those that lie idle, and nobody
  // for those in use, which are most of them when the server is restarted.
  pool.on('connect', client => client.on('error', error => log.warn(`a database connection broke: ${error.message}`)))
  pool.on('error', () => {})
  giveUpSilence(pool, app, log, patience)
  return pool
}

/** To the microsecond, as stored: what is read can be compared with what is stored. A session that is not in UTC loses that, not the moment. */
function isoTimestamp(text: string) {
  return text.endsWith('+00') ? `${text.slice(0, -3).replace(' ', 'T')}Z` : new Date(text).toISOString()
}

function wholeNumber(text: string) {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new Error(`${text} does not fit into a number`)
  return number
}

function arrayOf(parse: Parser): Parser {
  const split = driversParser(text_array) as (text: string) => (string | null)[]
  return text => split(text).map(element => (element === null ? null : parse(element)))
}
