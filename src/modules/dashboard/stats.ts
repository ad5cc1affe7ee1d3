import { query } from '#action'
import { dayIn, daysLater } from '#kernel/day.ts'
import { invalidField } from '#kernel/errors.ts'
import { complianceOf } from '#modules/training'
import type { Tx } from '#platform/db/database.ts'
import { type ByMonth, monthsOf, todayOf, windowOf } from './counts.ts'
import { monthsUntil } from './figures.ts'
import { capaStats, deviationStats, documentStats, type Figures, trainingStats } from './stats-blocks.ts'
import {
  countAllVersions,
  countedZone,
  countsByMonth,
  countsInWindow,
  countsOfToday,
  countUndecidedReviews,
  listTypeNames,
  recurrences,
  type Window,
} from './stats-queries.ts'
import { Stats, StatsFilter } from './stats-schema.ts'

const usual_days = 90
const most_days = 3660
/** Nobody kept records here before; PostgreSQL has no year 0. */
const first_day = '1900-01-01'

function windowIn({ date_from, date_to }: StatsFilter, today: string): Window {
  const to = date_to ?? today
  const from = date_from ?? daysLater(to, 1 - usual_days)
  if (from < first_day)
    throw invalidField(date_from ? 'date_from' : 'date_to', `must leave the window behind ${first_day}`)
  if (from > to) throw invalidField('date_from', `must not be after the last day of the window, ${to}`)
  if (daysLater(from, most_days) < to) throw invalidField('date_from', `must be at most ${most_days} days before ${to}`)
  return { date_from: from, date_to: to }
}

async function figuresOf(
  tx: Tx,
  time_zone: string,
  { window, today, months }: { window: Window; today: string; months: number },
): Promise<Figures> {
  const inMonths = monthsUntil(today, months)
  const since = { date_from: `${inMonths[0]}-01`, date_to: today }
  const [inWindow, asOfToday, byMonth] = await Promise.all([
    countsInWindow(tx, time_zone, window),
    countsOfToday(tx, time_zone),
    countsByMonth(tx, time_zone, since),
  ])
  return { today, inWindow: windowOf(inWindow), asOfToday: todayOf(asOfToday), byMonth: monthsOf(byMonth, inMonths) }
}

async function documentFigures(tx: Tx, time_zone: string, window: Window, today: string) {
  const [types, versions, undecided_reviews] = await Promise.all([
    listTypeNames(tx),
    countAllVersions(tx, time_zone),
    countUndecidedReviews(tx, time_zone, window, today),
  ])
  return { types, versions, undecided_reviews }
}

const trends = ({ months, at }: ByMonth, may: Record<'documents' | 'deviations' | 'capas' | 'training', boolean>) =>
  months.map(month => ({
    month,
    documents: may.documents ? at('documents.created', month) : null,
    versions: may.documents ? at('versions.created', month) : null,
    deviations: may.deviations ? at('deviations.opened.severity', month) : null,
    capas: may.capas ? at('capas.opened', month) : null,
    assignments: may.training ? at('assignments.assigned', month) : null,
  }))

export const stats = query({
  summary: 'Read the statistics of the tenant',
  description:
    'Counts of all records of the tenant, also of those that the caller could not open one by one: that is what `dashboard.stats` allows. No record is named. Each part is there for who may read its records. Days and months are those of the time zone of the tenant. Each field says what it counts.',
  permission: 'dashboard.stats',
  input: { query: StatsFilter },
  response: Stats,
  async run({ tx, actor, services }, { query }) {
    const time_zone = await countedZone(tx)
    const today = dayIn(time_zone, services.clock.now())
    const window = windowIn(query, today)
    const may = {
      documents: actor.permissions.has('documents.read'),
      deviations: actor.permissions.has('deviations.read'),
      capas: actor.permissions.has('capa.read'),
      training: actor.permissions.has('training.read_all'),
    }
    const asked = <T>(isAsked: boolean, ask: () => Promise<T>) => (isAsked ? ask() : null)
    const [figures, documents, again, compliance] = await Promise.all([
      figuresOf(tx, time_zone, { window, today, months: query.months ?? 12 }),
      asked(may.documents, () => documentFigures(tx, time_zone, window, today)),
      asked(may.deviations, () => recurrences(tx, window, time_zone)),
      asked(may.training, () => complianceOf(tx, today)),
    ])
    return {
      window: { ...window, time_zone },
      today,
      documents: documents && documentStats(figures, documents),
      creation_trends: trends(figures.byMonth, may),
      deviations: again && deviationStats(figures, again),
      capas: may.capas ? capaStats(figures) : null,
      training: compliance && trainingStats(figures, compliance),
    }
  },
})
