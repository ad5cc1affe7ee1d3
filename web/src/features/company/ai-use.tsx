import type { Answer } from '../../api/client.ts'
import { Bars, ChartFrame, MonthBars } from '../../ui/chart.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useFormat } from '../../words/index.ts'
import type { AiSettings } from './ai-settings.ts'
import { micros } from './amounts.ts'
import styles from './company.module.css'
import { useCompanyWords } from './words.ts'

type Usage = Answer<'GET /api/ai/usage'>

/** The use so far, against the limit. */
export function AiUse({ usage, settings }: { usage: Usage; settings: AiSettings }) {
  const { ai: w } = useCompanyWords()
  const { locale, day } = useFormat()
  const count = (n: number) => new Intl.NumberFormat(locale).format(n)
  const percent = (part: number) => new Intl.NumberFormat(locale, { style: 'percent' }).format(part)
  const money = (amount: number) => micros(amount, locale)
  const { tokens, most_tokens, cost_micros, most_cost_micros } = usage
  const calls = usage.by_kind.reduce((sum, each) => sum + each.calls, 0)
  const hasCosts = settings.input_price_micros > 0 || settings.output_price_micros > 0 || cost_micros > 0
  const monthName = (month: string) =>
    new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(`${month}-01T00:00:00Z`),
    )
  return (
    <section className={styles.use} aria-labelledby="ai-use">
      <div>
        <h2 id="ai-use">{w.use}</h2>
        <p className="soft">{w.until(day(usage.until))}</p>
      </div>
      <ul className={styles.figures}>
        <li>
          <span>{w.tokensColumn}</span>
          <b>{count(tokens)}</b>
          {most_tokens === null ? (
            <span>{w.unlimited}</span>
          ) : (
            <Limit used={tokens} most={most_tokens}>
              {`${w.used(count(tokens), count(most_tokens))} · ${w.share(percent(most_tokens === 0 ? 1 : tokens / most_tokens))}`}
            </Limit>
          )}
        </li>
        {hasCosts && (
          <li>
            <span>{w.cost}</span>
            <b>{money(cost_micros)}</b>
            {most_cost_micros === null ? (
              <span>{w.unlimited}</span>
            ) : (
              <Limit used={cost_micros} most={most_cost_micros}>
                {`${w.usedCost(money(cost_micros), money(most_cost_micros))} · ${w.shareOfBudget(percent(most_cost_micros === 0 ? 1 : cost_micros / most_cost_micros))}`}
              </Limit>
            )}
          </li>
        )}
        <li>
          <span>{w.calls}</span>
          <b>{count(calls)}</b>
        </li>
      </ul>
      {usage.by_month.some(each => each.tokens > 0) && (
        <ChartFrame
          title={w.byMonth}
          about={w.byMonthHint}
          columns={[w.month, w.tokensColumn, w.calls, ...(hasCosts ? [w.cost] : [])]}
          lines={usage.by_month.map(each => ({
            key: each.month,
            name: monthName(each.month),
            cells: [count(each.tokens), count(each.calls), ...(hasCosts ? [money(each.cost_micros)] : [])],
          }))}
        >
          <MonthBars
            names={usage.by_month.map(({ month }) => monthName(month))}
            series={[{ name: w.tokensColumn, values: usage.by_month.map(each => Math.round(each.tokens / 100) / 10) }]}
          />
        </ChartFrame>
      )}
      {calls === 0 ? (
        <p className="soft">{w.nothing}</p>
      ) : (
        <div className={styles.charts}>
          <Shares
            title={w.byKind}
            about={w.byKindHint}
            lines={usage.by_kind.map(each => ({ ...each, key: each.kind, name: w.kinds[each.kind] }))}
          />
          <Shares
            title={w.byPerson}
            about={w.byPersonHint}
            lines={usage.by_person.map(each => ({ ...each, key: String(each.user.id), name: nameOf(each.user) }))}
          />
        </div>
      )}
    </section>
  )
}

/** How much of a limit is used: the bar alone would say it to nobody who does not see it. */
function Limit({ used, most, children }: { used: number; most: number; children: string }) {
  const part = most === 0 ? 1 : Math.min(1, used / most)
  return (
    <>
      <svg className={styles.meter} data-over={used >= most} aria-hidden="true">
        <rect width="100%" height="8" />
        <rect width={`${(part * 100).toFixed(2)}%`} height="8" />
      </svg>
      <span>{children}</span>
    </>
  )
}

interface Line {
  key: string
  name: string
  tokens: number
  calls: number
  failed: number
}

function Shares({ title, about, lines }: { title: string; about: string; lines: Line[] }) {
  const { ai: w } = useCompanyWords()
  const { locale } = useFormat()
  const count = (n: number) => new Intl.NumberFormat(locale).format(n)
  const sorted = lines.toSorted((one, other) => other.tokens - one.tokens)
  return (
    <ChartFrame
      title={title}
      about={about}
      columns={['', w.tokensColumn, w.calls]}
      lines={sorted.map(({ key, name, tokens, calls }) => ({ key, name, cells: [count(tokens), count(calls)] }))}
      isReadable
    >
      <Bars
        bars={sorted.map(({ key, name, tokens, calls, failed }) => ({
          key,
          name,
          value: tokens,
          text: count(tokens),
          cumulative: w.outcome(calls, failed),
        }))}
      />
    </ChartFrame>
  )
}
