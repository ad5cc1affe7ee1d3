// How often the published rules say the same of a deviation as the person who labelled it, and what their confidence is worth.
//
//   node bench/severity.ts [--fit]
//
// `--fit` prints the constants of the confidence, fitted on the half that the rules were written on: twenty times over, each time with a
// third of the signals, drawn by a hash. With all their signals the rules are right about nearly all of that half, which says nothing
// about a text that they were not written on.
import { createHash } from 'node:crypto'
import { type SeveritySuggestion, suggestSeverity } from '#modules/severity'
import { rules } from '../src/modules/severity/rules.ts'
import { rater } from '../src/modules/severity/suggest.ts'
import { type Described, descriptions, isHeldOut, otherLanguages } from './severity-descriptions.ts'

const severities = ['minor', 'major', 'critical'] as const
type Severity = SeveritySuggestion['severity']

const halves = {
  written_on: descriptions.filter(each => !isHeldOut(each)),
  held_out: descriptions.filter(isHeldOut),
}

const judged = (half: readonly Described[]) => half.map(each => ({ ...each, said: suggestSeverity(each.text) }))
type Judged = ReturnType<typeof judged>[number]
const isRight = ({ severity, said }: Judged) => said.severity === severity
/** The rationale says first where the rules do not understand the text, whose confidence is then at most 0.2. */
export const isUnderstood = ({ said }: Pick<Judged, 'said'>) => !said.rationale.startsWith('Not understood')
const shareOf = (some: readonly unknown[], of: readonly unknown[]) => (of.length > 0 ? some.length / of.length : 0)
const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** The results of the two halves; the test of the rules requires them. */
export function evaluate() {
  const figuresOf = (half: readonly Described[]) => {
    const all = judged(half)
    const is = (wanted: Severity) => all.filter(({ severity }) => severity === wanted)
    return {
      all,
      number: all.length,
      accuracy: shareOf(all.filter(isRight), all),
      always_minor: shareOf(is('minor'), all),
      most_frequent: Math.max(...severities.map(severity => shareOf(is(severity), all))),
      /** The critical ones that were called minor: the worst mistake. */
      critical_called_minor: is('critical').filter(({ said }) => said.severity === 'minor').length,
    }
  }
  const unknown = otherLanguages.map(each => ({ ...each, said: suggestSeverity(each.text) }))
  return { other_languages: unknown, written_on: figuresOf(halves.written_on), held_out: figuresOf(halves.held_out) }
}

function print(name: string, figures: ReturnType<typeof evaluate>['held_out']) {
  const { all, number, accuracy, always_minor, most_frequent } = figures
  console.log(`\n${name}: ${number} descriptions`)
  console.log(
    `  right ${percent(accuracy)}; always minor ${percent(always_minor)}, the most frequent ${percent(most_frequent)}`,
  )
  console.log(`  ${'labelled'.padEnd(10)}${severities.map(said => `said ${said}`.padStart(15)).join('')}`)
  for (const severity of severities) {
    const counts = severities.map(said => all.filter(each => each.severity === severity && each.said.severity === said))
    console.log(`  ${severity.padEnd(10)}${counts.map(({ length }) => String(length).padStart(15)).join('')}`)
  }
  console.log('  confidence      number   said on average   right')
  for (const [from, to] of [
    [0, 0.5],
    [0.5, 0.7],
    [0.7, 0.8],
    [0.8, 1.01],
  ] as const) {
    const band = all.filter(({ said }) => said.confidence > from - Number(from === 0) && said.confidence <= to)
    if (band.length === 0) continue
    const mean = band.reduce((sum, { said }) => sum + said.confidence, 0) / band.length
    const range = `${from.toFixed(2)} to ${Math.min(1, to).toFixed(2)}`
    console.log(
      `  ${range}${String(band.length).padStart(10)}${percent(mean).padStart(18)}${percent(shareOf(band.filter(isRight), band)).padStart(8)}`,
    )
  }
}

/** A logistic curve over the distance from the nearest threshold, by Newton's method. */
function fitConfidence(cases: readonly { margin: number; right: number }[]) {
  let [a, b] = [0, 0]
  for (let step = 0; step < 50; step++) {
    let [ga, gb, haa, hab, hbb] = [0, 0, 0, 0, 0]
    for (const { margin, right } of cases) {
      const p = 1 / (1 + Math.exp(-(a + b * margin)))
      ga += right - p
      gb += (right - p) * margin
      haa += p * (1 - p)
      hab += p * (1 - p) * margin
      hbb += p * (1 - p) * margin * margin
    }
    const determinant = haa * hbb - hab * hab
    a += (hbb * ga - hab * gb) / determinant
    b += (haa * gb - hab * ga) / determinant
  }
  return { at_threshold: Number(a.toFixed(2)), per_point: Number(b.toFixed(2)) }
}

function fit() {
  const cases = Array.from({ length: 20 }, (_, round) => {
    const isLeft = (signal: string) => createHash('sha256').update(`${round} ${signal}`).digest()[0]! % 3 === 0
    const rate = rater(rules.map(rule => ({ ...rule, signals: rule.signals.filter(isLeft) })))
    return halves.written_on.map(({ severity, text }) => ({ ...rate(text), wanted: severity }))
  }).flat()
  const plain = cases.filter(({ isPlain }) => isPlain)
  for (const [name, some] of Object.entries({
    minor: plain.filter(({ severity }) => severity === 'minor'),
    above: plain.filter(({ severity }) => severity !== 'minor'),
  }))
    console.log(
      name,
      fitConfidence(some.map(({ margin, severity, wanted }) => ({ margin, right: Number(severity === wanted) }))),
    )
}

if (import.meta.main && process.argv.includes('--fit')) fit()
else if (import.meta.main) {
  const { written_on, held_out, other_languages } = evaluate()
  print('The half that the rules were written on', written_on)
  print('The half that was held out', held_out)
  const understood = other_languages.filter(isUnderstood)
  console.log(`\nOther languages: ${other_languages.length}, of which ${understood.length} were taken for English`)
  for (const { text } of understood) if (!isHeldOut({ text })) console.log(`  ${text}`)
}
