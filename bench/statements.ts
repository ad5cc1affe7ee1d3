import pg from 'pg'
import { Boundary } from '#platform/db/statement.ts'

export type Statement = string | pg.QueryConfig

export interface Exchange {
  statement: Statement
  rows: readonly Record<string, unknown>[]
  /** Sent before the statement ahead of it was answered, other than the beginning of the transaction. */
  isTogether: boolean
}

/** A statement of the service is sent once: to be sent again, its text and values are taken. */
function copyOf(statement: Statement): Statement {
  if (typeof statement === 'string') return statement
  if (statement instanceof Boundary || statement.text === 'commit') return statement.text!
  const { text, values, name } = statement
  return { text, ...(values && { values }), ...(name !== undefined && { name }) }
}

/** Everything that is sent to the database while the work is done, in order and with its answers; nothing else may be sent meanwhile. */
export async function exchangesDuring(work: () => Promise<unknown>): Promise<Exchange[]> {
  const sent: Exchange[] = []
  let unanswered = 0
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...parameters: unknown[]) {
    const answer = Reflect.apply(query, this, parameters)
    if (typeof parameters[0] !== 'string' && !(parameters[0] as pg.QueryConfig).text) return answer
    const statement = copyOf(parameters[0] as Statement)
    const exchange: Exchange = { statement, rows: [], isTogether: unanswered > 0 }
    sent.push(exchange)
    if (typeof statement === 'string') return answer
    unanswered += 1
    const heard = answer as unknown as Promise<pg.QueryResult> | { answer: Promise<pg.QueryResult> }
    const answered = 'answer' in heard ? heard.answer : heard
    answered.then(
      ({ rows }) => {
        unanswered -= 1
        exchange.rows = rows
      },
      () => {
        unanswered -= 1
      },
    )
    return answer
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}

export const statementsDuring = async (work: () => Promise<unknown>) =>
  (await exchangesDuring(work)).map(({ statement }) => statement)
