import { most_without_critical, type Rule, rules, type Severity, thresholds } from './rules.ts'
import { finderOf, type Hit } from './signals.ts'
import { wordsOf } from './words.ts'

export interface SeveritySuggestion {
  severity: Severity
  /** How probable it is that a quality unit would say the same, 0 to 1. */
  confidence: number
  rationale: string
  /** The names of the rules that fired. */
  rules: string[]
}

const find = finderOf(rules)
/** Uncertain words count so much. */
const hedged_share = 0.5
const most_quotes = 3
const longest_quote = 80

interface Fired {
  rule: Rule
  points: number
  hits: Hit<Rule>[]
}

/** Each rule once, however often its signals stand there; for half, where the text is not sure of any. */
function fire(hits: readonly Hit<Rule>[]): Fired[] {
  const fired: Fired[] = []
  for (const [rule, its] of Map.groupBy(hits, ({ rule }) => rule)) {
    const stated = its.filter(({ certainty }) => certainty === 'stated')
    const hedged = its.filter(({ certainty }) => certainty === 'hedged')
    if (stated.length > 0) fired.push({ rule, points: rule.points, hits: stated })
    else if (hedged.length > 0) fired.push({ rule, points: rule.points * hedged_share, hits: hedged })
  }
  return fired.sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || rules.indexOf(a.rule) - rules.indexOf(b.rule))
}

function scoreOf(fired: readonly Fired[]) {
  const sum = (some: readonly Fired[]) => some.reduce((total, { points }) => total + points, 0)
  const { critical = [], others = [] } = Object.groupBy(fired, ({ rule }) =>
    rule.severity === 'critical' ? 'critical' : 'others',
  )
  return sum(critical) + Math.min(most_without_critical, sum(others))
}

const severityOf = (score: number): Severity =>
  score >= thresholds.critical ? 'critical' : score >= thresholds.major ? 'major' : 'minor'

/** Fitted by `node bench/severity.ts --fit` on the half of the descriptions that the rules were written on. */
const calibration = { at_threshold: 0.3, per_point: 0.9, least: 0.2, most: 0.95 }
const without_signal = 0.2

/** The further the score is from where it would be another severity, the surer. */
function confidenceOf(score: number) {
  const margin = Math.min(...Object.values(thresholds).map(threshold => Math.abs(score - threshold)))
  const { at_threshold, per_point, least, most } = calibration
  const probability = 1 / (1 + Math.exp(-(at_threshold + per_point * margin)))
  return Math.round(Math.min(most, Math.max(least, probability)) * 100) / 100
}

const quotesOf = (text: string, hits: readonly Hit<Rule>[]) =>
  [
    ...new Set(
      hits.slice(0, 20).map(({ start, end }) => text.slice(start, Math.min(end, start + longest_quote)).toWellFormed()),
    ),
  ]
    .slice(0, most_quotes)
    .map(quote => `"${quote.replaceAll(/\s+/g, ' ')}"`)
    .join(', ')

const signed = (points: number) => (points > 0 ? `+${points}` : `${points}`)

/** Of a description in English. The same text always gives the same answer; it is a suggestion, and writes nothing. */
export function suggestSeverity(description: string): SeveritySuggestion {
  const hits = find(wordsOf(description))
  const fired = fire(hits)
  const denied = hits.filter(({ certainty, rule }) => certainty === 'denied' && rule.points > 0)
  const named = fired.map(({ rule }) => rule.name)
  const score = scoreOf(fired)
  const severity = severityOf(score)
  if (fired.length === 0) {
    const rationale = `No published rule recognises anything in this text${denied.length > 0 ? ` but what it denies (${quotesOf(description, denied)})` : ''}: ${severity} for want of a reason for more. Rules read English; a person must judge.`
    return { severity, confidence: without_signal, rationale, rules: [] }
  }
  const reasons = fired.map(({ rule, points, hits: its }) => {
    const share = points === rule.points ? '' : ', uncertain'
    return `${rule.name} (${signed(points)}${share}): ${quotesOf(description, its)}`
  })
  const left = denied.length > 0 ? ` Not counted, because the text denies it: ${quotesOf(description, denied)}.` : ''
  const scale = `major from ${thresholds.major}, critical from ${thresholds.critical}`
  return {
    severity,
    confidence: confidenceOf(score),
    rationale: `Published rules, without AI: ${score} points (${scale}). ${reasons.join('; ')}.${left}`,
    rules: named,
  }
}
