import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ClientConfig } from 'pg'
import { findPostgres } from '../tools/external-postgres.ts'
import type { Measured, Until } from './load.ts'
import type { Given, Piece, Replay, Step } from './replay.ts'
import { percentile } from './service.ts'

/** Where Debian has it; undefined where there is none. */
export function findPgbench() {
  const found = findPostgres()
  const program = found && join(found.bin, 'pgbench')
  return program && existsSync(program) ? program : undefined
}

interface Options {
  app: ClientConfig
  connections: number
  until: Until
  /** A new folder of its own, gone afterwards. */
  folder: string
}

/** How often PostgreSQL's own tool gets through the statements of these requests, one after the other and prepared. */
export async function pgbench(
  program: string,
  requests: readonly Replay[][],
  { app, connections, until, folder }: Options,
): Promise<Measured> {
  mkdirSync(folder)
  const variables: string[] = []
  const files = requests.flatMap((replays, index) => {
    const file = join(folder, `request${index}.sql`)
    writeFileSync(file, scriptOf(replays, `r${index}`, variables))
    return ['-f', file]
  })
  const { tenant_id, user_id } = requests[0]![0]!
  try {
    const arguments_ = [
      ...['-n', '-M', 'prepared', '-c', String(connections), '-j', '1'],
      ...('amount' in until
        ? ['-t', String(Math.ceil(until.amount / connections))]
        : ['-T', String(Math.max(1, Math.round(until.seconds)))]),
      ...['-l', '--log-prefix', join(folder, 'times')],
      ...['-h', app.host!, ...(app.port ? ['-p', String(app.port)] : []), '-U', String(app.user)],
      ...variables.flatMap(each => ['-D', each]),
      ...files,
      String(app.database),
    ]
    const { stdout } = await promisify(execFile)(program, arguments_, {
      env: {
        PATH: process.env.PATH,
        ...(app.password && { PGPASSWORD: String(app.password) }),
        PGOPTIONS: `-c app.tenant_id=${tenant_id} -c app.user_id=${user_id}`,
      },
    }).catch(({ stderr }) => {
      throw new Error(`pgbench: ${stderr}`)
    })
    const [, rate] = /^tps = ([\d.]+)/m.exec(stdout)!
    const [, failed] = /failed transactions: (\d+)/.exec(stdout) ?? []
    const times = globSync(`${join(folder, 'times')}.*`)
      .flatMap(timesOf)
      .sort((a, b) => a - b)
    return {
      count: times.length,
      per_second: Number(rate),
      p50_ms: percentile(times, 0.5),
      p95_ms: percentile(times, 0.95),
      failed: Number(failed ?? 0),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Tenant and user are settings of the session; that of the transaction is a statement of its own. */
function scriptOf(replays: readonly Replay[], prefix: string, variables: string[]) {
  return replays
    .flatMap(({ access, settings, steps }, index) => [
      `begin ${access};`,
      ...(access === 'read write' ? [`set local app.transaction_id = '${randomUUID()}';`] : []),
      ...settings.map(each => `${each};`),
      ...steps.map((step, place) => commandOf(step, place, { steps, prefix: `${prefix}_${index}`, variables })),
      'commit;',
    ])
    .join('\n')
}

/** pgbench takes what stands behind a colon for a variable of its own, also within a text. Comments go: a quote in one begins no text. */
const withoutColons = (text: string) =>
  text.replace(/'(?:[^']|'')*'|--[^\n]*/g, part => {
    if (part.startsWith('--')) return ''
    return /:\w/.test(part) ? `U&${part.replaceAll('\\', '\\\\').replaceAll(':', '\\003A')}` : part
  })

function commandOf(
  { text, values }: Step,
  place: number,
  { steps, prefix, variables }: { steps: readonly Step[]; prefix: string; variables: string[] },
) {
  const asked = withoutColons(text).replace(/\$(\d+)/g, (_, number: string) => {
    const value = values[Number(number) - 1]!
    if (value === null) return 'null'
    if (typeof value !== 'string') return joined(value.pieces, prefix)
    const name = `${prefix}_${place}_v${number}`
    const assigned = `${name}=${value}`
    if (!variables.includes(assigned)) variables.push(assigned)
    return `:${name}`
  })
  const isUsed = steps.some(({ values }) =>
    values.some(
      value =>
        value !== null &&
        typeof value !== 'string' &&
        value.pieces.some(piece => typeof piece !== 'string' && piece.step === place),
    ),
  )
  return isUsed ? `${asked} \\gset ${prefix}_${place}_` : `${asked};`
}

function joined(pieces: readonly Piece[], prefix: string) {
  const variable = ({ step, column }: Given) => `:${prefix}_${step}_${column}`
  const [only] = pieces
  if (pieces.length === 1 && typeof only === 'object') return variable(only)
  const parts = pieces.map(piece =>
    typeof piece === 'string' ? withoutColons(`'${piece.replaceAll("'", "''")}'`) : `${variable(piece)}::text`,
  )
  const isJson = typeof only === 'string' && /^\{"[^"]*":|^\[\{/.test(only)
  return `(${parts.join(' || ')})${isJson ? '::json' : ''}`
}

/** In milliseconds. */
const timesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => Number(line.split(' ')[2]) / 1000)
