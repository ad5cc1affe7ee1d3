import { DatabaseError } from 'pg'

const databaseErrors = new WeakSet<object>()

/**
 * True for an error of the database (ERR-03): a refused statement, or a connection that broke or was never made. Errors of the work inside
 * a transaction are not.
 */
export const isDatabaseError = (error: unknown) =>
  typeof error === 'object' && error !== null && databaseErrors.has(error)

/** True if the server could not be reached or ended the connection. Errors of a statement have codes of another class. */
export const isConnectionLost = (error: unknown) => {
  if (!isDatabaseError(error)) return false
  const { code } = error as { code?: unknown }
  const isOfStatement = typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
  return !isOfStatement || /^(08|57P|53300)/.test(code)
}

/** True if a retry may succeed: the work lost against another transaction and was rolled back. */
export const isPassing = (error: unknown) =>
  isDatabaseError(error) && (['40001', '40P01'].includes((error as { code: string }).code) || isStalePlan(error))

/** True if a signature names another moment than the clock of the database: the trigger `signed_now`. */
export const isClockDifference = (error: unknown) =>
  isDatabaseError(error) && (error as { code: string }).code === 'QA004'

/** True if a row was refused as a duplicate: of two transactions that checked at the same time, both found its place free. */
export const isDuplicate = (error: unknown) => isDatabaseError(error) && (error as { code: string }).code === '23505'

/** True if another transaction held what this one waited for. */
export const isLockTimeout = (error: unknown) => isDatabaseError(error) && (error as { code: string }).code === '55P03'

/** True if the statement took longer than its transaction allows. */
export const isStatementTimeout = (error: unknown) =>
  isDatabaseError(error) && (error as { code: string }).code === '57014'

/**
 * 'cached plan must not change result type', by its routine: the sentence depends on the server's language, and many errors share the code.
 */
export const isStalePlan = (error: unknown) => (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** Marks errors of the driver's calls: neither class nor code would tell a lost connection from a bug. */
export async function fromDatabase<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    databaseErrors.add(error as object)
    if (error instanceof DatabaseError) withholdValues(error)
    throw error
  }
}

/** Data exceptions, and syntax errors: of numbers, dates, text queries, and other texts that PostgreSQL reads. They quote what it read. */
const quotesInput = /^(22...|42601)$/

/**
 * Takes the values of rows and requests out of an error, because errors are logged and sent to the error tracker. Names of tables and
 * constraints stay: the messages of other classes quote nothing else.
 */
function withholdValues(error: DatabaseError) {
  const { message, stack, code = '' } = error
  error.detail = undefined
  error.where = undefined
  error.internalQuery = undefined
  if (!quotesInput.test(code)) return
  error.message = message.replace(/".*"/s, '"…"')
  if (stack) error.stack = stack.replace(message, error.message)
}
