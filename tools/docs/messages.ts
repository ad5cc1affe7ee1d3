// The codes of every sentence that the service says to a person, from the catalogues of the modules.
import { headings, labels } from '../../src/kernel/labels.ts'
import { catalogues, type Entry, lines, printed, reasons } from './catalogues.ts'

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const tableOf = (entries: readonly Entry[]) =>
  [
    '| Code | Sentence |',
    '|---|---|',
    ...entries.map(
      ({ code, title, sentence }) =>
        `| \`${code}\` | ${inCell(title === undefined ? sentence : `**${title}** ${sentence}`)} |`,
    ),
  ].join('\n')

/** A table for each folder, below a heading of this depth. */
const byFolder = (entries: readonly Entry[], depth: string) =>
  [...Map.groupBy(entries, ({ folder }) => folder)].map(([folder, ofFolder]) =>
    [`${depth} ${folder}`, tableOf(ofFolder)].join('\n\n'),
  )

const namesOf = (names: Readonly<Record<string, string>>) =>
  ['| Value | Name |', '|---|---|', ...Object.entries(names).map(([value, name]) => `| \`${value}\` | ${name} |`)].join(
    '\n',
  )

export const messages = [
  '# Codes and sentences',
  'Each sentence that the service says to a person has a `code`, which names what it says, and `params`, the facts of the sentence by name. Show the sentence, which is in the [language of the request](languages.md), or say the same in another one by `code` and `params`. A code keeps its meaning; a sentence may be improved.',
  'The body of a refusal has the sentence as `detail`. A 422 has the code `invalid_input`, and `detail` is the list of its issues: `loc` is the path of the value, `msg` the sentence, `type` its code, and `params` as above. A 5xx has a `request_id` as well.',
  'A notification has one code for its `title`, bold below, and its `message`; its mail says the same. A parameter is `null` where it is not known: no `by` means that a schedule did it.',
  'In the sentences below `{name}` stands for the parameter of that name. Some sentences vary with a parameter, such as the singular and the plural of a number. A parameter that is a stored value, such as `under_investigation`, has a name at the [end of this page](#names-of-values).',
  ...byFolder(catalogues, '##'),
  '## Printed texts',
  'The lines and the notes of PDFs and mails, the next tasks of the dashboard, and the parts of which sentences are composed.',
  tableOf(printed),
  '## Reasons in the audit trail',
  'The reasons that the program gives itself. An entry has the sentence alone: [how its code is found](audit-trail.md#reasons).',
  tableOf(reasons),
  '## Command line',
  'The lines and the refusals of [the commands](command-line.md). A line of `doctor` has a code for its subject and one for what was found.',
  ...byFolder(lines, '###'),
  '## Names of values',
  namesOf(labels),
  '## Headings',
  'The headings of columns and facts in PDFs and exports.',
  namesOf(headings),
].join('\n\n')
