import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import type { Size } from './fill.ts'
import type { Growth } from './growth.ts'
import type { Result } from './measure.ts'
import type { Hot } from './profile.ts'

export interface Report {
  commit: string
  at: string
  node: string
  postgresql: string
  processors: number
  load: number[]
  size: Size
  filled_s: number
  connections: number
  rounds: number
  seconds: number
  started_ms: number
  idle_mib: number
  /** One check of a password, of one processor. */
  password_ms: number
  left_out: string[]
  results: Result[]
  growth: Growth[]
  profiles: Record<string, Hot[]>
}

const root = new URL('..', import.meta.url).pathname
export const commitNow = () => {
  const git = (...options: string[]) => execFileSync('git', ['-C', root, ...options], { encoding: 'utf8' }).trim()
  return `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain') ? ' and changes' : ''}`
}
export const machineNow = () => ({ node: process.version, processors: cpus().length })

const number = (value: number | undefined, digits: number) =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits)

/** Rows of Markdown, in columns that are read as they stand; numbers are to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

function resultTable(results: readonly Result[]) {
  const head = [
    '',
    'requests/s',
    'p50 ms',
    'p95 ms',
    'processor ms',
    'statements',
    'of bare',
    'of pgbench',
    'of fastapi',
    'budget',
  ]
  const rows = results.map(({ name, statements, figures: { Attest, bare, pgbench, fastapi }, budget }) => [
    name,
    number(Attest!.per_second, 0),
    number(Attest!.p50_ms, 1),
    number(Attest!.p95_ms, 1),
    number(Attest!.processor_ms, 2),
    number(statements, 0),
    number(bare?.ratio, 2),
    number(pgbench?.ratio, 2),
    number(fastapi?.ratio, 2),
    budget ? `${budget.ratio} of ${budget.peer}: ${budget.isKept ? 'kept' : 'MISSED'}` : '',
  ])
  return table(head, rows)
}

function peerTable(results: readonly Result[]) {
  const head = ['', 'requests/s', 'p50 ms', 'p95 ms', 'processor ms']
  const rows = results.flatMap(({ name, figures }) =>
    Object.entries(figures)
      .filter(([contender]) => contender !== 'Attest')
      .map(([contender, each]) => [
        `${name}: ${contender}`,
        number(each.per_second, 0),
        number(each.p50_ms, 1),
        number(each.p95_ms, 1),
        number(each.processor_ms, 2),
      ]),
  )
  return table(head, rows)
}

export function markdownOf(report: Report): string {
  const { size, results, growth, profiles, left_out } = report
  const failed = results.flatMap(({ name, figures }) =>
    Object.entries(figures).flatMap(([contender, each]) =>
      each.failed > 0 ? [`${each.failed} FAILED: ${name}, ${contender}`] : [],
    ),
  )
  const parts = [
    `# Attest ${report.commit}, ${report.at}`,
    [
      `${size.documents} documents, ${size.deviations} deviations, ${size.entries} audit entries in one tenant, made in ${report.filled_s.toFixed(0)} s.`,
      `${report.connections} connections, ${report.rounds} rounds of ${report.seconds} s; Node ${report.node}, PostgreSQL ${report.postgresql}, ${report.processors} processors, load ${report.load.map(each => each.toFixed(1)).join(' before and ')} after.`,
    ].join('\n'),
    ...[...left_out, ...failed].map(each => `**${each}**`),
    table(
      ['', 'measured', 'budget'],
      [
        [
          'start on existing data until the first answer',
          `${(report.started_ms / 1000).toFixed(2)} s`,
          `2 s: ${report.started_ms < 2000 ? 'kept' : 'MISSED'}`,
        ],
        [
          'memory of the idle process',
          `${report.idle_mib.toFixed(0)} MiB`,
          `200 MiB: ${report.idle_mib < 200 ? 'kept' : 'MISSED'}`,
        ],
      ],
    ),
    `One check of a password takes ${number(report.password_ms, 0)} ms of one processor, so all of them together check at most ${number((report.processors * 1000) / report.password_ms, 0)} a second: the limit of log-ins and signatures by password.`,
    resultTable(results),
    peerTable(results),
  ]
  if (growth.length > 0)
    parts.push(
      table(
        ['one request alone', 'few p50 ms', 'many p50 ms', 'many p95 ms', 'times', 'budget'],
        growth.map(({ name, few_p50_ms, many_p50_ms, many_p95_ms, times }) => [
          name,
          number(few_p50_ms, 2),
          number(many_p50_ms, 2),
          number(many_p95_ms, 2),
          number(times, 2),
          `1.5: ${times <= 1.5 ? 'kept' : 'MISSED'}`,
        ]),
      ),
    )
  for (const [name, hot] of Object.entries(profiles))
    parts.push(
      table(
        [`${name}: function`, 'self %'],
        hot.map(({ where, share }) => [where, (share * 100).toFixed(1)]),
      ),
    )
  return `${parts.join('\n\n')}\n`
}

/** In `.bench/`: the last report, and a line of each. */
export function keep(report: Report) {
  const folder = join(root, '.bench')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'report.md'), markdownOf(report))
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`)
  appendFileSync(join(folder, 'history.jsonl'), `${JSON.stringify(report)}\n`)
}
