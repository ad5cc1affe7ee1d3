import { type PrepareContext, query } from '#action'
import { type MadeFile, orFile } from '#action/file.ts'
import { invalid, issueAt, notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { headings } from '#kernel/print.ts'
import { todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { csvFile, pdfFile, recordExport } from './exports.ts'
import { matrixAsCsv, matrixOnPaper } from './matrix-files.ts'
import { listCells, listMatrixPeople, listMatrixPrograms, type MatrixPerson, matrixSorts } from './matrix-queries.ts'
import { type Cell, Matrix, MatrixFilter, type MatrixProgram, type MatrixRow, maxPrograms } from './matrix-schema.ts'

const idsIn = (text: string | undefined) => (text === undefined ? undefined : [...new Set(text.split(',').map(Number))])

/** One query reads the cells of so many people. */
const peopleAtOnce = 200
/** A larger table exceeds the memory for one PDF. */
const maxCellsOfPdf = 20_000

async function programsOf(tx: Tx, filter: MatrixFilter): Promise<MatrixProgram[]> {
  const ids = idsIn(filter.program_ids)
  const programs = await listMatrixPrograms(tx, ids, maxPrograms + 1)
  if (ids && programs.length < ids.length) throw notFound('Training program')
  if (programs.length > maxPrograms)
    throw invalid(
      issueAt(['query', 'program_ids'], messages.training_matrix_programs_required({ maximum: maxPrograms })),
    )
  return programs
}

interface MatrixParts {
  programs: MatrixProgram[]
  people: MatrixPerson[]
  today: string
}

async function findParts(
  tx: Tx,
  { services }: Pick<PrepareContext, 'services'>,
  filter: MatrixFilter,
): Promise<MatrixParts> {
  const { user_ids, ...others } = filter
  const sort = parseSort(filter.sort, matrixSorts, { field: 'username', direction: 'asc' })
  const today = await todayOf({ tx, services })
  const programs = await programsOf(tx, filter)
  const programIds = programs.map(({ id }) => id)
  const people = await listMatrixPeople(tx, others, { user_ids: idsIn(user_ids), programIds, today }, sort)
  return { programs, people, today }
}

const empty: Cell = {
  status: 'not_assigned',
  assignment_id: null,
  valid_until: null,
  due_date: null,
  version: null,
  is_imported: false,
}

async function rowsOf(tx: Tx, people: readonly MatrixPerson[], { programs, today }: MatrixParts): Promise<MatrixRow[]> {
  const programIds = programs.map(({ id }) => id)
  const found = await listCells(
    tx,
    people.map(({ id }) => id),
    programIds,
    today,
  )
  const cells = new Map(found.map(({ user_id, program_id, ...cell }) => [`${user_id} ${program_id}`, cell]))
  return people.map(({ role, ...user }) => ({
    user,
    role,
    cells: programIds.map(program => cells.get(`${user.id} ${program}`) ?? empty),
  }))
}

/** Names the filter in the file, for readers who did not request it themselves. */
function describeFilter(
  { group_id, role, user_ids, status, q, program_ids }: MatrixFilter,
  { programs, people }: MatrixParts,
) {
  const chosen = [
    ...(program_ids === undefined
      ? ['all active programs']
      : [`programs ${programs.map(({ number }) => number).join(', ')}`]),
    ...(group_id === undefined ? [] : [`members of group ${group_id}`]),
    ...(role === undefined ? [] : [`role ${role}`]),
    ...(user_ids === undefined ? [] : [`people ${people.map(({ username }) => username).join(', ')}`]),
    ...(status === undefined ? [] : [`with a training that is ${status}`]),
    ...(q === undefined ? [] : [`names with ${q}`]),
  ]
  return `${people.length} people, ${programs.length} programs: ${chosen.join('; ')}`.slice(0, 500)
}

async function* parts({ read }: PrepareContext, all: MatrixParts): AsyncGenerator<MatrixRow[]> {
  for (let from = 0; from < all.people.length; from += peopleAtOnce)
    yield await read(tx => rowsOf(tx, all.people.slice(from, from + peopleAtOnce), all))
}

async function matrixFile(context: PrepareContext, filter: MatrixFilter): Promise<MadeFile> {
  const all = await context.read(tx => findParts(tx, context, filter))
  const name = `Training matrix ${all.today}`
  const subject = describeFilter(filter, all)
  const after = { ...filter, people: all.people.length, programs: all.programs.length }
  if (filter.format === 'csv') {
    const file = await csvFile(context, name, matrixAsCsv(all.programs, parts(context, all)))
    await recordExport(context, null, { after })
    return file
  }
  if (all.people.length * all.programs.length > maxCellsOfPdf)
    throw invalid(issueAt(['query', 'format'], messages.training_matrix_too_large({ maximum: maxCellsOfPdf })))
  const rows: MatrixRow[] = []
  for await (const some of parts(context, all)) rows.push(...some)
  const blocks = matrixOnPaper(all.programs, rows)
  const file = await pdfFile(context, name, { title: headings.training_matrix, subject, blocks })
  await recordExport(context, null, { after })
  return file
}

export const matrix = query({
  summary: 'Read the training matrix',
  description:
    'The standing of each person in each program today. CSV and PDF have all people, JSON a page of them. `status` selects people with that standing in at least one of the programs.',
  permission: 'training.read_all',
  input: { query: MatrixFilter },
  response: orFile(Matrix, 'text/csv', 'application/pdf'),
  prepare: (context, { query }) =>
    query.format === undefined || query.format === 'json' ? Promise.resolve(undefined) : matrixFile(context, query),
  async run({ tx, services, prepared }, { query }) {
    if (prepared) return prepared
    const all = await findParts(tx, { services }, query)
    const { limit, offset } = limits(query)
    const items = await rowsOf(tx, all.people.slice(offset, offset + limit), all)
    return { programs: all.programs, ...envelope(items, all.people.length, query) }
  },
})
