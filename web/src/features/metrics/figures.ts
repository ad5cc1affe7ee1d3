import type { Answer } from '../../api/client.ts'
import { writeSearch } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import type { Part } from './search.ts'

export type Stats = Answer<'GET /api/dashboard/stats'>
export interface Rate {
  numerator: number
  denominator: number
  rate: number | null
}
export interface Days {
  count: number
  mean: number | null
  median: number | null
}
export type Value = number | Rate | Days

interface Spec {
  id: string
  /** Whether more of it is good news. */
  good?: 'high' | 'low'
  /** The figure whose list it leads to, if it is another place of it. */
  list?: string
}

/** What stands large at the top, and what stands in the table below. */
export const shown: Record<Part, { top: Spec[]; further: Spec[] }> = {
  documents: {
    top: [
      { id: 'review_on_time_rate', good: 'high', list: 'review_on_time_rate.denominator' },
      { id: 'overdue_reviews', good: 'low' },
      { id: 'approval_cycle_days', good: 'low', list: 'approval_cycle_days.count' },
      { id: 'rejection_rate', good: 'low', list: 'rejection_rate.numerator' },
    ],
    further: [
      { id: 'total' },
      { id: 'created' },
      { id: 'versions_created' },
      { id: 'pending_approvals' },
      { id: 'approvals_older_than_7_days', good: 'low' },
      { id: 'reviews_due_within_30_days' },
    ],
  },
  deviations: {
    top: [
      { id: 'overdue', good: 'low' },
      { id: 'on_time_closure_rate', good: 'high', list: 'on_time_closure_rate.denominator' },
      { id: 'days_to_close', good: 'low', list: 'days_to_close.count' },
      { id: 'recurrence_rate', good: 'low', list: 'recurrence_rate.numerator' },
    ],
    further: [
      { id: 'open' },
      { id: 'opened' },
      { id: 'closed' },
      { id: 'on_time_closure_rate_extended', good: 'high', list: 'on_time_closure_rate_extended.denominator' },
      { id: 'critical_ratio', good: 'low', list: 'critical_ratio.numerator' },
      { id: 'late_report_rate', good: 'low', list: 'late_report_rate.numerator' },
      { id: 'extension_rate', good: 'low', list: 'extension_rate.numerator' },
      { id: 'reopen_rate', good: 'low', list: 'reopen_rate.numerator' },
    ],
  },
  capas: {
    top: [
      { id: 'overdue_rate', good: 'low', list: 'overdue_rate.numerator' },
      { id: 'on_time_rate', good: 'high', list: 'on_time_rate.denominator' },
      { id: 'effectiveness_rate', good: 'high', list: 'effectiveness_rate.denominator' },
      { id: 'days_to_close', good: 'low', list: 'days_to_close.count' },
    ],
    further: [
      { id: 'open' },
      { id: 'draft_pending' },
      { id: 'opened' },
      { id: 'closed' },
      { id: 'on_time_rate_extended', good: 'high', list: 'on_time_rate_extended.denominator' },
      { id: 'closure_rate', good: 'high', list: 'closure_rate.numerator' },
      { id: 'sent_back_rate', good: 'low', list: 'sent_back_rate.numerator' },
      { id: 'extension_rate', good: 'low', list: 'extension_rate.numerator' },
    ],
  },
  training: {
    top: [
      { id: 'compliance_rate', good: 'high' },
      { id: 'overdue', good: 'low' },
      { id: 'on_time_rate', good: 'high', list: 'on_time_rate.denominator' },
      { id: 'first_attempt_pass_rate', good: 'high', list: 'first_attempt_pass_rate.denominator' },
    ],
    further: [
      { id: 'open' },
      { id: 'due_soon' },
      { id: 'assigned' },
      { id: 'completed' },
      { id: 'curriculum_completion', good: 'high' },
    ],
  },
}
export type { Spec }

export const isRate = (value: Value): value is Rate => typeof value === 'object' && 'rate' in value

/** What two values are compared by: the rate, the median, or the count. */
const sizeOf = (value: Value) => (typeof value === 'number' ? value : isRate(value) ? value.rate : value.median)

export type Trend = 'better' | 'worse' | 'same' | 'up' | 'down'

/** How a figure stands against the period before; undefined where one of the two has nothing. */
export function trendOf(now: Value, before: Value | undefined, good: Spec['good']): Trend | undefined {
  const [a, b] = [sizeOf(now), before === undefined ? null : sizeOf(before)]
  if (a === null || b === null) return undefined
  if (a === b) return 'same'
  if (good === undefined) return a > b ? 'up' : 'down'
  return a > b === (good === 'high') ? 'better' : 'worse'
}

export function figureOf(stats: Stats, part: Part, id: string): { now: Value; before: Value | undefined } {
  const now = (stats[part] as unknown as Record<string, Value>)[id]!
  const before = (stats.previous?.[part] as unknown as Record<string, Value> | null | undefined)?.[id]
  return { now, before }
}

/** Pairs of people and what they must be trained in have no list: the page that shows all of them. */
const pagesOfPairs: Record<string, (key: string | null) => string> = {
  'training.compliance_rate': () => paths.trainingMatrix,
  'training.by_program': key => `${paths.trainingMatrix}${writeSearch({ program: [key!] })}`,
  'training.by_group': key => `${paths.trainingMatrix}${writeSearch({ group: key! })}`,
  'training.curriculum_completion': () => paths.curricula,
}

/** Where the records of a figure are, or those of one of its lines: the request that lists them, or a page. */
export function listOf(stats: Stats, part: Part | 'creation_trends', figure: string, key: string | null = null) {
  const name = `${part}.${figure}`
  return pagesOfPairs[name]?.(key) ?? stats.lists.find(each => each.figure === name && each.key === key)?.list
}
