import type { ReactNode } from 'react'
import { type Bar, Bars, ChartFrame, MonthBars, type Series } from '../../ui/chart.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMetricsWords } from '../../words/metrics.ts'
import { useNumbers } from './figure.tsx'
import { listOf, type Stats } from './figures.ts'
import styles from './metrics.module.css'
import { RecordsLink } from './records-link.tsx'
import type { Part } from './search.ts'

/** The charts of a part. */
export function Charts({ stats, part }: { stats: Stats; part: Part }) {
  return (
    <div className={styles.charts}>
      {part === 'documents' && <OfDocuments stats={stats} />}
      {part === 'deviations' && <OfDeviations stats={stats} />}
      {part === 'capas' && <OfCapas stats={stats} />}
      {part === 'training' && <OfTraining stats={stats} />}
    </div>
  )
}

interface PerMonthProps {
  months: string[]
  series: Series[]
  /** The request behind the number of a month. */
  listOfMonth: (nth: number, month: string) => string | undefined
}

function PerMonth({ months, series, listOfMonth }: PerMonthProps) {
  const w = useMetricsWords()
  const { locale } = useFormat()
  const { count } = useNumbers()
  const names = months.map(month =>
    new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(`${month}-01T00:00:00Z`),
    ),
  )
  return (
    <ChartFrame
      title={w.charts.perMonth}
      about={w.charts.perMonthHint}
      columns={[w.month, ...series.map(({ name }) => name)]}
      lines={names.map((name, month) => ({
        key: name,
        name,
        cells: series.map(({ values }) => count(values[month]!)),
        linked: series.map(({ name: what, values }, nth) => (
          <RecordsLink key={what} list={listOfMonth(nth, months[month]!)} title={`${name}: ${what}`}>
            {count(values[month]!)}
          </RecordsLink>
        )),
      }))}
    >
      <MonthBars names={names} series={series} />
    </ChartFrame>
  )
}

interface CountsProps {
  title: string
  about: string
  lines: { key: string | null; name: string; count: number; cumulative?: number | null }[]
  /** The request behind a line. */
  listOfLine: (key: string) => string | undefined
}

/** How many there are of each, with the records one click away. */
function Counts({ title, about, lines, listOfLine }: CountsProps) {
  const w = useMetricsWords()
  const { count, percent } = useNumbers()
  const hasSum = lines.some(({ cumulative }) => cumulative !== undefined)
  const bars = lines.map(({ key, name, count: value, cumulative }): Bar => {
    const list = key === null || value === 0 ? undefined : listOfLine(key)
    return {
      key: key ?? '',
      name,
      value,
      text: count(value),
      ...(list !== undefined && {
        link: (children: ReactNode) => (
          <RecordsLink list={list} title={`${title}: ${name}`}>
            {children}
          </RecordsLink>
        ),
      }),
      ...(cumulative !== undefined && { cumulative: w.share(percent(cumulative)) }),
    }
  })
  return (
    <ChartFrame
      title={title}
      about={about}
      columns={['', w.count, ...(hasSum ? [w.cumulative] : [])]}
      lines={lines.map(({ key, name, count: value, cumulative }) => ({
        key: key ?? '',
        name,
        cells: [count(value), ...(hasSum ? [percent(cumulative ?? null)] : [])],
        linked: [
          <RecordsLink
            key="count"
            list={key === null || value === 0 ? undefined : listOfLine(key)}
            title={`${title}: ${name}`}
          >
            {count(value)}
          </RecordsLink>,
          ...(hasSum ? [percent(cumulative ?? null)] : []),
        ],
      }))}
      isReadable
    >
      {lines.length === 0 ? <p className="soft">{w.noData}</p> : <Bars bars={bars} />}
    </ChartFrame>
  )
}

interface OfStats {
  stats: Stats
}

