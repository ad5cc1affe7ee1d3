import { diffArrays, diffWordsWithSpace } from 'diff'
import type { Passage, Row } from './passages.ts'

/** A passage with this share of the same words is the same passage, changed. */
const alike = 0.4
/** Beyond this many pairs the passages of a rewritten part are not matched with each other: it would take longer than anybody waits. */
const most_pairs = 40_000
/** For the words of one passage; what takes longer is shown as replaced. */
const most_ms = 500

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** From 0 to 1: the share of words that both have (Dice). */
function likeness(a: string[], b: string[]) {
  if (a.length === 0 || b.length === 0) return 0
  const left = new Map<string, number>()
  for (const word of a) left.set(word, (left.get(word) ?? 0) + 1)
  let common = 0
  for (const word of b) {
    const count = left.get(word) ?? 0
    if (count === 0) continue
    left.set(word, count - 1)
    common++
  }
  return (2 * common) / (a.length + b.length)
}

/** Which of the removed passages became which of the added ones, in the order of both. */
function pairsOf(removed: readonly Passage[], added: readonly Passage[]): [number, number][] {
  if (removed.length * added.length > most_pairs) return []
  const before = removed.map(({ text }) => wordsOf(text))
  const after = added.map(({ text }) => wordsOf(text))
  const alikeness = before.map(a => after.map(b => likeness(a, b)))
  // The best sum of likenesses from each place on, as in the longest common subsequence.
  const best = Array.from({ length: before.length + 1 }, () => new Float64Array(after.length + 1))
  const gain = (i: number, j: number) => (alikeness[i]![j]! >= alike ? alikeness[i]![j]! + best[i + 1]![j + 1]! : 0)
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--) best[i]![j] = Math.max(gain(i, j), best[i + 1]![j]!, best[i]![j + 1]!)
  const pairs: [number, number][] = []
  let i = 0
  let j = 0
  while (i < before.length && j < after.length) {
    const value = best[i]![j]!
    if (value === 0) break
    if (value === best[i + 1]![j]!) i++
    else if (value === best[i]![j + 1]!) j++
    else pairs.push([i++, j++])
  }
  return pairs
}

const whole = ({ page, text }: Passage, isChanged: boolean) => ({ page, parts: [{ text, isChanged }] })
const isRemoved = (passage: Passage): Row => ({ before: whole(passage, true), after: null, isChanged: true })
const isAdded = (passage: Passage): Row => ({ before: null, after: whole(passage, true), isChanged: true })

function isReplaced(before: Passage, after: Passage): Row {
  const parts = diffWordsWithSpace(before.text, after.text, { timeout: most_ms })
  if (!parts) return { before: whole(before, true), after: whole(after, true), isChanged: true }
  const side = (passage: Passage, other: 'added' | 'removed', own: 'added' | 'removed') => ({
    page: passage.page,
    parts: parts.filter(each => !each[other]).map(each => ({ text: each.value, isChanged: each[own] })),
  })
  return { before: side(before, 'added', 'removed'), after: side(after, 'removed', 'added'), isChanged: true }
}

function rewritten(removed: readonly Passage[], added: readonly Passage[]): Row[] {
  const rows: Row[] = []
  let i = 0
  let j = 0
  for (const [before, after] of [...pairsOf(removed, added), [removed.length, added.length] as const]) {
    rows.push(...removed.slice(i, before).map(isRemoved), ...added.slice(j, after).map(isAdded))
    if (before < removed.length) rows.push(isReplaced(removed[before]!, added[after]!))
    i = before + 1
    j = after + 1
  }
  return rows
}

/** Both texts as rows: what is the same, what was removed or added, and what was changed, by words. */
export function compare(before: readonly Passage[], after: readonly Passage[]): Row[] {
  const changes = diffArrays([...before], [...after], { comparator: (a, b) => a.text === b.text })
  const rows: Row[] = []
  let i = 0
  let j = 0
  let removed: Passage[] = []
  let added: Passage[] = []
  const flush = () => {
    rows.push(...rewritten(removed, added))
    removed = []
    added = []
  }
  for (const change of changes) {
    if (change.removed) {
      removed.push(...before.slice(i, i + change.count))
      i += change.count
    } else if (change.added) {
      added.push(...after.slice(j, j + change.count))
      j += change.count
    } else {
      flush()
      for (let n = 0; n < change.count; n++)
        rows.push({ before: whole(before[i++]!, false), after: whole(after[j++]!, false), isChanged: false })
    }
  }
  flush()
  return rows
}
