import type { Word } from './words.ts'

/** A sentence states a signal, holds it possible, or denies it. */
export type Certainty = 'stated' | 'hedged' | 'denied'

const denials = new Set([
  'no',
  'not',
  'never',
  'without',
  'w/o',
  'none',
  'neither',
  'nor',
  'nobody',
  'nothing',
  'cannot',
  'non',
  'avoid',
  'avoids',
  'avoiding',
  'prevent',
  'prevents',
  'preventing',
  'absence',
])
const doubts = new Set([
  'possibly',
  'possible',
  'perhaps',
  'maybe',
  'might',
  'could',
  'suspected',
  'suspicion',
  'probably',
  'likely',
  'unclear',
  'apparently',
  'allegedly',
  'presumably',
  'potential',
  'potentially',
])
/** "Contamination was excluded", and "cannot be excluded". */
const dismissals = new Set(['excluded', 'ruled'])
/** In "patients were not affected" the denial follows the signal. */
const effects = new Set([
  'affected',
  'impacted',
  'harmed',
  'exposed',
  'involved',
  'concerned',
  'injured',
  'compromised',
  'hurt',
  'reached',
])
/** A denial or a doubt reaches this many words. */
const reach = 7

/** A doubt after a decisive signal belongs to it only if it follows at once: "mix-up is possible", but "died of a possible overdose". */
const reachBehindDecisive = 2
/** "Without any injury" denies one, "without approval he deleted results" nothing. */
const reachOfWithout = 2
const beForms = new Set(['is', 'are', 'was', 'were', 'be', 'been'])
/** In "did not report that he deleted the results" the denial ends at the "that". */
const subordinates = new Set(['that', 'who', 'how', 'after', 'before', 'if', 'whether', 'since'])

/** In "not followed and used" the denial ends at the "and". */
const deniesOneVerb = (form: string) => form === 'not' || form === 'never' || form.endsWith("n't")

const isDigit = (form: string | undefined) => form !== undefined && /^\p{N}/u.test(form)

function isDenial(words: readonly Word[], at: number) {
  const { form } = words[at]!
  const next = words[at + 1]?.form
  // Neither "No. 5" nor "not only" denies anything.
  if ((form === 'no' && isDigit(next)) || (form === 'not' && next === 'only')) return false
  return denials.has(form) || form.endsWith("n't")
}

const beforeMonth = new Set(['in', 'since', 'of', 'from', 'to', 'by', 'until'])

function isDoubt(words: readonly Word[], at: number) {
  const { form } = words[at]!
  if (form === 'risk') return ['of', 'that'].includes(words[at + 1]?.form ?? '')
  if (form !== 'may') return doubts.has(form)
  const before = words[at - 1]?.form
  return before !== undefined && !isDigit(before) && !beforeMonth.has(before) && !isDigit(words[at + 1]?.form)
}

/** The index of the nearest such word up to each word, or -1. */
function lastOf(words: readonly Word[], isOne: (at: number) => boolean) {
  let last = -1
  return words.map((_, at) => {
    if (isOne(at)) last = at
    return last
  })
}

/** Decides by the indexes of its words whether the text states, doubts or denies a signal. */
export function heldBy(words: readonly Word[]) {
  const lastDenial = lastOf(words, at => isDenial(words, at))
  const lastDoubt = lastOf(words, at => isDoubt(words, at))
  const lastAnd = lastOf(words, at => words[at]!.form === 'and')
  const lastSubordinate = lastOf(words, at => subordinates.has(words[at]!.form))
  const isNear = (one: number, other: number) =>
    one >= 0 && Math.abs(one - other) <= reach && words[one]!.clause === words[other]!.clause

  /** "No alarm sounded and the patient died" denies no death, "no deaths and injuries" denies the injuries. */
  function reachesDecisive(denial: number, from: number) {
    const { form } = words[denial]!
    if (form.startsWith('w') && from - denial > reachOfWithout) return false
    if (lastAnd[from]! > denial && lastAnd[from]! < from - 1) return false
    return !(deniesOneVerb(form) && lastSubordinate[from]! > denial)
  }

  function reachesTo(denial: number, from: number) {
    const { form } = words[denial]!
    if (form === 'non') return denial === from - 1
    return !deniesOneVerb(form) || lastAnd[from]! < denial
  }

  /** Looks after the signal in its clause for a dismissal, or for an effect that is denied. */
  function dismissed(from: number, to: number, decides: boolean): Certainty | undefined {
    for (let at = to + 1; at <= to + reach && words[at]?.clause === words[to]!.clause; at++) {
      const { form } = words[at]!
      const isDenied = lastDenial[at]! > to
      // "Results were deleted and not reported, users were not affected" denies no deletion.
      if (decides && !(dismissals.has(form) && beForms.has(words[at - 1]!.form))) continue
      if (dismissals.has(form))
        return isDenied || (lastDenial[at]! >= 0 && lastDenial[at]! > from) ? 'hedged' : 'denied'
      if (effects.has(form) && isDenied) return 'denied'
    }
    return undefined
  }

  return (places: readonly number[], decides = false): Certainty => {
    const from = places[0]!
    const to = places.at(-1)!
    const behind = dismissed(from, to, decides)
    if (behind) return behind
    const before = from > 0 ? lastDenial[from - 1]! : -1
    if (isNear(before, from) && reachesTo(before, from) && (!decides || reachesDecisive(before, from))) return 'denied'
    // A denial can also stand between the words of the signal.
    const within = lastDenial[to]!
    if (within > from && !places.includes(within)) return 'denied'
    const doubt = lastDoubt[Math.min(words.length - 1, to + (decides ? reachBehindDecisive : reach))]!
    const isDoubted = isNear(lastDoubt[to]!, from) || (doubt > to && isNear(doubt, to))
    return isDoubted ? 'hedged' : 'stated'
  }
}
