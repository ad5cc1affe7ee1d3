import { headings as columnNames } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { headings } from '#kernel/print.ts'
import { csvOf } from '#platform/csv.ts'
import type { Block } from '#platform/pdf/rendition.ts'
import { printed } from '../messages.ts'
import type { Cell, MatrixProgram, MatrixRow } from './matrix-schema.ts'

/** `trained (2.0) until 2027-01-31`, `OVERDUE due 2026-11-01`. */
const cellInWords = ({ status, valid_until, due_date, version, is_imported }: Cell) =>
  printed.training_matrix_cell({
    ...{ status, version, due_date, is_imported },
    until: status === 'trained' || status === 'expired' ? valid_until : null,
  })

export const matrixAsCsv = (programs: readonly MatrixProgram[], parts: AsyncIterable<readonly MatrixRow[]>) =>
  csvOf(
    [
      columnNames.username,
      columnNames.full_name,
      columnNames.role,
      ...programs.map(({ number, title }) => `${number} ${title}`),
    ],
    linesOf(parts),
  )

async function* linesOf(parts: AsyncIterable<readonly MatrixRow[]>) {
  for await (const rows of parts)
    yield rows.map(({ user, role, cells }) => [
      user.username,
      user.full_name,
      role,
      ...cells.map(cell => cellInWords(cell).text),
    ])
}

const programsPerPage = 6

/** More programs than fit side by side continue in another table with the same people. */
export function matrixOnPaper(programs: readonly MatrixProgram[], rows: readonly MatrixRow[]): Block[] {
  const blocks: Block[] = []
  for (let from = 0; from < programs.length; from += programsPerPage) {
    const some = programs.slice(from, from + programsPerPage)
    if (programs.length > programsPerPage)
      blocks.push({
        kind: 'heading',
        text: printed.training_matrix_programs({ from: from + 1, to: from + some.length, total: programs.length }),
      })
    blocks.push({
      kind: 'table',
      columns: [
        { title: headings.person, share: 2.2 },
        ...some.map(({ number, title }) => ({ title: `${number} ${title}`.slice(0, 80), share: 1.5 })),
      ],
      rows: rows.map(({ user, cells }) => [
        personInWords(user),
        ...cells.slice(from, from + programsPerPage).map(cellInWords),
      ]),
    })
  }
  return programs.length === 0 || rows.length === 0 ? [{ kind: 'text', text: printed.training_matrix_empty() }] : blocks
}
