import type { Message } from '#kernel/message.ts'
import { isEnglish } from './language.ts'
import { printed } from './messages.ts'
import type { Rule, Severity } from './rule.ts'
import { maxWithoutCritical, rules, thresholds } from './rules.ts'
import { finderOf, type Hit } from './signals.ts'
import { wordsOf } from './words.ts'

export interface SeveritySuggestion {
  severity: Severity
  /** The probability that a quality unit would decide the same, 0 to 1. */
  confidence: number
  rationale: string
  /** The rationale, to be said in any language. */
  said: Message
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

const isStated = ({ rule, points }: Fired) => points === rule.points

function scoreOf(fired: readonly Fired[]) {
  const sum = (some: readonly Fired[]) => some.reduce((total, { points }) => total + points, 0)
  const { critical = [], others = [] } = Object.groupBy(fired, ({ rule }) =>
    rule.severity === 'critical' ? 'critical' : 'others',
  )
  return sum(critical) + Math.min(maxWithoutCritical, sum(others))
}

/** A decisive rule is not outweighed: stated it is critical, uncertain it is major at least. */
function severityOf(score: number, fired: readonly Fired[]): Severity {
  const decisive = fired.filter(({ rule }) => rule.decides)
  if (score >= thresholds.critical || decisive.some(isStated)) return 'critical'
  return score >= thresholds.major || decisive.length > 0 ? 'major' : 'minor'
}

/**
 * Fitted by `node bench/severity.ts --fit` on the descriptions that the rules were written for. Two thirds of the signals are left out at
 * random, because the rules know fewer words of other texts. A minor deviation needs more distance: what the rules do not know is missing
 * in its score.
 */
const calibration = { minor: { atThreshold: -3.22, perPoint: 1.54 }, above: { atThreshold: 1.52, perPoint: 0.38 } }
/** A reader who is told of certainty would not judge for themselves. */
const maxConfidence = 0.95
/** A decisive rule that the text states. It is wrong where the rule took the words for something else. */
const confidenceOfDecisive = 0.9
/** Lower than a guess among three severities. */
const confidenceWithoutSignal = 0.2
/** A rule for critical fired, and its points are too few: no guess between the two. */
const maxBelowCritical = 0.5
/** What speaks for and what speaks against were both found. */
const maxOfConflict = 0.75

const marginOf = (score: number) => Math.min(...Object.values(thresholds).map(threshold => Math.abs(score - threshold)))

/** Says doubt as doubt: the distance of the score from the next threshold, no more than the contradictions within the text allow. */
function confidenceOf(score: number, fired: readonly Fired[]) {
  const severity = severityOf(score, fired)
  if (fired.some(each => each.rule.decides && isStated(each))) return confidenceOfDecisive
  const { atThreshold, perPoint } = calibration[severity === 'minor' ? 'minor' : 'above']
  const probability = 1 / (1 + Math.exp(-(atThreshold + perPoint * marginOf(score))))
  const most = isBelowCritical(score, fired) ? maxBelowCritical : isContradictory(fired) ? maxOfConflict : maxConfidence
  return Math.round(Math.min(most, probability) * 100) / 100
}

const isBelowCritical = (score: number, fired: readonly Fired[]) =>
  score < thresholds.critical && fired.some(({ rule }) => rule.severity === 'critical')
const isContradictory = (fired: readonly Fired[]) =>
  fired.some(({ points }) => points > 0) && fired.some(({ points }) => points < 0)

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

/** Rates a text by a set of rules, with the distance to another severity. `isPlain`: the confidence follows from that distance alone. */
export function rater(of: readonly Rule[]) {
  const find = finderOf(of)
  return (description: string) => {
    const fired = fire(find(wordsOf(description)))
    const score = scoreOf(fired)
    const isDecided = fired.some(each => each.rule.decides && isStated(each))
    const isPlain = fired.length > 0 && !isDecided && !isBelowCritical(score, fired) && !isContradictory(fired)
    return { severity: severityOf(score, fired), margin: marginOf(score), isPlain }
  }
}

const find = finderOf(rules)

const atLeastMajor = (severity: Severity): Severity => (severity === 'minor' ? 'major' : severity)

/**
 * Suggests a severity for a description in English. The same text always gets the same answer, and nothing is written. A text that the rules
 * cannot read is never minor, because it may say anything.
 */
export function suggestSeverity(description: string): SeveritySuggestion {
  const words = wordsOf(description)
  const hits = find(words)
  const fired = fire(hits)
  const denied = hits.filter(({ certainty, rule }) => certainty === 'denied' && rule.points > 0)
  const named = fired.map(({ rule }) => rule.name)
  const score = scoreOf(fired)
  const found = severityOf(score, fired)
  const isUnderstood = isEnglish(words, find.knows)
  const severity = isUnderstood ? found : atLeastMajor(found)
  const quoted = denied.length > 0 ? quotesOf(description, denied) : ''
  const about = { is_understood: isUnderstood, denied: quoted }
  if (fired.length === 0) {
    const said = printed.severity_by_no_rule({ ...about, severity })
    return { severity, confidence: confidenceWithoutSignal, rationale: said.text, said, rules: [] }
  }
  const reasons = fired.map(({ rule, points, hits: its }) =>
    printed.severity_rule_fired({
      rule: rule.name,
      points: signed(points),
      is_uncertain: points !== rule.points,
      decides: rule.decides === true,
      quotes: quotesOf(description, its),
    }),
  )
  const { major, critical } = thresholds
  const confidence = confidenceOf(score, fired)
  const said = printed.severity_by_rules({ ...about, score, major, critical, reasons })
  return {
    severity,
    confidence: isUnderstood ? confidence : Math.min(confidenceWithoutSignal, confidence),
    rationale: said.text,
    said,
    rules: named,
  }
}
