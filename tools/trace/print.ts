import type { Block } from '#platform/pdf/job.ts'
import type { Matrix, Requirement } from './matrix.ts'

const title = 'Requirements and their tests'

function lineOfRun({ run }: Matrix): string {
  if (!run) return 'No run of `npm test` is on record: nothing here was run.'
  const all = run.left_out.length === 0 ? 'All suites were run.' : `Left out, and not run: ${run.left_out.join('; ')}.`
  return `Last results: \`npm test\` of ${run.at} on ${run.commit}. ${all}`
}

function totals({ requirements }: Matrix): string {
  const count = (outcome: string) => requirements.filter(each => each.outcome === outcome).length
  return `Of ${requirements.length} requirements ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} were skipped in part, and of ${count('not run')} something was not run.`
}

const serversOf = (servers: readonly string[]) => (servers.length > 0 ? ` (${servers.join(', ')})` : '')
const procedure = (text: string | null) => text ?? ''

/** A text may hold what would end a cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

export function markdownOf(matrix: Matrix): string {
  const lines = [`# ${title}`, '', lineOfRun(matrix), '', totals(matrix)]
  for (const [regulation, clauses] of Map.groupBy(matrix.clauses, each => each.regulation)) {
    lines.push(
      '',
      `## ${regulation}`,
      '',
      '| clause | says | proved by | last result | by procedure |',
      '|---|---|---|---|---|',
    )
    for (const { clause, says, proved_by, outcome, by_procedure } of clauses)
      lines.push(
        `| ${clause} | ${cell(says)} | ${proved_by.join(', ')} | ${outcome ?? ''} | ${cell(procedure(by_procedure))} |`,
      )
  }
  lines.push('', '## Requirements', '', '| id | says | last result | tests |', '|---|---|---|---|')
  for (const { id, says, outcome, proofs } of matrix.requirements)
    lines.push(`| ${id} | ${cell(says)} | ${outcome} | ${proofs.length} |`)
  for (const requirement of matrix.requirements) {
    lines.push('', `### ${requirement.id}: ${requirement.outcome}`, '', `${requirement.says}.`, '')
    lines.push(...proofLines(requirement).map(([where, what]) => `- ${cell(what)} (\`${where}\`)`))
  }
  return `${lines.join('\n')}\n`
}

const proofLines = ({ proofs }: Requirement): [string, string][] =>
  proofs.map(({ file, line, title, outcome, servers }) => [
    line === undefined ? file : `${file}:${line}`,
    `${outcome}${serversOf(servers)}: ${line === undefined ? 'all tests of the file' : title}`,
  ])

/** The same for paper. */
export function blocksOf(matrix: Matrix): Block[] {
  const blocks: Block[] = [
    { kind: 'title', text: title },
    { kind: 'text', text: lineOfRun(matrix).replaceAll('`', '') },
    { kind: 'text', text: totals(matrix) },
  ]
  for (const [regulation, clauses] of Map.groupBy(matrix.clauses, each => each.regulation))
    blocks.push(
      { kind: 'heading', text: regulation },
      {
        kind: 'table',
        columns: [
          { title: 'Clause', share: 0.12 },
          { title: 'Says', share: 0.33 },
          { title: 'Proved by', share: 0.2 },
          { title: 'Last result', share: 0.12 },
          { title: 'By procedure', share: 0.23 },
        ],
        rows: clauses.map(({ clause, says, proved_by, outcome, by_procedure }) => [
          clause,
          says,
          proved_by.join(', '),
          outcome ?? '',
          procedure(by_procedure),
        ]),
      },
    )
  for (const requirement of matrix.requirements)
    blocks.push(
      { kind: 'heading', text: `${requirement.id}: ${requirement.outcome}` },
      { kind: 'text', text: `${requirement.says}.` },
      {
        kind: 'table',
        columns: [
          { title: 'Test', share: 0.55 },
          { title: 'Where', share: 0.45 },
        ],
        rows: proofLines(requirement).map(([where, what]) => [what, where]),
      },
    )
  return blocks
}
