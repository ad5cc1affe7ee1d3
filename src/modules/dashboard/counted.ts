// The facts behind each figure that no list of records can be filtered to: by these the figure was counted, and by these its records are found.
import type { Permission } from '#kernel/catalogue.ts'
import { daysLater } from '#kernel/day.ts'
import type { Measure } from '#kernel/measures.ts'

export const countedResources = [
  'document',
  'deviation',
  'capa',
  'effectiveness_review',
  'training_assignment',
] as const
export type CountedResource = (typeof countedResources)[number]

export interface Window {
  date_from: string
  date_to: string
}

/** Facts of one measure: of these keys, where not of all, and of these days. */
export interface SoughtFacts {
  measure: Measure
  keys?: readonly string[]
  from?: string
  to?: string
}

interface Asked {
  window: Window
  today: string
  /** Of a figure with several lines, the line. */
  key: string | undefined
  /** The ids of all types of documents. */
  types: readonly number[]
}

interface Figure {
  resource: CountedResource
  /** It has several lines, so a request names one of them. */
  hasKeys?: true
  facts(asked: Asked): SoughtFacts[]
}

/** By the days since the day of a measure: the days that a line of it begins and ends with. */
export const ages = [
  [0, 7],
  [8, 30],
  [31, 60],
  [61, 90],
  [91, null],
] as const

/** The days of a line of ages, which is named by the day that it begins with. */
function daysOfAge(key: string | undefined, today: string) {
  const age = ages.find(([from_days]) => String(from_days) === key)
  if (age === undefined) return undefined
  const [from_days, to_days] = age
  return {
    ...(to_days !== null && { from: daysLater(today, -to_days) }),
    ...(from_days > 0 && { to: daysLater(today, -from_days) }),
  }
}

const inWindow = (resource: CountedResource, measure: Measure, ...keys: string[]): Figure => ({
  resource,
  facts: ({ window }) => [{ measure, ...(keys.length > 0 && { keys }), from: window.date_from, to: window.date_to }],
})

/** Deviations that happened again are found by a query of their own. */
export const recurring = ['deviations.recurrence_rate.numerator', 'deviations.recurrence_by_category'] as const
export type Recurring = (typeof recurring)[number]

export const figures = {
  'documents.pending_approvals': { resource: 'document', facts: () => [{ measure: 'versions.pending' }] },
  'documents.by_status': {
    resource: 'document',
    hasKeys: true,
    // The key of the fact holds type and status.
    facts: ({ types, key }) => [{ measure: 'documents.shown', keys: types.map(type => `${type} ${key}`) }],
  },
  'documents.created': inWindow('document', 'documents.created'),
  'documents.versions_created': inWindow('document', 'versions.created'),
  'documents.approval_cycle_days.count': inWindow('document', 'versions.approved'),
  'documents.rejection_rate.numerator': inWindow('document', 'rounds.rejected'),
  'documents.rejection_rate.denominator': {
    resource: 'document',
    facts: ({ window: { date_from: from, date_to: to } }) => [
      { measure: 'rounds.rejected', from, to },
      { measure: 'versions.approved', from, to },
    ],
  },
  'documents.approvals_older_than_7_days': {
    resource: 'document',
    facts: ({ today }) => [{ measure: 'versions.pending', to: daysLater(today, -8) }],
  },
  'documents.pending_ageing': {
    resource: 'document',
    hasKeys: true,
    facts({ today, key }) {
      const days = daysOfAge(key, today)
      return days ? [{ measure: 'versions.pending', ...days }] : []
    },
  },
  'documents.review_on_time_rate.numerator': inWindow('document', 'reviews.done', 'on_time'),
  'documents.review_on_time_rate.denominator': {
    resource: 'document',
    facts: ({ window: { date_from: from, date_to: to }, today }) => [
      { measure: 'reviews.done', from, to },
      { measure: 'versions.review_due', from, to: to < today ? to : daysLater(today, -1) },
    ],
  },
  'deviations.opened': inWindow('deviation', 'deviations.opened.severity'),
  'deviations.closed': inWindow('deviation', 'deviations.closed'),
  'deviations.on_time_closure_rate.numerator': inWindow('deviation', 'deviations.on_time', 'original'),
  'deviations.on_time_closure_rate_extended.numerator': inWindow('deviation', 'deviations.on_time', 'extended'),
  'deviations.late_report_rate.numerator': inWindow('deviation', 'deviations.late'),
  'deviations.extension_rate.numerator': inWindow('deviation', 'deviations.extended'),
  'deviations.reopen_rate.numerator': inWindow('deviation', 'deviations.moves', 'reopen'),
  'deviations.reopen_rate.denominator': inWindow('deviation', 'deviations.moves', 'close'),
  'capas.opened': inWindow('capa', 'capas.opened'),
  'capas.closed': inWindow('capa', 'capas.closed'),
  'capas.on_time_rate.numerator': inWindow('capa', 'capas.on_time', 'original'),
  'capas.on_time_rate_extended.numerator': inWindow('capa', 'capas.on_time', 'extended'),
  'capas.extension_rate.numerator': inWindow('capa', 'capas.extended'),
  'capas.sent_back_rate.numerator': inWindow('capa', 'capas.moves', 'not_effective'),
  'capas.sent_back_rate.denominator': inWindow('capa', 'capas.moves', 'not_effective', 'close'),
  'capas.effectiveness_rate.numerator': inWindow('effectiveness_review', 'effectiveness.completed', 'effective'),
  'capas.effectiveness_rate.denominator': inWindow('effectiveness_review', 'effectiveness.completed'),
  'training.assigned': inWindow('training_assignment', 'assignments.assigned'),
  'training.completed': inWindow('training_assignment', 'assignments.completed'),
  'training.on_time_rate.numerator': inWindow('training_assignment', 'assignments.completed', 'on_time'),
  'training.first_attempt_pass_rate.numerator': inWindow('training_assignment', 'attempts.first', 'passed'),
  'training.first_attempt_pass_rate.denominator': inWindow('training_assignment', 'attempts.first'),
} as const satisfies Record<string, Figure>

export type CountedFigure = keyof typeof figures | Recurring
export const countedFigures = [...Object.keys(figures), ...recurring] as CountedFigure[]

export const isRecurring = (figure: CountedFigure): figure is Recurring => recurring.some(each => each === figure)
export const hasKeys = (figure: CountedFigure): boolean =>
  isRecurring(figure) ? figure === 'deviations.recurrence_by_category' : 'hasKeys' in figures[figure]

/** What each part needs: a person who may not read all documents would be shown fewer than the figure says. */
const permissionsOfParts: Record<string, readonly Permission[]> = {
  documents: ['documents.read', 'documents.read_drafts', 'documents.read_obsolete'],
  deviations: ['deviations.read'],
  capas: ['capa.read'],
  training: ['training.read_all'],
}
const permissionsByFigure = new Map(
  countedFigures.map(figure => [figure, permissionsOfParts[figure.slice(0, figure.indexOf('.'))]!]),
)
export const permissionsFor = (figure: CountedFigure) => permissionsByFigure.get(figure)!
