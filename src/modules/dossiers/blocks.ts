import { printed as kernel } from '#kernel/messages.ts'
import { momentInUtc as momentText } from '#kernel/moment.ts'
import { headings, labels, momentInUtc, type Print, printIn, together, wordOf } from '#kernel/print.ts'
import type { RemovalNote } from '#platform/db/expressions.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { printed } from './messages.ts'

export const moment = (text: unknown): Print => (typeof text === 'string' ? momentInUtc(new Date(text)) : '-')
/** Within a sentence, which has it in the order of its language. */
export const momentWithin = (text: string) => momentText(new Date(text))

/** Below a heading that names the zone. */
export const withoutZone =
  (text: string): Print =>
  language =>
    printIn(language, moment(text)).replace(' UTC', '')

/** A value on paper; a person with both names. */
export const words = (value: unknown): string => {
  if (value === null || value === undefined) return '-'
  if (typeof value !== 'object') return String(value as string | number | boolean)
  const { username, full_name, name } = value as { username?: string; full_name?: string; name?: string }
  return full_name ? `${full_name} (${username})` : (username ?? name ?? JSON.stringify(value))
}

/** Why the content of a file is gone. */
export function removalOf({ decided_at, requested_by, decided_by, reason, disposal }: RemovalNote) {
  const by = {
    moment: momentWithin(decided_at),
    requested_by: words(requested_by),
    decided_by: words(decided_by),
  }
  return disposal
    ? printed.dossier_file_disposed({ ...by, number: disposal.number })
    : printed.dossier_file_removed({ ...by, reason })
}

/** `under_investigation` as people write it. */
export const plain = (value: string | null): Print => (value === null ? '-' : wordOf(value))
export const yesOrNo = (is: boolean) => (is ? labels.yes : labels.no)
export const by = (at: string | null, person: object | string | null): Print =>
  at === null ? '-' : person ? kernel.printed_by({ moment: momentWithin(at), person: words(person) }) : moment(at)

/** Where the record came from. One that no migration imported has none of it. */
export const importedFacts = ({
  legacy_number,
  imported,
}: {
  legacy_number: string | null
  imported: { batch: string; source: string } | null
}): Fact[] =>
  imported === null
    ? []
    : [
        ...(legacy_number === null ? [] : [[headings.legacy_number, legacy_number] satisfies Fact]),
        [headings.imported, printed.dossier_imported(imported)],
      ]

export const heading = (text: Print): Block => ({ kind: 'heading', text })

/** Long texts below their headings, with their lines as they were typed. Those that are empty are named together. */
export function texts(named: readonly [title: Print, text: string | null][]): Block[] {
  const empty = named.filter(([, text]) => !text?.trim()).map(([title]) => title)
  const blocks = named.flatMap(([title, text]) => (text?.trim() ? [heading(title), paragraph(text)] : []))
  if (empty.length > 0) blocks.push({ kind: 'facts', facts: [[headings.not_filled_in, together(empty, ', ')]] })
  return blocks
}

export const paragraph = (text: string): Block => ({
  kind: 'flow',
  flow: [{ kind: 'paragraph', runs: [{ text: text.trim() }] }],
})

/** A text below its name in bold, as a part of a longer section. */
export const labelled = (title: Print, text: string | null): Block[] =>
  text?.trim()
    ? [
        {
          kind: 'flow',
          flow: [{ kind: 'paragraph', runs: [{ text: title, bold: true }, { text: `\n${text.trim()}` }] }],
        },
      ]
    : []

/** A table whose rows may be longer than a page. Nothing if it is empty. */
export const table = (title: Print, columns: readonly Print[], rows: readonly (readonly Print[])[]): Block[] =>
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
  printed.dossier_file({ name: file_name, type: content_type, size: file_size })
