import pg from 'pg'

export type Statement = string | pg.QueryConfig

/** What is sent to the database while the work is done, in its order; nothing else may be sent meanwhile. */
export async function statementsDuring(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    if (typeof parameters[0] === 'string' || (parameters[0] as pg.QueryConfig).text)
      sent.push(parameters[0] as Statement)
    return Reflect.apply(query, this, parameters)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}
