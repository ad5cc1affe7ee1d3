import { textOf } from '../../app/addresses.ts'

export const parts = ['documents', 'deviations', 'capas', 'training'] as const
export type Part = (typeof parts)[number]

/** Which metrics are shown, as they stand in the address. Without days, those of the last 90. */
export interface MetricsSearch {
  part?: Part | undefined
  from?: string | undefined
  to?: string | undefined
}

const dayIn = (value: unknown) => {
  const day = textOf(value)
  return /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined
}

/** Leaves out whatever of an address makes no sense. */
export function metricsSearch(given: Record<string, unknown>): MetricsSearch {
  const part = parts.find(each => each === given.part)
  const from = dayIn(given.from)
  const to = dayIn(given.to)
  return {
    ...(part && part !== parts[0] && { part }),
    ...(from && to && from <= to && { from, to }),
  }
}

export const periods = ['days30', 'days90', 'quarter', 'lastQuarter', 'year', 'lastYear'] as const
export type Period = (typeof periods)[number]

const dayOf = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)

/** The days of a period, up to today. */
export function daysOf(period: Period, today: string): { from: string; to: string } {
  const [year, month, day] = today.split('-').map(Number) as [number, number, number]
  const quarter = month - 1 - ((month - 1) % 3)
  switch (period) {
    case 'days30':
      return { from: dayOf(year, month - 1, day - 29), to: today }
    case 'days90':
      return { from: dayOf(year, month - 1, day - 89), to: today }
    case 'quarter':
      return { from: dayOf(year, quarter, 1), to: today }
    case 'lastQuarter':
      return { from: dayOf(year, quarter - 3, 1), to: dayOf(year, quarter, 0) }
    case 'year':
      return { from: dayOf(year, 0, 1), to: today }
    case 'lastYear':
      return { from: dayOf(year - 1, 0, 1), to: dayOf(year - 1, 11, 31) }
  }
}

/** The period that has these days; undefined for others. */
export const periodOf = ({ from, to }: MetricsSearch, today: string): Period | undefined =>
  from === undefined
    ? 'days90'
    : periods.find(each => {
        const days = daysOf(each, today)
        return days.from === from && days.to === to
      })
