import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChartColumn, Printer } from 'lucide-react'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import list from '../../records/list/list-page.module.css'
import { Button } from '../../ui/button.tsx'
import { DayRange } from '../../ui/day-range.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Empty, NotRead } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { TabLinks } from '../../ui/tab-links.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMetricsWords } from '../../words/metrics.ts'
import { useMe } from '../session/session.ts'
import { Charts } from './charts.tsx'
import { Further, Tile } from './figure.tsx'
import { type Stats, shown } from './figures.ts'
import styles from './metrics.module.css'
import { daysOf, type MetricsSearch, type Part, type Period, parts, periodOf, periods } from './search.ts'

/** Are we in control, and where not? */
export function MetricsPage() {
  const w = useMetricsWords()
  const search = useSearch({ from: '/app/metrics' })
  const { part = parts[0], from, to } = search
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/dashboard/stats', { query: { date_from: from, date_to: to, compare: 'previous' } }),
  )
  useTitle(`${w.tabs[part]} · ${w.title}`)
  return (
    <div className={list.page}>
      <header className={list.head}>
        <h1>
          {w.title}
          <span className={styles.printedPart}>: {w.tabs[part]}</span>
        </h1>
        <div className="row" data-print="none">
          <Button icon={Printer} onPress={() => print()}>
            {w.print}
          </Button>
        </div>
      </header>
      <TabLinks label={w.tabs.label}>
        {parts.map(each => (
          <li key={each}>
            <Link
              to={paths.metrics}
              search={{ ...search, part: each === parts[0] ? undefined : each }}
              aria-current={each === part ? 'page' : undefined}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {w.tabs[each]}
            </Link>
          </li>
        ))}
      </TabLinks>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={14} />
      ) : (
        <>
          <PeriodChoice search={search} stats={data} />
          <PartOf stats={data} part={part} isOld={isPlaceholderData} />
        </>
      )}
    </div>
  )
}

function PeriodChoice({ search, stats }: { search: MetricsSearch; stats: Stats }) {
  const w = useMetricsWords()
  const { day } = useFormat()
  const navigate = useNavigate({ from: paths.metrics })
  const { date_from, date_to } = stats.window
  const now = periodOf(search, stats.today)
  const choose = (period: Period | undefined) => {
    if (period === undefined) return
    const days = period === 'days90' ? { from: undefined, to: undefined } : daysOf(period, stats.today)
    void navigate({ search: { ...search, ...days } })
  }
  const before = stats.previous?.window
  return (
    <div className={styles.period}>
      <div className={styles.choice} data-print="none">
        <FilterOne label={w.period} values={periods} names={w.periods} value={now} onChange={choose} />
        <DayRange
          label={w.ownPeriod}
          value={{ from: date_from, to: date_to }}
          canClear={false}
          onChange={days => {
            if (days.from !== undefined && days.to !== undefined) void navigate({ search: { ...search, ...days } })
          }}
        />
      </div>
      <p className={styles.about}>
        <b className={styles.printedPart}>{w.range(day(date_from), day(date_to))}. </b>
        {before && w.compared(day(before.date_from), day(before.date_to))}
      </p>
    </div>
  )
}

function PartOf({ stats, part, isOld }: { stats: Stats; part: Part; isOld: boolean }) {
  const w = useMetricsWords()
  if (stats[part] === null)
    return (
      <Empty icon={ChartColumn} title={w.noneOfThese}>
        <p>{w.noneOfTheseHint}</p>
      </Empty>
    )
  const { top, further } = shown[part]
  return (
    <div className={styles.part} aria-busy={isOld}>
      <ul className={styles.tiles}>
        {top.map(spec => (
          <Tile key={spec.id} stats={stats} part={part} spec={spec} />
        ))}
      </ul>
      <Charts stats={stats} part={part} />
      <Further stats={stats} part={part} specs={further} />
      <PrintedBy />
    </div>
  )
}

/** On paper only: who printed it, and when. */
function PrintedBy() {
  const { document: w } = useWords()
  const { moment } = useFormat()
  return <p className={styles.printedBy}>{w.printed(nameOf(useMe()), moment(new Date().toISOString()))}</p>
}
