import { headings, labelOf, labels } from '#kernel/labels.ts'
import { printed as kernel } from '#kernel/messages.ts'
import { momentInUtc } from '#kernel/moment.ts'
import type { RemovalNote } from '#platform/db/expressions.ts'
import type { Block } from '#platform/pdf/rendition.ts'
import { printed } from './messages.ts'

export const moment = (text: unknown) => (typeof text === 'string' ? momentInUtc(new Date(text)) : '-')

/** A value on paper; a person with both names. */
export const words = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (typeof value !== 'object') return String(value as string | number | boolean)
  const { username, full_name, name } = value as { username?: string; full_name?: string; name?: string }
  return full_name ? `${full_name} (${username})` : (username ?? name ?? JSON.stringify(value))
}

/** Why the content of a file is gone. */
export const removalOf = ({ decided_at, requested_by, decided_by, reason }: RemovalNote) =>
  printed.dossier_file_removed({
    moment: moment(decided_at),
    requested_by: words(requested_by),
    decided_by: words(decided_by),
    reason,
  }).text

/** `under_investigation` as people write it. */
export const plain = (value: string | null) => (value === null ? '-' : labelOf(value).replaceAll('_', ' '))
export const yesOrNo = (is: boolean) => (is ? labels.yes : labels.no)
export const by = (at: string | null, person: object | null) =>
  at === null ? '-' : person ? kernel.printed_by({ moment: moment(at), person: words(person) }).text : moment(at)

export const heading = (text: string): Block => ({ kind: 'heading', text })

/** Long texts below their headings, with their lines as they were typed. Those that are empty are named together. */
export function texts(named: readonly [title: string, text: string | null][]): Block[] {
  const empty = named.filter(([, text]) => !text?.trim()).map(([title]) => title)
  const blocks = named.flatMap(([title, text]) => (text?.trim() ? [heading(title), paragraph(text)] : []))
  if (empty.length > 0) blocks.push({ kind: 'facts', facts: [[headings.not_filled_in, empty.join(', ')]] })
  return blocks
}

export const paragraph = (text: string): Block => ({
  kind: 'flow',
  flow: [{ kind: 'paragraph', runs: [{ text: text.trim() }] }],
})

/** A text below its name in bold, as a part of a longer section. */
export const labelled = (title: string, text: string | null): Block[] =>
  text?.trim()
    ? [
        {
          kind: 'flow',
          flow: [{ kind: 'paragraph', runs: [{ text: title, bold: true }, { text: `\n${text.trim()}` }] }],
        },
      ]
    : []

/** A table whose rows may be longer than a page. Nothing if it is empty. */
export const table = (title: string, columns: readonly string[], rows: readonly string[][]): Block[] =>
  rows.length === 0
    ? []
    : [
        heading(title),
        {
          kind: 'flow',
          flow: [
            {
              kind: 'table',
              head: columns.map(text => [{ text }]),
              rows: rows.map(row => row.map(text => [{ text }])),
            },
          ],
        },
      ]

export const file = (file_name: string, content_type: string, file_size: number) =>
  printed.dossier_file({ name: file_name, type: content_type, size: file_size.toLocaleString('en') }).text
