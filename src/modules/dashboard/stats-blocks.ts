import { daysLater } from '#kernel/day.ts'
import type { Standing } from '#kernel/measures.ts'
import type { Compliance } from '#modules/training'
import { ages } from './counted.ts'
import type { AsOfToday, ByMonth, InWindow, Keyed } from './counts.ts'
import { daysOf, rateOf } from './figures.ts'
import type { Stats } from './stats-schema.ts'

export interface Figures {
  today: string
  inWindow: InWindow
  asOfToday: AsOfToday
  byMonth: ByMonth
}
type Block<K extends keyof Stats> = NonNullable<Stats[K]>

const maxLines = 100

export const daysOfAges = ages.flat().filter(days => days !== null)

/** Counts by the days since the day of the measure. */
const ageing = ({ today, asOfToday }: Figures, measure: Standing) =>
  ages.map(([from_days, to_days]) => ({
    from_days,
    to_days,
    count: asOfToday.count(measure, {
      ...(to_days !== null && { from: daysLater(today, -to_days) }),
      ...(from_days > 0 && { to: daysLater(today, -from_days) }),
    }),
  }))

/** Of a measure with the due date as its day: what is due today is not overdue yet. */
const overdueAgeing = ({ today, asOfToday }: Figures, measure: Standing) =>
  ages.map(([days, to_days]) => {
    const from_days = Math.max(days, 1)
    return {
      from_days,
      to_days,
      count: asOfToday.count(measure, {
        ...(to_days !== null && { from: daysLater(today, -to_days) }),
        to: daysLater(today, -from_days),
      }),
    }
  })

function paretoOf(causes: readonly Keyed[]) {
  const known = causes.flatMap(({ key, count }) => (key === null ? [] : [{ key, count }]))
  const total = known.reduce((sum, { count }) => sum + count, 0)
  return known.map(({ key, count }, place) => {
    const cumulative = known.slice(0, place + 1).reduce((sum, each) => sum + each.count, 0)
    return { key, count, cumulative: rateOf(cumulative, total) }
  })
}

export function documentStats(
  figures: Figures,
  {
    types,
    versions,
    undecided_reviews,
  }: { types: { id: number; name: string }[]; versions: number; undecided_reviews: number },
): Block<'documents'> {
  const { today, inWindow, asOfToday } = figures
  const total = asOfToday.count('documents.shown')
  // The key holds type and status.
  const shown = asOfToday.by('documents.shown').map(({ key, count }) => {
    const [type, status] = key!.split(' ') as [string, string]
    return { type: Number(type), status, count }
  })
  const statuses = new Map<string, number>()
  for (const { status, count } of shown) statuses.set(status, (statuses.get(status) ?? 0) + count)
  const on_time = inWindow.count('reviews.done', 'on_time')
  const approved = inWindow.count('versions.approved')
  const rejected = inWindow.count('rounds.rejected')
  return {
    total,
    by_status: [...statuses].map(([key, count]) => ({ key, count })).sort((a, b) => b.count - a.count),
    by_type: types
      .map(type => ({
        document_type: type,
        count: shown.filter(each => each.type === type.id).reduce((sum, { count }) => sum + count, 0),
      }))
      .filter(({ count }) => count > 0),
    versions_total: versions,
    versions_per_document: rateOf(versions, total),
    created: inWindow.count('documents.created'),
    versions_created: inWindow.count('versions.created'),
    pending_ageing: ageing(figures, 'versions.pending'),
    approval_cycle_days: daysOf(inWindow.days('versions.approved')),
    rejection_rate: rateOf(rejected, rejected + approved),
    pending_approvals: asOfToday.count('versions.pending'),
    approvals_older_than_7_days: asOfToday.count('versions.pending', { to: daysLater(today, -8) }),
    overdue_reviews: asOfToday.count('versions.review_due', { to: daysLater(today, -1) }),
    reviews_due_within_30_days: asOfToday.count('versions.review_due', { from: today, to: daysLater(today, 30) }),
    review_on_time_rate: rateOf(on_time, inWindow.count('reviews.done') + undecided_reviews),
  }
}

