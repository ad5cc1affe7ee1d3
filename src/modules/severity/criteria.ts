import { type Severity, severities } from './rule.ts'
import { rules } from './rules.ts'

/** The meaning of each severity, for people and models. */
const meanings: Record<Severity, string> = {
  minor: 'no effect on product, patients or the reliability of records is to be expected: a lapse of form, put right',
  major:
    'product quality, the validated state, a commitment to an authority or the reliability of records may be affected, or the same happened before',
  critical:
    'people were harmed or may be, what is affected has reached the market or patients, or data were falsified or lost for good',
}

const dimensions = [...new Set(rules.map(({ dimension }) => dimension))].filter(each => each !== 'reassurance')

const namesOf = (severity: Severity) =>
  rules
    .filter(each => each.severity === severity)
    .map(({ name }) => name)
    .join(', ')

/** The published criteria: the meaning of each severity, and the rules that support it. */
export const criteria = [
  ...severities.map(severity => `- ${severity}: ${meanings[severity]}. It speaks for it: ${namesOf(severity)}.`),
  '',
  `They are judged in these dimensions, of which the gravest decides: ${dimensions.join(', ')}.`,
  `Critical alone, whatever else is said: ${rules
    .filter(({ decides }) => decides)
    .map(({ name }) => name)
    .join(', ')}.`,
  'What is uncertain counts as possible, what the description denies does not count.',
].join('\n')
