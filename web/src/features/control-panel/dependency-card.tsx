import { StatusMark, toneOf } from './status-mark.tsx'
import type { Report } from './use-report.ts'
import { clockText, durationText } from './words.ts'

type Dependency = Report['dependencies'][number]

/** `now`: the moment of the report, in milliseconds since 1970. */
export function DependencyCard({
  dependency: { name, status, response_time_ms, since, checked_at, detail },
  now,
}: {
  dependency: Dependency
  now: number
}) {
  const age_s = Math.round((now - Date.parse(checked_at)) / 1000)
  return (
    <li className={`card ${toneOf(status)}`}>
      <h3>{name}</h3>
      <p className="state">
        <StatusMark status={status} />
        {status}
      </p>
      {detail && <p className="detail">{detail}</p>}
      {status !== 'Not configured' && (
        <dl>
          <div>
            <dt>Response time</dt>
            <dd>{response_time_ms === null ? 'None' : millisecondsText(response_time_ms)}</dd>
          </div>
          <div>
            <dt>Since</dt>
            <dd>
              <time dateTime={since} title={`for ${durationText((now - Date.parse(since)) / 1000)}`}>
                {clockText(new Date(since))}
              </time>
            </dd>
          </div>
          {age_s > 0 && (
            <div>
              <dt>Checked</dt>
              <dd>{durationText(age_s)} earlier</dd>
            </div>
          )}
        </dl>
      )}
    </li>
  )
}

const millisecondsText = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
