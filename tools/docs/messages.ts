// The codes of every refusal with their sentences, from the catalogues by which the service refuses.
import { catalogues } from './catalogues.ts'

const inCell = (text: string) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const chapterOf = (folder: string) =>
  [
    `## ${folder}`,
    [
      '| Code | Sentence |',
      '|---|---|',
      ...catalogues
        .filter(entry => entry.folder === folder)
        .map(({ code, sentence }) => `| \`${code}\` | ${inCell(sentence)} |`),
    ].join('\n'),
  ].join('\n\n')

export const messages = [
  '# Codes of refusals',
  'The body of each refusal has `detail`, a sentence in English, `code`, which names its reason, and `params`, the facts of the sentence by name. Show `detail`, or say the same in another language by `code` and `params`. A code keeps its meaning; a sentence may be improved.',
  'A 422 has the code `invalid_input`, and `detail` is the list of its issues: `loc` is the path of the value, `msg` the sentence, `type` its code, and `params` as above. A 5xx has a `request_id` as well.',
  'In the sentences below `{name}` stands for the parameter of that name. Some sentences vary with a parameter, such as the singular and the plural of a number.',
  ...[...new Set(catalogues.map(({ folder }) => folder))].map(chapterOf),
].join('\n\n')
