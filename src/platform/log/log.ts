import { type LoggerOptions, pino } from 'pino'
import { requestContext } from './request-context.ts'

export const logLevels = ['debug', 'info', 'warning', 'error', 'critical'] as const
export type LogLevel = (typeof logLevels)[number]
export const logFormats = ['json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

type Fields = Record<string, unknown>
type Write = { (message: string): void; (fields: Fields, message: string): void }

/** What platform code says while it works. A `Logger` is one; so is `console`. */
export interface Log {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

/** One for each part of the program; `child({ logger: 'server.access' })` names it (LOG-03). */
export interface Logger extends Log {
  debug: Write
  info: Write
  warn: Write
  /** An `err` among the fields becomes `exc_type` and `exc`. */
  error: Write
  child(bindings: { logger: string }): Logger
}

const pinoLevel = { debug: 'debug', info: 'info', warning: 'warn', error: 'error', critical: 'fatal' } as const
const specifiedLevel: Record<string, LogLevel> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
  fatal: 'critical',
}

/** The traceback as text, with causes. Not `util.inspect`: a database error would show the values of the row. */
function traceback(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`
  return error.cause instanceof Error ? `${own}\ncaused by ${traceback(error.cause)}` : own
}

function fieldsOf(fields: Fields): Fields {
  const { err, ...rest } = fields
  if (!(err instanceof Error)) return fields
  return { ...rest, exc_type: err.name, exc: traceback(err) }
}

export function createLog({
  format,
  level,
  write,
}: {
  format: LogFormat
  level: LogLevel
  write: (line: string) => void
}): Logger {
  const options: LoggerOptions = {
    base: null,
    level: pinoLevel[level],
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: label => ({ level: specifiedLevel[label] }), log: fieldsOf },
    mixin: () => requestContext.getStore() ?? { request_id: '' },
  }
  const destination = { write: (line: string) => write(format === 'json' ? line : readable(line)) }
  return pino(options, destination).child({ logger: 'attest' })
}

/** LOG-04: time, level, logger, message and `[request_id=...]`, then what else there is. A line end within a value stays within the line. */
function readable(line: string) {
  const { ts, level, logger, msg, request_id, exc, ...rest } = JSON.parse(line) as Record<string, string>
  const extra = Object.entries(rest).map(
    ([key, value]) => `${key}=${oneLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
  )
  const head = [
    ts,
    level?.toUpperCase().padEnd(8),
    logger,
    oneLine(msg ?? ''),
    `[request_id=${request_id ?? ''}]`,
    ...extra,
  ].join(' ')
  return `${head}\n${
    exc
      ? `${exc
          .split('\n')
          .map(each => `    ${oneLine(each)}`)
          .join('\n')}\n`
      : ''
  }`
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]/gu, each => JSON.stringify(each).slice(1, -1))
