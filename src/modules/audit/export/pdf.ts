import { Readable } from 'node:stream'
import type { PrepareContext } from '#action'
import type { MadeFile } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import { invalid, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { printed as kernel } from '#kernel/messages.ts'
import { momentInBoth } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { dayOf, headings, labels, numberOf, type Print } from '#kernel/print.ts'
import { readerLanguage } from '#modules/accounts'
import type { Block } from '#platform/pdf/rendition.ts'
import { NotPages } from '#platform/pdf/thread.ts'
import { messages, printed } from '../messages.ts'
import type { OrderedEntry } from './queries.ts'
import { entryPages, type Scope } from './scope.ts'

/** Nobody reads more in a PDF, and it would take more time and memory than there is for one. */
export const maxPdfRows = 10_000
const refused = (message: Message) => invalid(issueAt(['query', 'format'], message))
const tooManyRows = () => refused(messages.audit_pdf_too_many_rows({ maximum: maxPdfRows }))

/** A longer cell continues in the next row, because a row must fit on a page. */
const maxCellLength = 600

const columns = [
  { title: headings.sequence_number, share: 1.4 },
  { title: headings.time_utc, share: 2.2 },
  { title: headings.user, share: 2 },
  { title: headings.action, share: 3.3 },
  { title: headings.field, share: 2 },
  { title: headings.from, share: 3 },
  { title: headings.to, share: 3 },
  { title: headings.reason, share: 2.5 },
]

const words = (value: unknown) =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const piecesOf = (text: string) => text.match(new RegExp(`[^]{1,${maxCellLength}}`, 'gu')) ?? ['']

/** Splits cells into as many rows as the longest of them needs. */
function rowsOf(cells: readonly Print[]): Print[][] {
  const pieces = cells.map((cell): Print[] => (typeof cell === 'string' ? piecesOf(cell) : [cell]))
  const rows = Math.max(...pieces.map(({ length }) => length))
  return Array.from({ length: rows }, (_, row) => pieces.map(each => each[row] ?? ''))
}

const personOf = ({ user: { username, role }, client_addr, redacted }: OrderedEntry): Print =>
  redacted.includes('person') ? labels.redacted : `${username} (${role})${client_addr ? ` ${client_addr}` : ''}`

function whatOf({ action, outcome, resource_type, resource_id, resource_number }: OrderedEntry) {
  const id = resource_id === null ? '' : `${resource_type} ${resource_id}`
  const record = resource_number ? `${resource_number} (${id})` : id
  return [outcome === 'success' ? action : `${action} (${outcome.toUpperCase()})`, record].filter(Boolean).join(': ')
}

/** One row for each changed field; the first has the columns of the entry. */
export function tableOf(entry: OrderedEntry): Print[][] {
  const { seq, occurred_at, changes, reason, redacted } = entry
  const fields: Print[][] = redacted.includes('detail')
    ? [['', labels.redacted, labels.redacted]]
    : Object.entries(changes ?? {}).map(([field, { from, to }]) => [field, words(from), words(to)])
  const first = [String(seq), dayOf(occurred_at.slice(0, 19).replace('T', ' ')), personOf(entry), whatOf(entry)]
  const others = ['', '', '', '']
  return (fields.length > 0 ? fields : [['', '', '']]).flatMap((field, at) =>
    rowsOf([...(at === 0 ? first : others), ...field, at === 0 ? words(reason) : '']),
  )
}

function inWords({ filter, range, count }: Scope) {
  const { seq_from: _from, seq_to: _to, ...rest } = filter
  const chosen = Object.entries(rest).map(([name, value]) =>
    printed.audit_pdf_chosen({ name, values: [value].flat().map(String) }),
  )
  return {
    entries: printed.audit_pdf_entries({ count, ...range }),
    filter: chosen.length > 0 ? printed.audit_pdf_filter({ chosen }) : printed.audit_pdf_no_filter(),
  }
}

/** For readers: the scope, a table of changes, and the root that proves them. */
export async function entriesAsPdf(context: PrepareContext, scope: Scope, name: string): Promise<MadeFile> {
  const { actor, services } = context
  if (scope.count > maxPdfRows) throw tooManyRows()
  const rows: Print[][] = []
  for await (const page of entryPages(context, scope)) {
    for (const entry of page) rows.push(...tableOf(entry))
    if (rows.length > maxPdfRows) throw tooManyRows()
  }
  const { tenant, zone, origin, size, root } = scope
  const now = services.clock.now()
  const moment = momentInBoth(zone, now)
  const person = personInWords({ username: actor.username, full_name: actor.fullName })
  const said = inWords(scope)
  const language = await readerLanguage(context)
  const blocks: Block[] = [
    { kind: 'title', text: headings.audit_trail },
    {
      kind: 'facts',
      facts: [
        [headings.company, tenant],
        [headings.filter, said.filter],
        [headings.entries, said.entries],
        [headings.generated, kernel.printed_by({ person, moment })],
      ],
    },
    rows.length > 0 ? { kind: 'table', columns, rows } : { kind: 'text', text: printed.audit_pdf_no_entry() },
    { kind: 'heading', text: headings.checkpoint },
    {
      kind: 'facts',
      facts: [
        [headings.log, origin],
        [headings.entries_in_the_tree, numberOf(size)],
        [headings.root_base64, root ?? labels.none],
      ],
    },
    {
      kind: 'note',
      text: printed.audit_pdf_compare(),
    },
  ]
  const { bytes } = await services.pdf
    .turn(actor.tenantId, () =>
      services.pdf.write({
        language,
        blocks,
        bands: {
          head: { left: printed.audit_pdf_head(said), right: tenant },
          foot: kernel.printed_footer_at({ person, moment }),
        },
        info: { title: name, subject: said.filter, author: person, created_at: now.toISOString() },
      }),
    )
    .catch(error => {
      // Few rows can still hold more text than one PDF can take.
      throw error instanceof NotPages ? refused(messages.audit_pdf_too_long()) : error
    })
  return makeFile(context, Readable.from([bytes]), { name: `${name}.pdf`, content_type: 'application/pdf' })
}
