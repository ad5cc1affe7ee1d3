import { headings, labels } from '#kernel/labels.ts'
import { momentInUtc } from '#kernel/moment.ts'

export type Row = Record<string, unknown>

export const moment = (text: unknown) => (typeof text === 'string' ? momentInUtc(new Date(text)) : '-')
export const words = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (typeof value !== 'object') return String(value as string | number | boolean)
  const { username, full_name, name } = value as { username?: string; full_name?: string; name?: string }
  return full_name ? `${full_name} (${username})` : (username ?? name ?? JSON.stringify(value))
}

/** The columns of the parts that the PDF shows; the other parts have files only. */
export const tables: Record<
  string,
  { title: string; columns: { title: string; share: number; of: (row: Row) => string }[] }
> = {
  history: {
    title: headings.history,
    columns: [
      { title: headings.time, share: 4, of: row => moment(row.occurred_at) },
      { title: headings.version, share: 1.6, of: row => `${words(row.version)} (${words(row.round)})` },
      { title: headings.event, share: 4, of: row => describeEntry(row) },
      { title: headings.user, share: 2.5, of: row => words(row.user ?? labels.system) },
      { title: headings.comment, share: 5, of: row => words(row.comment) },
    ],
  },
}

function describeEntry({ kind, transition, from, to, decision, is_void }: Row) {
  if (kind === 'transition') return `${words(transition)}: ${words(from ?? labels.new)} to ${words(to)}`
  return `${words(decision)} (${words(transition)})${is_void ? `, ${labels.void}` : ''}`
}
