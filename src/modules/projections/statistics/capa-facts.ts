import type { CountedTransition } from './deviation-facts.ts'
import { daysBetween, type Fact } from './fact.ts'

/** A CAPA with the transitions that are counted. Days are in the time zone that is counted by. */
export interface CountedCapa {
  type: string
  source: string
  priority: string
  status: string
  /** Open and no draft. */
  is_at_work: boolean
  created_on: string
  /** The day of its approval as a draft; null for one that began open. */
  approved_on: string | null
  closed_on: string | null
  due_date: string
  original_due_date: string
  extension_count: number
  transitions: CountedTransition[]
}

export function capaFacts(capa: CountedCapa): Fact[] {
  const { created_on, closed_on, due_date, original_due_date } = capa
  const facts: Fact[] = [
    ['capas.opened', created_on, capa.source],
    ['capas.status', null, capa.status],
  ]
  if (capa.extension_count > 0) facts.push(['capas.extended', created_on, ''])
  if (capa.is_at_work)
    facts.push(
      ['capas.open.priority', due_date, capa.priority],
      ['capas.open.type', null, capa.type],
      ['capas.open.source', null, capa.source],
    )
  if (closed_on) {
    facts.push(['capas.closed', closed_on, daysBetween(capa.approved_on ?? created_on, closed_on)])
    if (closed_on <= original_due_date) facts.push(['capas.on_time', closed_on, 'original'])
    if (closed_on <= due_date) facts.push(['capas.on_time', closed_on, 'extended'])
  }
  for (const { day, transition } of capa.transitions) facts.push(['capas.moves', day, transition])
  return facts
}

/** An effectiveness review. The day is in the time zone that is counted by. */
export interface CountedEffectivenessReview {
  completed_on: string | null
  result: string | null
}

export const effectivenessReviewFacts = ({ completed_on, result }: CountedEffectivenessReview): Fact[] =>
  completed_on && result ? [['effectiveness.completed', completed_on, result]] : []
