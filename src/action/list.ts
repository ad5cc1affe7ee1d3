// Lists: one definition answers pages of JSON and, where it declares columns, the whole list as CSV and XLSX.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { EventName, Permission } from '#kernel/catalogue.ts'
import { invalid, invalidQuery, issueAt } from '#kernel/errors.ts'
import { messages } from '#kernel/messages.ts'
import { PageParams, pageOf, parseSort, type Sort } from '#kernel/paging.ts'
import { OneOf, Page, Text } from '#kernel/schema.ts'
import { csvOf } from '#platform/csv.ts'
import { type Cell, type ColumnType, maxSheetRows, xlsxOf } from '#platform/xlsx.ts'
import { type ActionContext, type PrepareContext, query } from './definitions.ts'
import { type MadeFile, orFile } from './file.ts'
import { makeFile } from './made.ts'

/** A column of an export: its title and the value of each item; `day` and `moment` are dates in XLSX. */
export type ExportColumn<Item> = [title: string, of: (item: Item) => Cell, type?: ColumnType]

type Reading = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The rows of a list for one request, and how many there are; `isKept` as in `pageOf`. */
export interface Found<Item> {
  list(limit: number, offset: number): Promise<Item[]>
  count(): Promise<number>
  isKept?: boolean
  /** How many have each value of a field, by the same filter without that field. */
  facet?(field: string): Promise<Facet[]>
}

const Facet = Type.Object({
  value: Type.Union([Type.String(), Type.Integer()]),
  label: Type.Union([Type.String(), Type.Null()], { description: 'The name, where the value is an id' }),
  count: Type.Integer({ minimum: 1 }),
})
type Facet = Static<typeof Facet>

interface ListDefinition<F extends TObject, I extends TSchema, S extends string> {
  summary: string
  description?: string
  permission: Permission
  filter: F
  item: I
  sorts: readonly S[]
  sort: Sort<S>
  /** The fields of the filter whose values `facets` counts. */
  facets?: readonly string[]
  /** `name` is that of the file and of the sheet. */
  exported: { name: string; event: EventName; columns: readonly ExportColumn<Static<I>>[] }
  find(context: Reading, filter: Static<F>, sort: Sort<S>): Promise<Found<Static<I>>>
}

const csv = 'text/csv'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** So many rows are in memory at a time. */
const rowsPerPart = 500

async function* rowsOf<Item>(
  { list }: Found<Item>,
  columns: readonly ExportColumn<Item>[],
  counted: (n: number) => void,
) {
  for (let offset = 0; ; offset += rowsPerPart) {
    const items = await list(rowsPerPart, offset)
    counted(items.length)
    if (items.length > 0) yield items.map(item => columns.map(([, of]) => of(item)))
    if (items.length < rowsPerPart) return
  }
}

/** As a spreadsheet reads it: yes or no, and a moment without its T and Z. */
const csvCell = (cell: Cell, type: ColumnType = 'text') =>
  typeof cell === 'boolean'
    ? cell
      ? 'yes'
      : 'no'
    : type === 'moment' && cell !== null
      ? spacedMoment(String(cell))
      : cell
const spacedMoment = (iso: string) => iso.slice(0, 19).replace('T', ' ')

async function* csvRows(columns: readonly ExportColumn<never>[], parts: AsyncIterable<Cell[][]>) {
  for await (const part of parts) yield part.map(row => row.map((cell, i) => csvCell(cell, columns[i]![2])))
}

