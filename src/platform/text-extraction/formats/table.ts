import { oneLine } from '../tidy.ts'

/** Collects rows of tables, which may be nested. */
export function openTable(writeRow: (row: string) => void) {
  const rows: string[][] = []
  const cells: string[] = []
  return {
    /** True if text belongs to a cell. */
    get isInCell() {
      return cells.length > 0
    },
    openRow: () => void rows.push([]),
    openCell: () => void cells.push(''),
    add(text: string) {
      if (cells.length > 0) cells[cells.length - 1] += ` ${text}`
    },
    closeCell() {
      const text = oneLine(cells.pop() ?? '')
      if (text !== '') rows.at(-1)?.push(text)
    },
    closeRow() {
      const row = (rows.pop() ?? []).join(' | ')
      if (row === '') return
      if (cells.length > 0) cells[cells.length - 1] += ` ${row};`
      else writeRow(row)
    },
  }
}
