// The lines of the program that the suites ran, read from the report of node:test in the format of lcov.
const shown = 20

interface Counts {
  lines: [hit: number, all: number]
  branches: [hit: number, all: number]
  functions: [hit: number, all: number]
}
const kinds = { L: 'lines', BR: 'branches', FN: 'functions' } as const

function readLcov(text: string): Map<string, Counts> {
  const files = new Map<string, Counts>()
  let counts: Counts | undefined
  for (const line of text.split('\n')) {
    const [, word, value] = /^(\w+):(.*)$/.exec(line) ?? []
    if (word === 'SF') {
      counts = { lines: [0, 0], branches: [0, 0], functions: [0, 0] }
      files.set(value!, counts)
    }
    const [, kind, what] = /^(L|BR|FN)([FH])$/.exec(word ?? '') ?? []
    if (kind) counts![kinds[kind as keyof typeof kinds]][what === 'H' ? 0 : 1] = Number(value)
  }
  return files
}

const percent = ([hit, all]: [number, number]) => (all === 0 ? '100.0' : ((100 * hit) / all).toFixed(1))

/** In words: of all files, and of those of which the most lines were not run. Processes that a test kills tell nothing of theirs. */
export function coverageOf(lcov: string): string {
  const files = [...readLcov(lcov)].map(([file, counts]) => ({ file, ...counts }))
  const sum = (kind: keyof Counts) =>
    files.reduce<[number, number]>(([hit, all], { [kind]: [h, a] }) => [hit + h, all + a], [0, 0])
  const missed = ({ lines: [hit, all] }: Counts) => all - hit
  const worst = files
    .filter(each => missed(each) > 0)
    .sort((a, b) => missed(b) - missed(a) || (a.file < b.file ? -1 : 1))
  return [
    `${files.length} files: lines ${percent(sum('lines'))} %, branches ${percent(sum('branches'))} %, functions ${percent(sum('functions'))} %`,
    ...worst
      .slice(0, shown)
      .map(each => `  ${String(missed(each)).padStart(4)} lines not run (${percent(each.lines)} %) ${each.file}`),
  ].join('\n')
}
