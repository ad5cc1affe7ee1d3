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
      .map(({ name, severity, points: its, signals }) =>
        [
          `**${name}**: ${points(its)}, speaks for ${severity}`,
          signals.map(signal => `- \`${signal}\``).join('\n'),
        ].join('\n\n'),
      ),
  ].join('\n\n')

export const severityRules = [
  '# How a severity is suggested',
  '`POST /api/deviations/suggest-severity` reads the description of a deviation by these rules, without AI; if there is a language model, it is asked as well, and the more severe of the two is suggested ([assistant.md](assistant.md)). It is a suggestion: a person accepts it, or overrides it with a reason. The record keeps the result of the rules, and `severity_decision` compares with it.',
  `A rule fires once, however often its signals stand in the text, and adds its points. From ${thresholds.major} points on the suggestion is major, from ${thresholds.critical} on critical, else minor. The rules that do not speak for critical count ${maxWithoutCritical} points at most together: much that is major is not critical.`,
  'In a signal `a|b` is either word, `word*` any word that begins so, and `..` stands for up to five words of the same sentence. Case, accents and width do not matter. Signals that the text denies ("no impact on patients", "was not released", "contamination was excluded") do not count, uncertain ones ("possibly", "could have", "cannot be excluded") count half; both reach as far as their clause, and some words. The rules read English.',
  'The confidence says how probable it is that a quality unit would say the same. It follows from the distance to the nearest threshold, by a curve that was fitted on descriptions that the rules were written on, with half of the signals taken away by chance. `node bench/severity.ts` prints how often the rules are right about descriptions that they were not written on, and what the confidence is worth there.',
  '## Instructions for a language model',
  `The same criteria, without the signals:\n\n${criteria}`,
  '## The rules',
  '| Rule | Dimension | Points | Speaks for |\n|---|---|---|---|\n' +
    rules
      .map(({ name, dimension, points: its, severity }) => `| ${name} | ${dimension} | ${points(its)} | ${severity} |`)
      .join('\n'),
  ...dimensions.map(chapterOf),
].join('\n\n')
