// The files that a company fills in: a workbook with a sheet for each kind of record, or the same as CSV files.
import { Readable } from 'node:stream'
import { type PrepareContext, query } from '#action'
import { FileContent, type MadeFile } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import { type Language, type Say, sayIn } from '#kernel/message.ts'
import { headings, printIn } from '#kernel/print.ts'
import { readerLanguage } from '#modules/accounts'
import { csvOf } from '#platform/csv.ts'
import { zipOf } from '#platform/files/zip.ts'
import { type ColumnType, type TemplateSheet, templateOf } from '#platform/xlsx.ts'
import { printed } from './messages.ts'
import { type AnySheet, type Column, type ColumnKind, sheetNames } from './sheet.ts'
import { sheets } from './sheets/index.ts'

const known = (): AnySheet[] => sheetNames.flatMap(name => sheets[name] ?? [])

const typeOf: Partial<Record<ColumnKind, ColumnType>> = { date: 'day', moment: 'moment' }

const promptOf = ({ help, required, choices = [] }: Column, say: Say) =>
  [
    say(help),
    ...(required ? [`${say(printed.migration_template_required())}.`] : []),
    ...(choices.length > 0 ? [`${say(printed.migration_template_choices({ choices: [...choices] }))}.`] : []),
  ].join(' ')

/** The explanations once more, for reading: it is no sheet of an import. */
function helpSheet(language: Language): TemplateSheet {
  const say = sayIn(language)
  const titles = [headings.sheet, headings.field, headings.meaning].map(each => printIn(language, each))
  return {
    name: 'Help',
    columns: titles.map(title => ({ title, type: 'text', prompt: '', choices: [] })),
    rows: known().flatMap(sheet => [
      [sheet.name, '', say(sheet.help)],
      ...sheet.columns.map(column => [sheet.name, column.name, promptOf(column, say)]),
    ]),
  }
}

const sheetOf = ({ name, columns }: AnySheet, say: Say): TemplateSheet => ({
  name,
  columns: columns.map(column => ({
    title: column.name,
    type: typeOf[column.kind] ?? 'text',
    prompt: promptOf(column, say),
    choices: column.choices ?? [],
  })),
  rows: [],
})

/** A template is the same whenever it is downloaded, so its parts name no moment. */
const madeOn = new Date('2020-01-01T00:00:00Z')
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const templateWorkbook = query({
  summary: 'Download the template of an import as a workbook',
  description: 'A sheet for each kind of record, with explanations beside the cells and lists to choose from.',
  permission: 'migration.read',
  input: {},
  response: FileContent,
  async prepare(context: PrepareContext): Promise<MadeFile> {
    const language = await readerLanguage(context)
    const workbook = templateOf(
      [...known().map(sheet => sheetOf(sheet, sayIn(language))), helpSheet(language)],
      madeOn,
    )
    return makeFile(context, workbook, { name: 'Import template.xlsx', content_type: xlsx })
  },
  run: async ({ prepared }) => prepared,
})

export const templateZip = query({
  summary: 'Download the template of an import as CSV files',
  permission: 'migration.read',
  input: {},
  response: FileContent,
  async prepare(context: PrepareContext): Promise<MadeFile> {
    const parts = known().map(({ name, columns }) => ({
      name: `${name}.csv`,
      open: () =>
        Readable.from(
          csvOf(
            columns.map(column => column.name),
            [],
          ),
        ),
    }))
    const zip = zipOf(parts, madeOn)
    return makeFile(context, zip, { name: 'Import template.zip', content_type: 'application/zip' })
  },
  run: async ({ prepared }) => prepared,
})
