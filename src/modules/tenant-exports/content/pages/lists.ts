// The lists of records, a page for each thousand.
import { dayOf, headings, momentInUtc, type Print, printIn, stateOf, wordOf } from '#kernel/print.ts'
import { html, type Markup } from '#platform/html.ts'
import { printed } from '../../messages.ts'
import type { Json } from '../records.ts'
import { tableAsHtml } from './blocks.ts'
import { type Place, pageOf, rootFrom, type Surroundings } from './page.ts'

const rowsPerPage = 1_000

/** What a cell shows: a text, a number, or a link to a page of the archive. */
export type Cell = Print | { number: number } | { text: string; to: string | undefined; id?: string }

export interface List {
  place: Place
  /** Of its first page; the others have their number behind it. */
  path: string
  title: Print
  lead: Print
  columns: readonly Print[]
  /** Of the columns, those with numbers. */
  numbers?: readonly number[]
  rows: AsyncIterable<readonly Cell[]>
  count: number
  /** Below the title of the first page. */
  before?: readonly Markup[]
}

const isLink = (cell: Cell): cell is Extract<Cell, { to: string | undefined }> =>
  typeof cell === 'object' && 'to' in cell
const isNumber = (cell: Cell): cell is { number: number } => typeof cell === 'object' && 'number' in cell

const pathOf = (path: string, page: number) => (page === 1 ? path : path.replace(/\.html$/, `-${page}.html`))

/** The pages of a list, one after the other. */
export async function* listPages(around: Surroundings, list: List): AsyncGenerator<{ path: string; text: string }> {
  const { language } = around
  const say = (text: Print) => printIn(language, text)
  const pages = Math.max(1, Math.ceil(list.count / rowsPerPage))
  const title = say(list.title)
  const iterator = list.rows[Symbol.asyncIterator]()
  for (let page = 1; page <= pages; page++) {
    const path = pathOf(list.path, page)
    const root = rootFrom(path)
    const cellOf = (cell: Cell): Markup => {
      if (isNumber(cell)) return html`${cell.number.toLocaleString(language)}`
      if (!isLink(cell)) return html`${say(cell)}`
      const named = cell.id === undefined ? html`` : html` id="${cell.id}"`
      return cell.to === undefined
        ? html`<span${named}>${cell.text}</span>`
        : html`<a${named} href="${root}${cell.to}">${cell.text}</a>`
    }
    const rows: Markup[][] = []
    while (rows.length < rowsPerPage) {
      const { done, value } = await iterator.next()
      if (done) break
      rows.push(value.map(cellOf))
    }
    const others =
      pages === 1
        ? html``
        : html`<ul class="pages">${Array.from({ length: pages }, (_, n) =>
            n + 1 === page
              ? html`<li><strong>${n + 1}</strong></li>`
              : html`<li><a href="${root}${pathOf(list.path, n + 1)}">${n + 1}</a></li>`,
          )}</ul>\n`
    const body = html`<h1>${title}</h1>
<p class="lead">${say(list.lead)}</p>
${page === 1 ? (list.before ?? []) : []}${others}${
  list.count === 0
    ? html`<p class="note">${say(printed.export_list_empty())}</p>`
    : tableAsHtml(list.columns.map(say), rows, {
        named: title,
        isHeaded: true,
        ...(list.numbers && { numbers: list.numbers }),
      })
}${others}`
    const pageTitle = page === 1 ? title : `${title} (${page})`
    yield { path, text: pageOf(around, { path, place: list.place, title: pageTitle, body: body.text }) }
  }
}

type Person = { username: string; full_name: string | null } | null

const text = (value: unknown) => (value === null || value === undefined ? '-' : String(value as string | number))
const person = (value: unknown): string => {
  const found = value as Person
  return found ? (found.full_name ?? found.username) : '-'
}
const word = (value: unknown): Print => (typeof value === 'string' ? wordOf(value) : '-')
const day = (value: unknown) => dayOf(typeof value === 'string' ? value.slice(0, 10) : null)

/** The rows of a list from records, where the whole record is more than a page shows. */
interface RecordList {
  place: Place
  path: string
  columns: readonly Print[]
  row(record: Json, pageOfRecord: string | undefined): readonly Cell[]
}

export const recordLists: Record<'documents' | 'deviations' | 'capas' | 'users' | 'training_assignments', RecordList> =
  {
    documents: {
      place: 'documents',
      path: 'pages/documents.html',
      columns: [
        ...[headings.number, headings.title, headings.version, headings.status, headings.document_type, headings.owner],
        headings.effective_date,
      ],
      row: (record, to) => [
        { text: text(record.number), to },
        text(record.title),
        text(record.version),
        language => printIn(language, stateOf(text(record.status))).replaceAll('_', ' '),
        text((record.document_type as Json | null)?.name),
        person(record.owner),
        day(record.effective_date),
      ],
    },
    deviations: {
      place: 'deviations',
      path: 'pages/deviations.html',
      columns: [
        ...[headings.number, headings.title, headings.severity, headings.status, headings.assigned_to],
        ...[headings.reported, headings.closed],
      ],
      row: (record, to) => [
        { text: text(record.number), to },
        text(record.title),
        word(record.severity),
        word(record.status),
        person(record.assigned_to),
        day(record.reported_at),
        day(record.closed_at),
      ],
    },
    capas: {
      place: 'capas',
      path: 'pages/capas.html',
      columns: [
        ...[headings.number, headings.title, headings.type, headings.status, headings.priority, headings.assigned_to],
        headings.due,
      ],
      row: (record, to) => [
        { text: text(record.number), to },
        text(record.title),
        word(record.type),
        word(record.status),
        word(record.priority),
        person(record.assigned_to),
        day(record.due_date),
      ],
    },
    users: {
      place: 'people',
      path: 'pages/people.html',
      columns: [headings.full_name, headings.username, headings.role, headings.active, headings.created],
      row: (record, to) => [
        { text: person(record), to },
        text(record.username),
        text(record.role),
        wordOf(record.is_active === true ? 'yes' : 'no'),
        day(record.created_at),
      ],
    },
    training_assignments: {
      place: 'training',
      path: 'pages/training.html',
      columns: [
        ...[headings.program, headings.title, headings.person, headings.status, headings.due, headings.completed],
        headings.score,
      ],
      row: (record, to) => [
        text(record.number),
        text(record.title),
        { text: person(record.user), to },
        word(record.status),
        day(record.due_date),
        day(record.completed_at),
        record.score === null || record.score === undefined ? '-' : `${text(record.score)} %`,
      ],
    },
  }

export const momentCell = (moment: string): Print => momentInUtc(new Date(moment))
