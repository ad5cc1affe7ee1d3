import type { QueryConfig } from 'pg'
import type { Exchange } from './statements.ts'

/** Numbers from here on are given out by the database while a request is recorded, and are others each time that it is sent again. */
export const first_given = 5_000_000

/** Text in which a number that an earlier step answered stands where a `Given` does. */
export type Piece = string | Given
export interface Given {
  step: number
  column: string
}

export interface Step {
  text: string
  name?: string | undefined
  /** Sent with the step ahead of it, not after its answer. */
  isTogether: boolean
  /** The pieces of each value that contains something given before. */
  values: (string | null | { pieces: Piece[] })[]
}

/** The statements of one request, so that they can be repeated. */
export interface Replay {
  tenant_id: string
  user_id: string
  access: 'read only' | 'read write'
  /** What its beginning sets beside the tenant, the user and the transaction. */
  settings: string[]
  steps: Step[]
  /** The commit was sent with the last step, not after its answer. */
  endsTogether: boolean
}

const settingOf = (begin: string, name: string) => new RegExp(`app\\.${name} = '([^']*)'`).exec(begin)![1]!

/** The transactions among what was recorded, one after the other; a value that holds a number which was given before is taken apart. */
export function replaysOf(exchanges: readonly Exchange[]): Replay[] {
  const replays: Replay[] = []
  let given: [text: string, at: Given][] = []
  for (const { statement, rows, isTogether } of exchanges) {
    if (typeof statement === 'string') {
      if (statement === 'commit') replays.at(-1)!.endsTogether = isTogether
      if (!statement.startsWith('begin')) continue
      given = []
      replays.push({
        tenant_id: settingOf(statement, 'tenant_id'),
        user_id: settingOf(statement, 'user_id'),
        access: statement.startsWith('begin read only') ? 'read only' : 'read write',
        settings: statement.split('; ').filter(each => /^set local (?!app\.)/.test(each)),
        steps: [],
        endsTogether: false,
      })
      continue
    }
    const { steps } = replays.at(-1)!
    steps.push({ ...stepOf(statement, given), isTogether: isTogether && steps.length > 0 })
    for (const [column, value] of Object.entries(rows[0] ?? {}))
      if (typeof value === 'number' && value >= first_given)
        given.push([String(value), { step: steps.length - 1, column }])
  }
  return replays
}

function stepOf({ text, name, values = [] }: QueryConfig, given: readonly [string, Given][]): Omit<Step, 'isTogether'> {
  return {
    text,
    ...(name && { name }),
    values: values.map(value => {
      const sent = textOf(value)
      const pieces = sent === null ? [] : piecesOf(sent, given)
      return pieces.some(piece => typeof piece !== 'string') ? { pieces } : sent
    }),
  }
}

function piecesOf(sent: string, given: readonly [string, Given][]): Piece[] {
  const [first, ...others] = given
  if (!first) return [sent]
  return sent
    .split(first[0])
    .flatMap((part, place) => (place > 0 ? [first[1], ...piecesOf(part, others)] : piecesOf(part, others)))
    .filter(piece => piece !== '')
}

/** As the driver sends it. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return value
  if (Array.isArray(value))
    return `{${value.map(each => (each === null ? 'NULL' : JSON.stringify(String(each)))).join(',')}}`
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return JSON.stringify(value)
}