function useAges() {
  const w = useMetricsWords()
  return (ages: { from_days: number; to_days: number | null; count: number }[]) =>
    ages.map(({ from_days, to_days, count }) => ({
      key: String(from_days),
      name: to_days === null ? w.older(from_days) : w.ages(from_days, to_days),
      count,
    }))
}

/** The lines of a figure by the name of each key; one without a key has none. */
function useNamed() {
  const w = useMetricsWords()
  return (lines: { key: string | null; count: number }[], names: Record<string, string> = {}) =>
    lines.map(({ key, count }) => ({
      key,
      count,
      name: key === null ? w.unknown : (names[key] ?? key.replaceAll('_', ' ')),
    }))
}

function useStates(): Record<string, string> {
  const { states, recordStates } = useWords()
  return { ...recordStates, ...states }
}

function OfDocuments({ stats }: OfStats) {
  const { charts: w, series } = useMetricsWords()
  const states = useStates()
  const named = useNamed()
  const ages = useAges()
  const documents = stats.documents!
  const list = (figure: string) => (key: string) => listOf(stats, 'documents', figure, key)
  return (
    <>
      <PerMonth
        months={stats.creation_trends.map(({ month }) => month)}
        series={[
          { name: series.documents, values: stats.creation_trends.map(each => each.documents ?? 0) },
          { name: series.versions, values: stats.creation_trends.map(each => each.versions ?? 0) },
        ]}
        listOfMonth={(nth, month) => listOf(stats, 'creation_trends', ['documents', 'versions'][nth]!, month)}
      />
      <Counts
        title={w.pending}
        about={w.pendingHint}
        lines={ages(documents.pending_ageing)}
        listOfLine={list('pending_ageing')}
      />
      <Counts
        title={w.byStatus}
        about={w.byStatusHint}
        lines={named(documents.by_status, states)}
        listOfLine={list('by_status')}
      />
      <Counts
        title={w.byType}
        about={w.byStatusHint}
        lines={documents.by_type
          .map(({ document_type: { id, name }, count }) => ({ key: String(id), name, count }))
          .sort((a, b) => b.count - a.count)}
        listOfLine={list('by_type')}
      />
    </>
  )
}

function OfDeviations({ stats }: OfStats) {
  const { charts: w, series, keys } = useMetricsWords()
  const named = useNamed()
  const ages = useAges()
  const { per_month, ageing, pareto_of_causes, by_category, by_department, open_by_severity } = stats.deviations!
  const list = (figure: string) => (key: string) => listOf(stats, 'deviations', figure, key)
  return (
    <>
      <PerMonth
        months={per_month.map(({ month }) => month)}
        series={[
          { name: series.opened, values: per_month.map(({ opened }) => opened) },
          { name: series.closed, values: per_month.map(({ closed }) => closed) },
        ]}
        listOfMonth={(nth, month) => listOf(stats, 'deviations', `per_month.${['opened', 'closed'][nth]}`, month)}
      />
      <Counts title={w.ageing} about={w.ageingHint} lines={ages(ageing)} listOfLine={list('ageing')} />
      <Counts
        title={w.causes}
        about={w.causesHint}
        lines={named(pareto_of_causes, keys.cause).map((line, index) => ({
          ...line,
          cumulative: pareto_of_causes[index]!.cumulative.rate,
        }))}
        listOfLine={list('by_root_cause')}
      />
      <Counts
        title={w.bySeverity}
        about={w.openHint}
        lines={named(open_by_severity, keys.severity)}
        listOfLine={list('open_by_severity')}
      />
      <Counts
        title={w.byCategory}
        about={w.reportedHint}
        lines={named(by_category, keys.category)}
        listOfLine={list('by_category')}
      />
      <Counts
        title={w.byDepartment}
        about={w.reportedHint}
        lines={named(by_department)}
        listOfLine={list('by_department')}
      />
    </>
  )
}

