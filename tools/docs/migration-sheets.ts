// What a manifest can have: each sheet with its columns, from the same table by which a batch reads it.

import { type Column, sheetNames } from '../../src/modules/migrations-in/sheet.ts'
import { sheets } from '../../src/modules/migrations-in/sheets/index.ts'

const kinds: Record<Column['kind'], string> = {
  ...{ text: 'text', long_text: 'text, also of several lines', date: 'day', moment: 'moment', integer: 'number' },
  ...{ choice: 'choice', list: 'list, apart by semicolons', file: 'path of a file' },
}

const kindOf = ({ kind, choices, takes, takesLegacy }: Column) =>
  [
    choices ? `one of ${choices.map(each => `\`${each}\``).join(', ')}` : kinds[kind],
    ...(takes ? ['a file of its own'] : []),
    ...(takesLegacy ? ['also of an old type'] : []),
  ].join('; ')

const rowOf = (column: Column) =>
  `| \`${column.name}\` | ${column.required ? 'yes' : ''} | ${kindOf(column)} | ${column.help.text} | ${(column.aliases ?? []).join(', ')} |`

const sections = sheetNames.map(name => {
  const { help, needs, columns } = sheets[name]
  return [
    `## ${name}`,
    '',
    `${help.text}${needs.length > 0 ? ` Loaded after ${needs.map(each => `\`${each}\``).join(', ')}.` : ''}`,
    '',
    '| Column | Required | Kind | What it is | Other headings |',
    '|---|---|---|---|---|',
    ...columns.map(rowOf),
    '',
  ].join('\n')
})

export const migrationSheets = `# Sheets of an import

What a workbook, or a CSV file for each sheet, has for [an import](migration.md). Columns are found by their names or by other headings in any
order; columns that are not listed here are left out.

${sections.join('\n')}
## What becomes of them

- **Numbers.** With \`keep_numbers\` the old number stays, and the series of its type goes on behind it. Otherwise a record gets a new number,
  and lists and search find it by the old one too.
- **Versions** have the labels of Attest, such as \`2.0\` for \`Rev. 2\`, \`02\` or \`B\`; the label of before is shown beside it. They run through no
  workflow: the line of their history has the trigger \`migration\`. Later versions are approved as always. Files of old types, such as .doc, are
  kept as they are; Attest neither shows nor searches them.
- **Approvals** are history and no signatures. A document, its signed copy and its dossier show them with the migration and its acceptance;
  \`GET /api/signatures/\` has none of them.
- **People** have no passwords. They come alive by an invitation or by single sign-on. People who have left are inactive.
- **Training** is completed without a signature, and is shown as imported. Without \`training_counts\` it counts for nobody, so curricula assign it
  anew.
- **Deviations and CAPAs** keep their state, person and dates. Closed ones say that they were closed before the migration. The actions of open
  CAPAs are planned anew, and plans of high priority are approved anew.
- **Dates of the past** notify nobody. What is overdue is listed as overdue.

The database admits a record that names a batch only for a row of a batch that was accepted with a signature, and an imported version only with
a file of that batch.`
