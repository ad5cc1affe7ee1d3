import { ArrowDownRight, ArrowRight, ArrowUpRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormat } from '../../words/index.ts'
import { type FigureWords, useMetricsWords } from '../../words/metrics.ts'
import { figureOf, isRate, listOf, type Spec, type Stats, type Trend, trendOf, type Value } from './figures.ts'
import styles from './metrics.module.css'
import { RecordsLink } from './records-link.tsx'
import type { Part } from './search.ts'

/** Numbers as people write them. */
export function useNumbers() {
  const w = useMetricsWords()
  const { locale } = useFormat()
  const count = (n: number) => n.toLocaleString(locale, { maximumFractionDigits: 1 })
  const percent = (rate: number | null) =>
    rate === null ? '–' : rate.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 1 })
  const days = (n: number | null) => (n === null ? '–' : n === 1 ? w.day : w.days(count(n)))
  const short = (value: Value) =>
    typeof value === 'number' ? count(value) : isRate(value) ? percent(value.rate) : days(value.median)
  /** Numerator and denominator, or how many a median is of. */
  const basis = (value: Value, { of = '' }: FigureWords) =>
    typeof value === 'number'
      ? undefined
      : isRate(value)
        ? w.ofWhole(count(value.numerator), count(value.denominator), of)
        : value.count === 0
          ? w.noRate
          : w.median(count(value.count), days(value.mean))
  return { count, percent, short, basis }
}

export const useFigureWords = (part: Part) => useMetricsWords().figures[part] as unknown as Record<string, FigureWords>

interface Props {
  stats: Stats
  part: Part
  spec: Spec
}

/** One of the figures at the top. */
export function Tile({ stats, part, spec }: Props) {
  const words = useFigureWords(part)[spec.id]!
  const { short, basis } = useNumbers()
  const { now, before } = figureOf(stats, part, spec.id)
  return (
    <li className={styles.tile}>
      <h2>{words.name}</h2>
      <p className={styles.big}>
        <RecordsLink list={listOf(stats, part, spec.list ?? spec.id)} title={words.name}>
          {short(now)}
        </RecordsLink>
      </p>
      {basis(now, words) && <p className={styles.basis}>{basis(now, words)}</p>}
      <Compared now={now} before={before} good={spec.good} />
      <p className={styles.means}>{words.means}</p>
    </li>
  )
}

const arrows: Record<Trend, [typeof ArrowRight, typeof ArrowRight]> = {
  better: [ArrowUpRight, ArrowDownRight],
  worse: [ArrowUpRight, ArrowDownRight],
  up: [ArrowUpRight, ArrowDownRight],
  down: [ArrowUpRight, ArrowDownRight],
  same: [ArrowRight, ArrowRight],
}

/** What it was in the period before, and whether this is good news: a colour, an arrow and a word. */
export function Compared({ now, before, good }: { now: Value; before: Value | undefined; good: Spec['good'] }) {
  const w = useMetricsWords()
  const { short } = useNumbers()
  if (before === undefined) return null
  const trend = trendOf(now, before, good)
  if (trend === undefined) return <p className={styles.compared}>{w.noBefore}</p>
  const isMore = trend === 'up' || (trend !== 'down' && (trend === 'better') === (good === 'high'))
  const Icon = arrows[trend][isMore ? 0 : 1]
  return (
    <p className={`${styles.compared} ${styles[trend]}`}>
      <Icon size={14} aria-hidden="true" />
      {w.trend[trend]}: {w.before(short(before))}
    </p>
  )
}

/** All other figures, each with what it counts. */
export function Further({ stats, part, specs }: { stats: Stats; part: Part; specs: Spec[] }): ReactNode {
  const w = useMetricsWords()
  const words = useFigureWords(part)
  const { short, basis } = useNumbers()
  return (
    <section className={styles.further}>
      <h2>{w.further}</h2>
      <table>
        <caption className="visually-hidden">{w.further}</caption>
        <thead>
          <tr>
            <th scope="col">{w.columns.metric}</th>
            <th scope="col">{w.columns.value}</th>
            <th scope="col">{w.columns.before}</th>
            <th scope="col">{w.columns.means}</th>
          </tr>
        </thead>
        <tbody>
          {specs.map(spec => {
            const { now, before } = figureOf(stats, part, spec.id)
            const its = words[spec.id]!
            return (
              <tr key={spec.id}>
                <th scope="row">{its.name}</th>
                <td>
                  <RecordsLink list={listOf(stats, part, spec.list ?? spec.id)} title={its.name}>
                    {short(now)}
                  </RecordsLink>
                </td>
                <td>{before === undefined ? '' : <Compared now={now} before={before} good={spec.good} />}</td>
                <td className="soft">
                  {its.means} {basis(now, its)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