function OfCapas({ stats }: OfStats) {
  const { charts: w, series, keys } = useMetricsWords()
  const named = useNamed()
  const ages = useAges()
  const { per_month, overdue_ageing, open_by_priority, by_source } = stats.capas!
  const list = (figure: string) => (key: string) => listOf(stats, 'capas', figure, key)
  return (
    <>
      <PerMonth
        months={per_month.map(({ month }) => month)}
        series={[
          { name: series.opened, values: per_month.map(({ opened }) => opened) },
          { name: series.closed, values: per_month.map(({ closed }) => closed) },
        ]}
        listOfMonth={(nth, month) => listOf(stats, 'capas', `per_month.${['opened', 'closed'][nth]}`, month)}
      />
      <Counts
        title={w.overdueAge}
        about={w.overdueHint}
        lines={ages(overdue_ageing)}
        listOfLine={list('overdue_ageing')}
      />
      <Counts
        title={w.byPriority}
        about={w.openHint}
        lines={named(open_by_priority, keys.priority)}
        listOfLine={list('open_by_priority')}
      />
      <Counts
        title={w.bySource}
        about={w.madeHint}
        lines={named(by_source, keys.source)}
        listOfLine={list('by_source')}
      />
    </>
  )
}

type Compliance = NonNullable<Stats['training']>['by_group'][number]['compliance']

function OfTraining({ stats }: OfStats) {
  const { charts: w, series } = useMetricsWords()
  const ages = useAges()
  const { per_month, overdue_ageing, by_program, by_group } = stats.training!
  return (
    <>
      <PerMonth
        months={per_month.map(({ month }) => month)}
        series={[
          { name: series.assigned, values: per_month.map(({ assigned }) => assigned) },
          { name: series.completed, values: per_month.map(({ completed }) => completed) },
        ]}
        listOfMonth={(nth, month) => listOf(stats, 'training', `per_month.${['assigned', 'completed'][nth]}`, month)}
      />
      <Counts
        title={w.overdueAge}
        about={w.overdueHint}
        lines={ages(overdue_ageing)}
        listOfLine={key => listOf(stats, 'training', 'overdue_ageing', key)}
      />
      <ComplianceBars
        title={w.byProgram}
        lines={by_program.map(({ program, compliance }) => ({
          key: String(program.id),
          name: `${program.number} ${program.title}`,
          compliance,
        }))}
        pageOfLine={key => listOf(stats, 'training', 'by_program', key)}
      />
      <ComplianceBars
        title={w.byGroup}
        lines={by_group.map(({ group, compliance }) => ({ key: String(group.id), name: group.name, compliance }))}
        pageOfLine={key => listOf(stats, 'training', 'by_group', key)}
      />
    </>
  )
}

/** More would push what is low out of sight. The table has them all. */
const mostBars = 12

interface ComplianceProps {
  title: string
  lines: { key: string; name: string; compliance: Compliance }[]
  pageOfLine: (key: string) => string | undefined
}

function ComplianceBars({ title, lines, pageOfLine }: ComplianceProps) {
  const w = useMetricsWords()
  const { percent } = useNumbers()
  const written = ({ trained, required, rate }: Compliance) => w.trainedOf(trained, required, percent(rate))
  return (
    <ChartFrame
      title={title}
      about={w.charts.complianceHint}
      columns={['', w.columns.value]}
      lines={lines.map(({ key, name, compliance }) => ({
        key,
        name,
        cells: [written(compliance)],
        linked: [
          <RecordsLink key={key} list={pageOfLine(key)} title={name}>
            {written(compliance)}
          </RecordsLink>,
        ],
      }))}
      isReadable={lines.length <= mostBars}
    >
      {lines.length === 0 ? (
        <p className="soft">{w.noData}</p>
      ) : (
        <Bars
          full={1}
          bars={lines.slice(0, mostBars).map(({ key, name, compliance }) => ({
            key,
            name,
            value: compliance.rate ?? 0,
            text: written(compliance),
            link: children => (
              <RecordsLink list={pageOfLine(key)} title={name}>
                {children}
              </RecordsLink>
            ),
          }))}
        />
      )}
    </ChartFrame>
  )
}
