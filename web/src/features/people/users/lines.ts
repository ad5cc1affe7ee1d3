/** A list of people as it was pasted: its lines, each with its cells. The service reads it again; this is only to show it. */
export interface Line {
  /** As a fault of the service names it: the first line of the text is 1. */
  line: number
  cells: string[]
}

const separators = ['\t', ';', ','] as const

function cellsOf(text: string, separator: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (letter === '"' && isQuoted && text[at + 1] === '"') {
      cell += '"'
      at++
    } else if (letter === '"') isQuoted = !isQuoted
    else if (letter === separator && !isQuoted) {
      cells.push(cell.trim())
      cell = ''
    } else cell += letter
  }
  return [...cells, cell.trim()]
}

/** The names of the columns, and the people below them. Lines without anything are left out, and counted. */
export function linesOf(text: string): { header: string[]; people: Line[] } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const first = lines.findIndex(each => each.trim() !== '')
  if (first < 0) return { header: [], people: [] }
  const separator = separators.find(each => lines[first]!.includes(each)) ?? ','
  return {
    header: cellsOf(lines[first]!, separator),
    people: lines
      .map((each, index): Line => ({ line: index + 1, cells: cellsOf(each, separator) }))
      .filter(({ line, cells }) => line > first + 1 && cells.some(cell => cell !== '')),
  }
}

/** What is wrong with each line, by its number; what is said of the list as a whole is under 0. */
export function faultsOf(issues: readonly { loc: (string | number)[]; msg: string }[]): Map<number, string[]> {
  const faults = new Map<number, string[]>()
  for (const { loc, msg } of issues) {
    const at = loc.find((each, index) => loc[index - 1] === 'csv' && typeof each === 'number')
    const line = typeof at === 'number' ? at : 0
    faults.set(line, [...(faults.get(line) ?? []), msg])
  }
  return faults
}
