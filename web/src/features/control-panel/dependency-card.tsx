import styles from './control-panel.module.css'
import { StatusMark, toneOf } from './status-mark.tsx'
import { clockText, durationText } from './texts.ts'
import type { Report } from './use-report.ts'
import { usePanelWords } from './words.ts'

type Dependency = Report['dependencies'][number]

interface Props {
  dependency: Dependency
  /** The moment of the report, in milliseconds since 1970. */
  now: number
}

export function DependencyCard({
  dependency: { name, status, response_time_ms, since, checked_at, detail },
  now,
}: Props) {
  const words = usePanelWords()
  const { health: w } = words
  const age_s = Math.round((now - Date.parse(checked_at)) / 1000)
  return (
    <li className={styles.dependency}>
      <h3>{w.names[name]}</h3>
      <p className={`${styles.state} ${toneOf(status)}`}>
        <StatusMark status={status} />
        {w.statuses[status]}
      </p>
      {detail && (
        <p className={styles.detail} lang="en">
          {detail}
        </p>
      )}
      {status !== 'Not configured' && (
        <dl>
          <div>
            <dt>{w.response}</dt>
            <dd>{response_time_ms === null ? w.noResponse : millisecondsText(response_time_ms)}</dd>
          </div>
          <div>
            <dt>{w.since}</dt>
            <dd>
              <time dateTime={since} title={w.forLong(durationText((now - Date.parse(since)) / 1000, words))}>
                {clockText(new Date(since))}
              </time>
            </dd>
          </div>
          {age_s > 0 && (
            <div>
              <dt>{w.checked}</dt>
              <dd>{w.earlier(durationText(age_s, words))}</dd>
            </div>
          )}
        </dl>
      )}
    </li>
  )
}

const millisecondsText = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
