import { headings } from '#kernel/labels.ts'
import { personInWords } from '#kernel/person.ts'
import { csvOf } from '#platform/csv.ts'
import type { Block } from '#platform/pdf/rendition.ts'
import { printed } from '../messages.ts'
import type { Cell, MatrixProgram, MatrixRow, Standing } from './matrix-schema.ts'

const words: Record<Standing, string> = {
  trained: 'trained',
  overdue: 'OVERDUE',
  open: 'open',
  awaiting_verification: 'awaits verification',
  expired: 'EXPIRED',
  failed: 'FAILED',
  waived: 'waived',
  not_assigned: 'not assigned',
}

/** `trained (2.0) until 2027-01-31`, `OVERDUE since 2026-11-01`. */
function cellInWords({ status, valid_until, due_date, version }: Cell): string {
  const until = status === 'trained' || status === 'expired' ? valid_until : null
  return [
    words[status],
    ...(version === null ? [] : [`(${version})`]),
    ...(until === null ? [] : [`until ${until}`]),
    ...(due_date === null ? [] : [`due ${due_date}`]),
  ].join(' ')
}

export const matrixAsCsv = (programs: readonly MatrixProgram[], parts: AsyncIterable<readonly MatrixRow[]>) =>
  csvOf(
    [
      headings.username,
      headings.full_name,
      headings.role,
      ...programs.map(({ number, title }) => `${number} ${title}`),
    ],
    linesOf(parts),
  )

async function* linesOf(parts: AsyncIterable<readonly MatrixRow[]>) {
  for await (const rows of parts)
    yield rows.map(({ user, role, cells }) => [user.username, user.full_name, role, ...cells.map(cellInWords)])
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
        text: printed.training_matrix_programs({ from: from + 1, to: from + some.length, total: programs.length }).text,
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
  return programs.length === 0 || rows.length === 0
    ? [{ kind: 'text', text: printed.training_matrix_empty().text }]
    : blocks
}
