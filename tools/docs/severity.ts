// The published rules of the severity suggestion, from the table that suggests.
import { criteria } from '../../src/modules/severity/criteria.ts'
import { maxWithoutCritical, rules, thresholds } from '../../src/modules/severity/rules.ts'

const points = (number: number) => (number > 0 ? `+${number}` : String(number))
const dimensions = [...new Set(rules.map(({ dimension }) => dimension))]

const chapterOf = (dimension: string) =>
  [
    `## ${dimension[0]!.toUpperCase()}${dimension.slice(1)}`,
    ...rules
      .filter(rule => rule.dimension === dimension)
      .map(({ name, severity, points: its, decides, signals, except = [] }) =>
        [
          `**${name}**: ${points(its)}, ${decides ? 'decides' : 'speaks for'} ${severity}`,
          signals.map(signal => `- \`${signal}\``).join('\n'),
          ...(except.length > 0 ? [`Not this: ${except.map(each => `\`${each}\``).join(', ')}`] : []),
        ].join('\n\n'),
      ),
  ].join('\n\n')

export const severityRules = [
  '# How a severity is suggested',
  '`POST /api/deviations/suggest-severity` reads the description of a deviation by these rules, without AI; if there is a language model, it is asked as well, and the more severe of the two is suggested ([assistant.md](assistant.md)). It is a suggestion: a person accepts it, or overrides it with a reason. The record keeps the result of the rules, and `severity_decision` compares with it.',
  `A rule fires once, however often its signals stand in the text, and adds its points. From ${thresholds.major} points on the suggestion is major, from ${thresholds.critical} on critical, else minor. **Some rules decide**: harm to people, falsified data or signatures, a shared log-in, counterfeit, lost sterility and mix-up make a deviation critical alone, whatever else the description says; where the description is not sure of it, it is major at least. The other rules that do not speak for critical count ${maxWithoutCritical} points at most together: much that is major is not critical.`,
  'In a signal `a|b` is either word, `word*` any word that begins so, and `..` stands for up to five words of the same sentence. Case, accents and width do not matter. Signals that the text denies ("no impact on patients", "was not released", "contamination was excluded") do not count, uncertain ones ("possibly", "could have", "cannot be excluded") count half; both reach as far as their clause, and some words. "Not this" are words that begin like a signal and are something else, such as a dead leg.',
  '**Language.** The rules read English. A text in another language, or with a sentence in one, is "not understood": its confidence is 0.2 at most and its severity major at least, because it may say anything.',
  'The confidence says how probable it is that a quality unit would say the same. It follows from the distance to the nearest threshold, by a curve that was fitted on descriptions that the rules were written on, with two thirds of the signals taken away by chance. It is 0.5 at most where a rule for critical fired with too few points, and 0.75 at most where some rules speak for and others against. `node bench/severity.ts` prints how often the rules are right about descriptions that they were not written on, and what the confidence is worth there.',
  '## Instructions for a language model',
  `The same criteria, without the signals:\n\n${criteria}`,
  '## The rules',
  '| Rule | Dimension | Points | Severity |\n|---|---|---|---|\n' +
    rules
      .map(
        ({ name, dimension, points: its, severity, decides }) =>
          `| ${name} | ${dimension} | ${points(its)} | ${decides ? 'decides' : 'speaks for'} ${severity} |`,
      )
      .join('\n'),
  ...dimensions.map(chapterOf),
].join('\n\n')
