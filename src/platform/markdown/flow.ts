/** A stretch of text in one look. */
export interface Run {
  text: string
  bold?: true
  italic?: true
  strike?: true
  code?: true
  /** Nothing can be filled in here: code, HTML, a link. */
  verbatim?: true
}

/** What a text is made of, without a word about how it looks. Raw HTML is text, and a line break is a new line in a run. */
export type Flow =
  | { kind: 'heading'; level: number; runs: Run[] }
  | { kind: 'paragraph'; runs: Run[] }
  | { kind: 'list'; start: number | null; items: Flow[][] }
  | { kind: 'quote'; flow: Flow[] }
  | { kind: 'table'; head: Run[][]; rows: Run[][][] }
  | { kind: 'code'; text: string }
  | { kind: 'rule' }

/** The same, with each run become others. */
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

/** Neighbours that look the same are one. */
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
