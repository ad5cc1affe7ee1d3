import { type LoggerOptions, pino } from 'pino'
import { requestContext } from './request-context.ts'

export const logLevels = ['debug', 'info', 'warning', 'error', 'critical'] as const
export type LogLevel = (typeof logLevels)[number]
export const logFormats = ['json', 'text'] as const
export type LogFormat = (typeof logFormats)[number]

type Fields = Record<string, unknown>
type Write = { (message: string): void; (fields: Fields, message: string): void }

/** The log of platform code. A `Logger` is one; so is `console`. */
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
  /** The level `critical`: the process ends or cannot work any more. */
  fatal: Write
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

const maxCauses = 5

/** The traceback as text, with causes. Not `util.inspect`: a database error would show the values of the row. */
function traceback(error: Error, depth = 0): string {
  const own = error.stack ?? `${error.name}: ${error.message}`
  if (depth === maxCauses) return own
  // A host with several addresses fails with one error for each of them.
  const behind = error instanceof AggregateError ? [...error.errors, error.cause] : [error.cause]
  const causes = behind.filter(each => each instanceof Error)
  return [own, ...causes.map(each => `caused by ${traceback(each, depth + 1)}`)].join('\n')
}

/** The class by its own name, because a `DatabaseError` calls itself `error`. Its code says more. */
function fieldsOf(fields: Fields): Fields {
  if (!(fields.err instanceof Error)) return fields
  const { err, ...rest } = fields as Fields & { err: Error }
  const { code } = err as { code?: unknown }
  return {
    ...rest,
    exc_type: err.constructor.name,
    ...(typeof code === 'string' && { exc_code: code }),
    exc: traceback(err),
  }
}

export function createLog({
  format,
  level,
  write,
  fields = {},
}: {
  format: LogFormat
  level: LogLevel
  write: (line: string) => void
  /** On every line. */
  fields?: Fields
}): Logger {
  const options: LoggerOptions = {
    base: null,
    level: pinoLevel[level],
    messageKey: 'msg',
    timestamp: () => `,"ts":"${new Date().toISOString()}"`,
    formatters: { level: label => ({ level: specifiedLevel[label] }), log: fieldsOf },
    // A copy, because pino writes the line's own fields into it, and the next line would have them too.
    mixin: () => ({ request_id: '', ...requestContext.getStore() }),
  }
  const destination = { write: (line: string) => write(format === 'json' ? printable(line) : readable(line)) }
  const root = pino(options, destination)
  // Always a child of the root: a child of another would have both names on each line.
  const named = (logger: string): Logger =>
    Object.assign(root.child({ logger, ...fields }), { child: (its: { logger: string }) => named(its.logger) })
  return named('attest')
}

/** LOG-04: time, level, logger, message and `[request_id=...]`, then the other fields. A line end within a value does not end the line. */
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

// Characters that end a line, control a terminal, or reverse the direction of writing and so disguise a line.
const steering = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
const escaped = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
const oneLine = (text: string) => text.replace(steering, escaped)
/** JSON does not escape all of them. They can only be inside of its strings; its own line end is the last character. */
const printable = (line: string) => `${oneLine(line.slice(0, -1))}\n`
