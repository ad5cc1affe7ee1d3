import type { Rule, Severity } from './rule.ts'
import { maxWithoutCritical, rules, thresholds } from './rules.ts'
import { finderOf, type Hit } from './signals.ts'
import { wordsOf } from './words.ts'

export interface SeveritySuggestion {
  severity: Severity
  /** The probability that a quality unit would decide the same, 0 to 1. */
  confidence: number
  rationale: string
  /** The names of the rules that matched. */
  rules: string[]
}

/** The share of the points that an uncertain signal counts. */
const hedgedShare = 0.5
const maxQuotes = 3
const maxQuoteLength = 80

interface Fired {
  rule: Rule
  points: number
  hits: Hit<Rule>[]
}

/** Counts each rule once, and by half where the text is sure of none of its signals. */
function fire(hits: readonly Hit<Rule>[]): Fired[] {
  const fired: Fired[] = []
  for (const [rule, its] of Map.groupBy(hits, ({ rule }) => rule)) {
    const stated = its.filter(({ certainty }) => certainty === 'stated')
    const hedged = its.filter(({ certainty }) => certainty === 'hedged')
    if (stated.length > 0) fired.push({ rule, points: rule.points, hits: stated })
    else if (hedged.length > 0) fired.push({ rule, points: rule.points * hedgedShare, hits: hedged })
  }
  return fired.sort((a, b) => Math.abs(b.points) - Math.abs(a.points) || a.rule.name.localeCompare(b.rule.name, 'en'))
}

function scoreOf(fired: readonly Fired[]) {
  const sum = (some: readonly Fired[]) => some.reduce((total, { points }) => total + points, 0)
  const { critical = [], others = [] } = Object.groupBy(fired, ({ rule }) =>
    rule.severity === 'critical' ? 'critical' : 'others',
  )
  return sum(critical) + Math.min(maxWithoutCritical, sum(others))
}

const severityOf = (score: number): Severity =>
  score >= thresholds.critical ? 'critical' : score >= thresholds.major ? 'major' : 'minor'

/**
 * Fitted by `node bench/severity.ts --fit` on the descriptions that the rules were written for. Half of the signals are left out at
 * random, because the rules know fewer words of other texts.
 */
const calibration = { atThreshold: 0.56, perPoint: 0.62 }
/** A reader who is told of certainty would not judge for themselves. */
const maxConfidence = 0.95
/** Lower than a guess among three severities. */
const confidenceWithoutSignal = 0.2

const marginOf = (score: number) => Math.min(...Object.values(thresholds).map(threshold => Math.abs(score - threshold)))

/** The confidence grows with the distance of the score from the next threshold. */
function confidenceOf(score: number) {
  const { atThreshold, perPoint } = calibration
  const probability = 1 / (1 + Math.exp(-(atThreshold + perPoint * marginOf(score))))
  return Math.round(Math.min(maxConfidence, probability) * 100) / 100
}

const quotesOf = (text: string, hits: readonly Hit<Rule>[]) =>
  [
    ...new Set(
      hits
        .slice(0, 20)
        .map(({ start, end }) => text.slice(start, Math.min(end, start + maxQuoteLength)).toWellFormed()),
    ),
  ]
    .slice(0, maxQuotes)
    .map(quote => `"${quote.replaceAll(/\s+/g, ' ')}"`)
    .join(', ')

const signed = (points: number) => (points > 0 ? `+${points}` : `${points}`)

/** Rates a text by a set of rules, with the distance to another severity. */
export function rater(of: readonly Rule[]) {
  const find = finderOf(of)
  return (description: string) => {
    const fired = fire(find(wordsOf(description)))
    const score = scoreOf(fired)
    return { severity: severityOf(score), margin: marginOf(score), isKnown: fired.length > 0 }
  }
}

const find = finderOf(rules)

/** Suggests a severity for a description in English. The same text always gets the same answer, and nothing is written. */
export function suggestSeverity(description: string): SeveritySuggestion {
  const hits = find(wordsOf(description))
  const fired = fire(hits)
  const denied = hits.filter(({ certainty, rule }) => certainty === 'denied' && rule.points > 0)
  const named = fired.map(({ rule }) => rule.name)
  const score = scoreOf(fired)
  const severity = severityOf(score)
  if (fired.length === 0) {
    const rationale = `No published rule matches this text${denied.length > 0 ? `, except for signals that it denies (${quotesOf(description, denied)})` : ''}. The suggestion is ${severity}. The rules understand only English, so a person must judge.`
    return { severity, confidence: confidenceWithoutSignal, rationale, rules: [] }
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
