/** A stretch of text in one style. */
export interface Run {
  text: string
  bold?: true
  italic?: true
  strike?: true
  code?: true
  /** Code, HTML or a link, in which placeholders are not filled in. */
  verbatim?: true
}

/** The structure of a text without its appearance. Raw HTML is text, and a line break is a new line in a run. */
export type Flow =
  | { kind: 'heading'; level: number; runs: Run[] }
  | { kind: 'paragraph'; runs: Run[] }
  | { kind: 'list'; start: number | null; items: Flow[][] }
  | { kind: 'quote'; flow: Flow[] }
  | { kind: 'table'; head: Run[][]; rows: Run[][][] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' }

/** The same structure with each run replaced. */
export function mapRuns(flow: readonly Flow[], change: (run: Run) => Run[]): Flow[] {
  const runsOf = (runs: readonly Run[]) => joined(runs.flatMap(change))
  return flow.map((part): Flow => {
    switch (part.kind) {
      case 'heading':
      case 'paragraph':
        return { ...part, runs: runsOf(part.runs) }
      case 'list':
        return { ...part, items: part.items.map(item => mapRuns(item, change)) }
      case 'quote':
        return { ...part, flow: mapRuns(part.flow, change) }
      case 'table':
        return { ...part, head: part.head.map(runsOf), rows: part.rows.map(row => row.map(runsOf)) }
      default:
        return part
    }
  })
}

const lookOf = ({ text: _text, ...look }: Run) => JSON.stringify(look, ['bold', 'italic', 'strike', 'code', 'verbatim'])

/** Joins neighbouring runs of one style. */
export function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    if (run.text === '') continue
    const last = all.at(-1)
    if (last && lookOf(last) === lookOf(run)) last.text += run.text
    else all.push({ ...run })
  }
  return all
}
