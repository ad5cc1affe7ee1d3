import { daysBetween, type Fact } from './fact.ts'

/** A deviation with the transitions that are counted. Days are in the time zone that is counted by. */
export interface CountedDeviation {
  severity: string
  category: string | null
  root_cause_category: string | null
  department: string | null
  status: string
  is_open: boolean
  is_late: boolean
  detected_on: string
  reported_on: string
  closed_on: string | null
  due_date: string
  original_due_date: string
  extension_count: number
  transitions: CountedTransition[]
}

/** A transition that statistics count. */
export interface CountedTransition {
  day: string
  transition: string
}

export function deviationFacts(deviation: CountedDeviation): Fact[] {
  const { reported_on, closed_on, due_date, original_due_date, severity } = deviation
  const facts: Fact[] = [
    ['deviations.opened.severity', reported_on, severity],
    ['deviations.opened.category', reported_on, deviation.category ?? ''],
    ['deviations.opened.root_cause', reported_on, deviation.root_cause_category ?? ''],
    ['deviations.opened.department', reported_on, deviation.department ?? ''],
    ['deviations.status', null, deviation.status],
  ]
  if (deviation.is_late) facts.push(['deviations.late', reported_on, ''])
  if (deviation.extension_count > 0) facts.push(['deviations.extended', reported_on, ''])
  if (deviation.is_open) facts.push(['deviations.open', due_date, severity], ['deviations.ageing', reported_on, ''])
  if (closed_on) {
    facts.push(['deviations.closed', closed_on, daysBetween(deviation.detected_on, closed_on)])
    if (closed_on <= original_due_date) facts.push(['deviations.on_time', closed_on, 'original'])
    if (closed_on <= due_date) facts.push(['deviations.on_time', closed_on, 'extended'])
  }
  for (const { day, transition } of deviation.transitions) facts.push(['deviations.moves', day, transition])
  return facts
}