export function deviationStats(figures: Figures, recurrence_by_category: Keyed[]): Block<'deviations'> {
  const { today, inWindow, asOfToday, byMonth } = figures
  const recurrences = recurrence_by_category.reduce((sum, { count }) => sum + count, 0)
  const all = 'deviations.opened.severity'
  return {
    opened: inWindow.count(all),
    closed: inWindow.count('deviations.closed'),
    open: asOfToday.count('deviations.open'),
    overdue: asOfToday.count('deviations.open', { to: daysLater(today, -1) }),
    by_status: asOfToday.by('deviations.status'),
    open_by_severity: asOfToday.by('deviations.open'),
    by_severity: inWindow.by(all),
    by_category: inWindow.by('deviations.opened.category'),
    by_root_cause: inWindow.by('deviations.opened.root_cause'),
    by_department: inWindow.by('deviations.opened.department'),
    days_to_close: daysOf(inWindow.days('deviations.closed')),
    on_time_closure_rate: inWindow.rate(['deviations.on_time', 'original'], ['deviations.closed']),
    on_time_closure_rate_extended: inWindow.rate(['deviations.on_time', 'extended'], ['deviations.closed']),
    critical_ratio: inWindow.rate([all, 'critical'], [all]),
    recurrence_rate: rateOf(recurrences, inWindow.count('deviations.closed')),
    recurrence_by_category,
    late_report_rate: inWindow.rate(['deviations.late'], [all]),
    extension_rate: inWindow.rate(['deviations.extended'], [all]),
    reopen_rate: inWindow.rate(['deviations.moves', 'reopen'], ['deviations.moves', 'close']),
    ageing: ageing(figures, 'deviations.ageing'),
    pareto_of_causes: paretoOf(inWindow.by('deviations.opened.root_cause')),
    per_month: byMonth.lines({ opened: all, closed: 'deviations.closed' }),
  }
}

export function capaStats(figures: Figures): Block<'capas'> {
  const { today, inWindow, asOfToday, byMonth } = figures
  const open = asOfToday.count('capas.open.priority')
  const overdue = asOfToday.count('capas.open.priority', { to: daysLater(today, -1) })
  const by_status = asOfToday.by('capas.status')
  const sent_back = inWindow.count('capas.moves', 'not_effective')
  return {
    opened: inWindow.count('capas.opened'),
    closed: inWindow.count('capas.closed'),
    open,
    overdue,
    overdue_rate: rateOf(overdue, open),
    draft_pending: by_status.find(({ key }) => key === 'draft')?.count ?? 0,
    by_status,
    open_by_type: asOfToday.by('capas.open.type'),
    open_by_source: asOfToday.by('capas.open.source'),
    open_by_priority: asOfToday.by('capas.open.priority'),
    by_source: inWindow.by('capas.opened'),
    days_to_close: daysOf(inWindow.days('capas.closed')),
    on_time_rate: inWindow.rate(['capas.on_time', 'original'], ['capas.closed']),
    on_time_rate_extended: inWindow.rate(['capas.on_time', 'extended'], ['capas.closed']),
    closure_rate: inWindow.rate(['capas.closed'], ['capas.opened']),
    effectiveness_rate: inWindow.rate(['effectiveness.completed', 'effective'], ['effectiveness.completed']),
    sent_back_rate: rateOf(sent_back, sent_back + inWindow.count('capas.moves', 'close')),
    extension_rate: inWindow.rate(['capas.extended'], ['capas.opened']),
    overdue_ageing: overdueAgeing(figures, 'capas.open.priority'),
    per_month: byMonth.lines({ opened: 'capas.opened', closed: 'capas.closed' }),
  }
}

const lowestFirst = (a: Compliance, b: Compliance) => a.trained / a.required - b.trained / b.required || a.id! - b.id!
const shareOf = ({ required, trained, overdue }: Compliance) => ({
  required,
  trained,
  overdue,
  rate: rateOf(trained, required).rate,
})

export function trainingStats(figures: Figures, compliance: Compliance[]): Block<'training'> {
  const { today, inWindow, asOfToday, byMonth } = figures
  const of = (kind: Compliance['of']) => compliance.filter(each => each.of === kind).sort(lowestFirst)
  const all = of('all')[0]!
  const curricula = of('curriculum')
  const sum = (field: 'required' | 'trained') => curricula.reduce((total, each) => total + each[field], 0)
  return {
    assigned: inWindow.count('assignments.assigned'),
    completed: inWindow.count('assignments.completed'),
    open: asOfToday.count('assignments.open'),
    overdue: asOfToday.count('assignments.open', { to: daysLater(today, -1) }),
    due_soon: asOfToday.count('assignments.open', { from: today, to: daysLater(today, 7) }),
    overdue_ageing: overdueAgeing(figures, 'assignments.open'),
    on_time_rate: inWindow.rate(['assignments.completed', 'on_time'], ['assignments.completed']),
    first_attempt_pass_rate: inWindow.rate(['attempts.first', 'passed'], ['attempts.first']),
    compliance_rate: rateOf(all.trained, all.required),
    curriculum_completion: rateOf(sum('trained'), sum('required')),
    by_program: of('program')
      .slice(0, maxLines)
      .map(each => ({
        program: { id: each.id!, number: each.number!, title: each.name! },
        compliance: shareOf(each),
      })),
    by_group: of('group')
      .slice(0, maxLines)
      .map(each => ({ group: { id: each.id!, name: each.name! }, compliance: shareOf(each) })),
    per_month: byMonth.lines({ assigned: 'assignments.assigned', completed: 'assignments.completed' }),
  }
}