/** Made on this machine's disk in one transaction, so that every row is of the same moment and a slow download holds no connection. */
async function exportOf<F extends TObject, I extends TSchema, S extends string>(
  context: PrepareContext,
  { exported: { name, event, columns }, find }: ListDefinition<F, I, S>,
  { format, filter, sort }: { format: 'csv' | 'xlsx'; filter: Static<F>; sort: Sort<S> },
): Promise<MadeFile> {
  const { actor, services } = context
  const now = services.clock.now()
  let rows = 0
  const file = await context.readSnapshot(async tx => {
    const found = await find({ tx, actor, services }, filter, sort)
    if (format === 'xlsx' && (await found.count()) >= maxSheetRows)
      throw invalidQuery('format', messages.list_too_long_for_sheet({ maximum: maxSheetRows - 1 }))
    const parts = rowsOf(found, columns, count => {
      rows += count
    })
    const bytes =
      format === 'csv'
        ? csvOf(
            columns.map(([title]) => title),
            csvRows(columns, parts),
          )
        : xlsxOf(
            name,
            columns.map(([title, , type = 'text']) => ({ title, type })),
            parts,
            now,
          )
    const content_type = format === 'csv' ? csv : xlsx
    return makeFile(context, bytes, { name: `${name} ${now.toISOString().slice(0, 10)}.${format}`, content_type })
  })
  const asked = { ...filter, ...(filter.sort === undefined && { sort: `${sort.field}:${sort.direction}` }) }
  await context.inSeparateTransaction(async ({ record }) =>
    record(event, null, { number: name, after: { format, rows, ...asked } }),
  )
  return file
}

/** `facets=status,category`: each field once. */
function parseFacets(text: string | undefined, fields: readonly string[]): string[] {
  if (text === undefined) return []
  const asked = [...new Set(text.split(',').map(each => each.trim()))]
  if (asked.some(each => !fields.includes(each)))
    throw invalid(issueAt(['query', 'facets'], messages.facet_not_supported({ fields })))
  return asked
}

const Facets = (fields: readonly string[]) =>
  Type.Optional(
    Text({
      maxLength: 200,
      description: `Of these, separated by commas, how many have each value: ${fields.join(', ')}`,
    }),
  )
const FacetCounts = (fields: readonly string[]) =>
  Type.Optional(Type.Object(Object.fromEntries(fields.map(field => [field, Type.Optional(Type.Array(Facet))]))))

/** A list of records. Its filter and its sort are also those of its exports, which have all pages. */
export function listQuery<F extends TObject, const I extends TSchema, S extends string>(
  definition: ListDefinition<F, I, S>,
) {
  const { summary, description, permission, filter, item, sorts, sort: fallback, facets = [], find } = definition
  const Query = Type.Object(
    {
      ...filter.properties,
      format: Type.Optional(OneOf('json', 'csv', 'xlsx')),
      ...(facets.length > 0 && { facets: Facets(facets) }),
    },
    { additionalProperties: false },
  )
  /** The filter without what only chooses the form of the answer. */
  const read = ({ format = 'json', facets: counted, ...asked }: Record<string, unknown>) => ({
    format: format as 'json' | 'csv' | 'xlsx',
    counted: parseFacets(counted as string | undefined, facets),
    asked: asked as Static<F>,
    sort: parseSort(asked.sort as string | undefined, sorts, fallback),
  })
  return query({
    summary,
    description: [
      description,
      facets.length > 0 &&
        '`facets` counts the values of fields for the filters of a page: by the filter of the list, each without its own field. They take longer than the list, and a file has none.',
      'With `format` csv or xlsx the answer is a file of the whole list, whatever the page; the export is recorded.',
    ]
      .filter(Boolean)
      .join(' '),
    permission,
    input: { query: Query },
    response: orFile(
      facets.length > 0 ? Type.Object({ ...Page(item).properties, facets: FacetCounts(facets) }) : Page(item),
      csv,
      xlsx,
    ),
    async prepare(context: PrepareContext, input): Promise<MadeFile | undefined> {
      const { format, asked, sort } = read(input.query as Record<string, unknown>)
      if (format === 'json') return undefined
      const narrowed = Object.entries(asked as object).filter(([name]) => name === 'sort' || !(name in PageParams))
      return exportOf(context, definition, { format, filter: Object.fromEntries(narrowed) as Static<F>, sort })
    },
    async run({ tx, actor, services, prepared }, input) {
      if (prepared) return prepared as never
      const { asked, sort, counted } = read(input.query as Record<string, unknown>)
      const { list, count, isKept = false, facet } = await find({ tx, actor, services }, asked, sort)
      const [page, ...counts] = await Promise.all([
        pageOf(asked as object, list, count, { isKept }),
        ...counted.map(async field => [field, await facet!(field)] as const),
      ])
      return { ...page, ...(counted.length > 0 && { facets: Object.fromEntries(counts) }) } as never
    },
  })
}
