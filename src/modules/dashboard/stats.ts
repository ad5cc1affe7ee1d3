import { query } from '#action'
import { dayIn, daysLater } from '#kernel/day.ts'
import { invalid, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { complianceOf } from '#modules/training'
import type { Tx } from '#platform/db/database.ts'
import type { Window } from './counted.ts'
import { type ByMonth, monthsOf, todayOf, windowOf } from './counts.ts'
import { monthsUntil } from './figures.ts'
import { messages } from './messages.ts'
import { recordLists } from './record-lists.ts'
import { capaStats, daysOfAges, deviationStats, documentStats, type Figures, trainingStats } from './stats-blocks.ts'
import {
  type CountedZone,
  countAllVersions,
  countedZone,
  countsByMonth,
  countsInWindow,
  countsOfToday,
  countUndecidedReviews,
  dayBounds,
  listTypeNames,
  recurrences,
} from './stats-queries.ts'
import { figuresOfWindow, type Previous, Stats, StatsFilter } from './stats-schema.ts'

const defaultDays = 90
const maxDays = 3660
/** No records are older, and PostgreSQL has no year 0. */
const firstDay = '1900-01-01'

const refused = (field: keyof Window, message: Message) => invalid(issueAt(['query', field], message))

export function windowIn({ date_from, date_to }: Partial<Window>, today: string): Window {
  const to = date_to ?? today
  const from = date_from ?? daysLater(to, 1 - defaultDays)
  if (from < firstDay)
    throw refused(date_from ? 'date_from' : 'date_to', messages.statistics_window_too_early({ first_day: firstDay }))
  if (from > to) throw refused('date_from', messages.statistics_window_reversed({ date_to: to }))
  if (daysLater(from, maxDays) < to)
    throw refused('date_from', messages.statistics_window_too_long({ maximum: maxDays, date_to: to }))
  return { date_from: from, date_to: to }
}

async function figuresOf(
  tx: Tx,
  zone: CountedZone,
  { window, today, months }: { window: Window; today: string; months: number },
): Promise<Figures> {
  const inMonths = monthsUntil(today, months)
  const since = { date_from: `${inMonths[0]}-01`, date_to: today }
  const [inWindow, asOfToday, byMonth] = await Promise.all([
    countsInWindow(tx, zone, window),
    countsOfToday(tx, zone),
    countsByMonth(tx, zone, since),
  ])
  return { today, inWindow: windowOf(inWindow), asOfToday: todayOf(asOfToday), byMonth: monthsOf(byMonth, inMonths) }
}

async function documentFigures(tx: Tx, zone: CountedZone, window: Window, today: string) {
  const [types, versions, undecided_reviews] = await Promise.all([
    listTypeNames(tx),
    countAllVersions(tx, zone),
    countUndecidedReviews(tx, zone, window, today),
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
    'Counts all records of the tenant, also those that the caller may not open one by one, which `dashboard.stats` allows. No record is named. Each part needs the permission to read its kind of record. Days and months are in the time zone of the tenant. Each field describes its count.',
  permission: 'dashboard.stats',
  input: { query: StatsFilter },
  response: Stats,
  async run({ tx, actor, services }, { query }) {
    const zone = await countedZone(tx)
    const { time_zone } = zone
    const today = dayIn(time_zone, services.clock.now())
    const window = windowIn(query, today)
    const { permissions } = actor
    const may = {
      documents: permissions.has('documents.read'),
      deviations: permissions.has('deviations.read'),
      capas: permissions.has('capa.read'),
      training: permissions.has('training.read_all'),
    }
    const days = [window.date_from, window.date_to, ...daysOfAges.map(age => daysLater(today, -age))]
    const [figures, documents, again, compliance, bounds, before] = await Promise.all([
      figuresOf(tx, zone, { window, today, months: query.months ?? 12 }),
      asked(may.documents, () => documentFigures(tx, zone, window, today)),
      asked(may.deviations, () => recurrences(tx, window, zone)),
      asked(may.training, () => complianceOf(tx, today)),
      dayBounds(tx, zone, days),
      asked(query.compare === 'previous', () => countPrevious(tx, zone, { window: previousOf(window), today, may })),
    ])
    const counted = {
      window: { ...window, time_zone },
      today,
      documents: documents && documentStats(figures, documents),
      creation_trends: trends(figures.byMonth, may),
      deviations: again && deviationStats(figures, again),
      capas: may.capas ? capaStats(figures) : null,
      training: compliance && trainingStats(figures, compliance),
      previous:
        before &&
        previousFigures(
          before,
          { ...figures, inWindow: before.inWindow },
          { documents, compliance, may_capas: may.capas },
        ),
    }
    return { ...counted, lists: recordLists({ stats: counted, window, today, bounds, permissions }) }
  },
})

const asked = <T>(isAsked: boolean, ask: () => Promise<T>) => (isAsked ? ask() : null)

/** The window of the same length that ends the day before this one begins. */
function previousOf({ date_from, date_to }: Window): Window {
  const days = Math.round((Date.parse(date_to) - Date.parse(date_from)) / 86_400_000) + 1
  return { date_from: daysLater(date_from, -days), date_to: daysLater(date_from, -1) }
}

async function countPrevious(
  tx: Tx,
  zone: CountedZone,
  { window, today, may }: { window: Window; today: string; may: { documents: boolean; deviations: boolean } },
) {
  const [inWindow, undecided_reviews, again] = await Promise.all([
    countsInWindow(tx, zone, window),
    asked(may.documents, () => countUndecidedReviews(tx, zone, window, today)),
    asked(may.deviations, () => recurrences(tx, window, zone)),
  ])
  return { window, inWindow: windowOf(inWindow), undecided_reviews, again }
}

function previousFigures(
  { window, undecided_reviews, again }: Awaited<ReturnType<typeof countPrevious>>,
  figures: Figures,
  now: {
    documents: Awaited<ReturnType<typeof documentFigures>> | null
    compliance: Awaited<ReturnType<typeof complianceOf>> | null
    may_capas: boolean
  },
): Previous {
  const { documents, deviations, capas, training } = figuresOfWindow
  return {
    window,
    documents:
      now.documents &&
      pick(documentStats(figures, { ...now.documents, undecided_reviews: undecided_reviews! }), documents),
    deviations: again && pick(deviationStats(figures, again), deviations),
    capas: now.may_capas ? pick(capaStats(figures), capas) : null,
    training: now.compliance && pick(trainingStats(figures, now.compliance), training),
  }
}

const pick = <T extends object, K extends keyof T>(of: T, names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map(name => [name, of[name]])) as Pick<T, K>
