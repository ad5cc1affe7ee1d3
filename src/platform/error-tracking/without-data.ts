import { isDatabaseError } from '../db/database-errors.ts'

const maxCauses = 5

/** The parts of a database error that come from the program and not from a person. */
const namesOf = ({ code, constraint, table, column }: Partial<Record<string, unknown>>) =>
  Object.entries({ code, constraint, table, column })
    .map(([name, value]) => (typeof value === 'string' ? `${name} ${value}` : ''))
    .filter(text => text !== '')
    .join(', ')

/**
 * A copy of the error for the tracker: name, message, stack and causes. PostgreSQL quotes values of rows in its messages, so these are
 * replaced, also where another error repeats them.
 */
export function withoutData(error: Error): Error {
  const databaseErrors = chainOf(error).filter(isDatabaseError)
  return copyOf(error, {
    messages: databaseErrors.map(({ message }) => message).filter(message => message !== ''),
    depth: 0,
  })
}

const causesOf = (error: Error): Error[] =>
  [error.cause, ...(error instanceof AggregateError ? error.errors : [])].filter(each => each instanceof Error)

function chainOf(error: Error, depth = 0): Error[] {
  return [error, ...(depth < maxCauses ? causesOf(error).flatMap(each => chainOf(each, depth + 1)) : [])]
}

function copyOf(error: Error, { messages, depth }: { messages: string[]; depth: number }): Error {
  const { name, message, stack = '' } = error
  const isTold = isDatabaseError(error) || messages.some(each => message.includes(each))
  const kept = isTold ? `Database error${namesOf(error as never) && `: ${namesOf(error as never)}`}` : message
  const causes = depth < maxCauses ? causesOf(error).map(each => copyOf(each, { messages, depth: depth + 1 })) : []
  const [cause, ...others] = causes
  const copy =
    others.length > 0 ? new AggregateError(causes, kept) : new Error(kept, cause === undefined ? undefined : { cause })
  copy.name = String(name)
  // The stack begins with the message, which may have several lines.
  const afterMessage = message === '' ? stack.indexOf('\n') : stack.indexOf(message) + message.length
  copy.stack = `${copy.name}: ${kept}${stack.includes(message) ? stack.slice(afterMessage) : ''}`
  return copy
}
