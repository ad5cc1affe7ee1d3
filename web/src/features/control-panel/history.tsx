import { Table2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Unreadable } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import type { AnswerOf } from './client.ts'
import styles from './control-panel.module.css'
import { Scrolled } from './scrolled.tsx'
import { toneOf } from './status-mark.tsx'
import { usePanelQuery } from './use-panel-query.ts'
import { usePanelWords } from './words.ts'

type Hour = AnswerOf<'GET /api/platform/installation'>['history']['hours'][number]

const names = [
  ...(['Database', 'Storage', 'API endpoints', 'Background workers'] as const),
  ...(['Email service', 'Vector store', 'AI integration'] as const),
]
const clock = ({ hour }: Hour) => hour.slice(11, 16)

/** How the dependencies were in each hour of the last day. */
export function History({ onSessionEnded }: { onSessionEnded: () => void }) {
  const { health: w } = usePanelWords()
  const { charts } = useWords()
  const [isTable, setTable] = useState(false)
  const { data, error, refetch } = usePanelQuery('GET /api/platform/installation', undefined, { onSessionEnded })
  if (error && error.status !== 401) return <Unreadable error={error} onRetry={() => void refetch()} />
  if (!data) return null
  const { hours, looks_of_an_hour } = data.history
  const of = (hour: Hour, name: string) => hour.dependencies.find(each => each.name === name)
  const said = (hour: Hour, name: (typeof names)[number]) => {
    const found = of(hour, name)
    return found ? w.statuses[found.worst] : w.unknown
  }
  return (
    <section aria-labelledby="history" className={styles.history}>
      <div className={styles.sectionHead}>
        <div>
          <h2 id="history">{w.history}</h2>
          <p className="soft">
            {w.historyHint(60 / looks_of_an_hour)} {w.fewLooks}
          </p>
        </div>
        <Button
          look="icon"
          label={isTable ? charts.showChart(w.history) : charts.showTable(w.history)}
          icon={Table2}
          onPress={() => setTable(!isTable)}
        />
      </div>
      {isTable ? (
        <Scrolled label={`${w.history}: ${w.hour}`}>
          <table className={styles.table}>
            <caption className="visually-hidden">{w.history}</caption>
            <thead>
              <tr>
                <th scope="col">{w.hour}</th>
                <th scope="col">{w.looks}</th>
                {names.map(name => (
                  <th key={name} scope="col">
                    {w.names[name]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {hours.toReversed().map(hour => (
                <tr key={hour.hour}>
                  <th scope="row">{clock(hour)}</th>
                  <td>{w.looksOf(hour.looks, looks_of_an_hour)}</td>
                  {names.map(name => (
                    <td key={name}>
                      {said(hour, name)}
                      {of(hour, name)?.detail && of(hour, name)?.worst !== 'Not configured' && (
                        <span className="soft" lang="en">
                          {' '}
                          {of(hour, name)!.detail}
                        </span>
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      ) : (
        <ul className={styles.hours}>
          {names.map(name => (
            <li key={name}>
              <span>{w.names[name]}</span>
              <svg height="20" role="img" aria-label={summaryOf(hours, name, said)}>
                {hours.map((hour, index) => {
                  const found = of(hour, name)
                  return (
                    <rect
                      key={hour.hour}
                      className={found ? toneOf(found.worst) : styles.unknown}
                      x={`${(index / hours.length) * 100}%`}
                      width={`${(1 / hours.length) * 100 - 0.6}%`}
                      // A state is a height too, not a colour alone.
                      y={found?.worst === 'Down' ? 0 : found?.worst === 'Degraded' ? 5 : 10}
                      height={found?.worst === 'Down' ? 20 : found?.worst === 'Degraded' ? 15 : 10}
                      rx="1.5"
                    >
                      <title>{`${clock(hour)}: ${said(hour, name)}`}</title>
                    </rect>
                  )
                })}
              </svg>
            </li>
          ))}
          <li aria-hidden="true">
            <span />
            <span className={styles.axis}>
              <span>{clock(hours[0]!)}</span>
              <span>{clock(hours.at(-1)!)}</span>
            </span>
          </li>
        </ul>
      )}
    </section>
  )
}

/** `Operational: 20, Nobody looked: 5`: how many hours of each. */
function summaryOf(
  hours: Hour[],
  name: (typeof names)[number],
  said: (hour: Hour, name: (typeof names)[number]) => string,
) {
  const counts = Map.groupBy(hours, hour => said(hour, name))
  return [...counts].map(([state, all]) => `${state}: ${all.length}`).join(', ')
}
