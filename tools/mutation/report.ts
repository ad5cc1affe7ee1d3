// A short report from Stryker's (https://github.com/stryker-mutator/mutation-testing-elements, report schema 2).

interface Position {
  line: number
  column: number
}
export interface StrykerReport {
  files: Record<
    string,
    {
      source: string
      mutants: {
        mutatorName: string
        replacement: string
        status:
          | 'Killed'
          | 'Survived'
          | 'NoCoverage'
          | 'Timeout'
          | 'RuntimeError'
          | 'CompileError'
          | 'Ignored'
          | 'Pending'
        location: { start: Position; end: Position }
      }[]
    }
  >
}

/** A mutant that behaves as the original does, or whose difference nobody may count on; lines change, so it is named by what they say. */
export interface Equivalent {
  file: string
  original: string
  /** Every mutant of the original where it is left out. */
  replacement?: string
  why: string
}

interface Survivor {
  line: number
  mutator: string
  original: string
  replacement: string
}
export interface FileReport {
  name: string
  mutants: number
  found: number
  explained: number
  /** The percentage of unexplained mutants that were found. */
  score: number
  survivors: Survivor[]
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

function textAt(source: string, { start, end }: { start: Position; end: Position }) {
  const lines = source.split('\n').slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column - 1)
  lines[0] = lines[0]!.slice(start.column - 1)
  return oneLine(lines.join('\n'))
}

export function readReport({ files }: StrykerReport, equivalents: readonly Equivalent[]): FileReport[] {
  return Object.entries(files).map(([name, { source, mutants }]) => {
    let [found, explained, all] = [0, 0, 0]
    const survivors: Survivor[] = []
    for (const { mutatorName: mutator, replacement: code, status, location } of mutants) {
      if (status === 'Ignored') continue
      all += 1
      const [original, replacement] = [textAt(source, location), oneLine(code)]
      const isExplained = equivalents.some(
        each =>
          each.file === name &&
          each.original === original &&
          (each.replacement === undefined || each.replacement === replacement),
      )
      if (status !== 'Survived' && status !== 'NoCoverage') found += 1
      else if (isExplained) explained += 1
      else survivors.push({ line: location.start.line, mutator, original, replacement })
    }
    const asked = all - explained
    const score = asked === 0 ? 100 : Math.floor((1000 * found) / asked) / 10
    return { name, mutants: all, found, explained, score, survivors }
  })
}
