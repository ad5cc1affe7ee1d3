const databaseErrors = new WeakSet<object>()

/**
 * Whether the error is the database's (ERR-03): a statement that it refused, a connection that it broke or never gave. What the
 * work inside a transaction throws by itself is none.
 */
export const isDatabaseError = (error: unknown) =>
  typeof error === 'object' && error !== null && databaseErrors.has(error)

/**
 * Whether it is the server that could not be reached, or that ended the connection: what it says of a statement has a code of
 * another class.
 */
export const isConnectionLost = (error: unknown) => {
  if (!isDatabaseError(error)) return false
  const { code } = error as { code?: unknown }
  const isOfStatement = typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code)
  return !isOfStatement || /^(08|57P|53300)/.test(code)
}

/** Whether the same work may well succeed when it is run again: it lost against another transaction, and left nothing behind. */
export const isPassing = (error: unknown) =>
  isDatabaseError(error) && (['40001', '40P01'].includes((error as { code: string }).code) || isStalePlan(error))

/** Whether a row was refused because another has taken its place: two that looked at the same moment found it free. */
export const isDuplicate = (error: unknown) => isDatabaseError(error) && (error as { code: string }).code === '23505'

/** 'cached plan must not change result type', by what raises it: the sentence is in the server's language, the code is many errors'. */
export const isStalePlan = (error: unknown) => (error as { routine?: string }).routine === 'RevalidateCachedQuery'

/** For the driver alone, which knows where an error comes from; its class or code would not tell a lost connection from a bug. */
export async function fromDatabase<T>(answer: Promise<T>) {
  try {
    return await answer
  } catch (error) {
    databaseErrors.add(error as object)
    throw error
  }
}
