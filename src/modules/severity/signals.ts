import { type Certainty, heldBy } from './certainty.ts'
import type { Word } from './words.ts'

/**
 * Words in sequence: `a|b` is either, `sterili*` any word that begins like this, `..` up to five words of the same sentence.
 */
export type Signal = string

export interface Hit<R> {
  rule: R
  certainty: Certainty
  /** The position in the text. */
  start: number
  end: number
}

const maxGap = 5

interface Part {
  exact: ReadonlySet<string>
  beginnings: readonly string[]
  mayFollowLater: boolean
}
interface Compiled<R> {
  rule: R
  parts: Part[]
  exceptions: readonly Part[][]
}

function compile(signal: Signal): Part[] {
  const parts: Part[] = []
  let mayFollowLater = false
  for (const piece of signal.split(' ')) {
    if (piece === '..') mayFollowLater = true
    else {
      const choices = piece.split('|')
      parts.push({
        exact: new Set(choices.filter(each => !each.endsWith('*'))),
        beginnings: choices.filter(each => each.endsWith('*')).map(each => each.slice(0, -1)),
        mayFollowLater,
      })
      mayFollowLater = false
    }
  }
  return parts
}

const fits = ({ exact, beginnings }: Part, form: string) =>
  exact.has(form) || beginnings.some(beginning => form.startsWith(beginning))

/** The indexes of the matching words, if the signal begins at this word. */
function match(words: readonly Word[], from: number, parts: readonly Part[]): number[] | undefined {
  const { sentence } = words[from]!
  const places = [from]
  for (const part of parts.slice(1)) {
    const next = places.at(-1)! + 1
    const last = next + (part.mayFollowLater ? maxGap : 0)
    let place = next
    while (place <= last && words[place]?.sentence === sentence && !fits(part, words[place]!.form)) place++
    if (place > last || words[place]?.sentence !== sentence) return undefined
    places.push(place)
  }
  return places
}

/** Compiles rules into a function that finds all their signals in one pass over a text. */
export function finderOf<R extends { signals: readonly Signal[]; except?: readonly Signal[]; decides?: true }>(
  rules: readonly R[],
) {
  const byWord = new Map<string, Compiled<R>[]>()
  const byBeginning = new Map<string, Compiled<R>[]>()
  const add = (map: Map<string, Compiled<R>[]>, key: string, value: Compiled<R>) =>
    map.set(key, [...(map.get(key) ?? []), value])
  for (const rule of rules) {
    const exceptions = (rule.except ?? []).map(compile)
    for (const signal of rule.signals) {
      const compiled = { rule, parts: compile(signal), exceptions }
      for (const word of compiled.parts[0]!.exact) add(byWord, word, compiled)
      for (const beginning of compiled.parts[0]!.beginnings) add(byBeginning, beginning, compiled)
    }
  }
  const vocabulary = new Set<string>()
  for (const { signals } of rules)
    for (const signal of signals)
      for (const { exact } of compile(signal)) for (const word of exact) vocabulary.add(word)
  /** True for a word of any signal. */
  const knows = (form: string) => vocabulary.has(form)
  const lengths = [...new Set([...byBeginning.keys()].map(({ length }) => length))]

  const find = (words: readonly Word[]): Hit<R>[] => {
    const certaintyOf = heldBy(words)
    const hits: Hit<R>[] = []
    for (const [from, { form, start }] of words.entries()) {
      const begun = lengths.flatMap(length => (form.length >= length && byBeginning.get(form.slice(0, length))) || [])
      for (const { rule, parts, exceptions } of [...(byWord.get(form) ?? []), ...begun]) {
        const places = match(words, from, parts)
        if (!places) continue
        const isException = exceptions.some(each => fits(each[0]!, form) && match(words, from, each))
        if (!isException)
          hits.push({ rule, certainty: certaintyOf(places, rule.decides), start, end: words[places.at(-1)!]!.end })
      }
    }
    return hits
  }
  return Object.assign(find, { knows })
}
