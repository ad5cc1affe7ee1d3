import { useEffect, useRef } from 'react'
import type { Refusal } from './client.ts'
import { DependencyCard } from './dependency-card.tsx'
import type { Session } from './session.ts'
import { StatusMark, toneOf } from './status-mark.tsx'
import { type Report, useReport } from './use-report.ts'
import { clockText, durationText, listText, timeText } from './words.ts'

export function ServiceHealth({ session, onSessionEnded }: { session: Session; onSessionEnded: () => void }) {
  const { good, failure, isRefreshing, left_seconds, now, refresh } = useReport(session.access_token)
  const heading = useRef<HTMLHeadingElement>(null)

  useEffect(() => {
    document.title = 'Service health · Attest control panel'
    heading.current?.focus()
  }, [])
  useEffect(() => {
    if (failure?.status === 401) onSessionEnded()
  }, [failure, onSessionEnded])

  if (failure?.status === 403) return <Refused session={session} failure={failure} />

  const age_ms = good ? Math.max(0, now - good.received_at) : 0
  const clock = good && new Date(Date.parse(good.report.time) + age_ms)
  return (
    <>
      <div className="head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            Service health
          </h1>
          <p className="muted clock">
            {clock ? (
              <>
                <span>Service clock </span>
                <time dateTime={clock.toISOString()}>{clockText(clock)}</time> UTC
              </>
            ) : (
              'Asking the service …'
            )}
          </p>
        </div>
        <div className="refresh">
          <span role="timer" aria-live="off" className="muted">
            {isRefreshing ? 'Refreshing …' : `Next refresh in ${left_seconds} s`}
          </span>
          <button type="button" onClick={() => void refresh()} aria-disabled={isRefreshing}>
            Refresh now
          </button>
        </div>
      </div>

      <div role="alert">
        {failure && (
          <p className="note bad">
            <strong>The last refresh failed.</strong> {failure.message}{' '}
            {good
              ? `This is the report of ${timeText(new Date(good.report.time))} UTC.`
              : 'There is no report yet. The page goes on trying.'}
          </p>
        )}
      </div>
      {failure && good && (
        <p className="age">
          This report is <strong>{durationText(age_ms / 1000)}</strong> old.
        </p>
      )}

      {good ? <WholeReport report={good.report} isStale={failure !== undefined} /> : !failure && <Skeleton />}
    </>
  )
}

function WholeReport({ report, isStale }: { report: Report; isStale: boolean }) {
  const { status, dependencies, ai, mail, storage, api, workers, audit, version, release, uptime_seconds } = report
  const time = Date.parse(report.time)
  return (
    <div className={isStale ? 'stale' : undefined}>
      <section className={`overall ${toneOf(status)}`} aria-labelledby="overall">
        <StatusMark status={status} />
        <div role="status">
          <h2 id="overall">{isStale ? `Was ${status.toLowerCase()}` : status}</h2>
          <p>{summaryOf(report)}</p>
        </div>
      </section>

      <h2 className="section">Dependencies</h2>
      <ul className="cards">
        {dependencies.map(dependency => (
          <DependencyCard key={dependency.name} dependency={dependency} now={time} />
        ))}
      </ul>

      <h2 className="section">Installation</h2>
      <dl className="facts">
        <Fact name="AI provider">{ai.provider ?? 'None'}</Fact>
        <Fact name="AI model">{ai.model ?? 'None'}</Fact>
        <Fact name="Outbound mail">
          {mail.configured ? 'Configured' : 'Not configured'}
          {mail.waiting !== null && `, ${mail.waiting} waiting`}
          {mail.failed !== null && mail.failed > 0 && `, ${mail.failed} given up in seven days`}
        </Fact>
        <Fact name="Storage">
          {storage.type === 'local' ? 'Local folder' : storage.type}, {storage.writable ? 'writable' : 'not writable'}
        </Fact>
        <Fact name="Jobs waiting">
          {workers.queue_depth}
          {workers.oldest_job_seconds !== null && `, the oldest for ${durationText(workers.oldest_job_seconds)}`}
        </Fact>
        <Fact name="Audit trail">
          {audit.unsealed_seconds === 0 ? 'Sealed' : `Unsealed for ${durationText(audit.unsealed_seconds)}`}
          {audit.stopped > 0 && `, stopped for ${audit.stopped} ${audit.stopped === 1 ? 'tenant' : 'tenants'}`}
        </Fact>
        <Fact name="Anchors">
          {audit.anchors.length === 0
            ? 'None'
            : audit.anchors
                .map(
                  ({ target, anchored_at, trouble }) =>
                    `${target}${trouble ? ': fails' : anchored_at ? `, ${durationText((time - Date.parse(anchored_at)) / 1000)} ago` : ''}`,
                )
                .join('; ')}
        </Fact>
        <Fact name="Requests in flight">{api.requests_in_flight}</Fact>
        <Fact name="Event loop lag">{api.event_loop_lag_ms} ms</Fact>
        <Fact name="Up for">{durationText(uptime_seconds)}</Fact>
        <Fact name="Version">{version}</Fact>
        <Fact name="Release">{release || 'Not stated'}</Fact>
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function summaryOf({ dependencies }: Report): string {
  const withStatus = (status: string) => dependencies.filter(each => each.status === status).map(({ name }) => name)
  const [down, degraded, absent] = ['Down', 'Degraded', 'Not configured'].map(withStatus) as [
    string[],
    string[],
    string[],
  ]
  const is = (names: string[], what: string) => `${listText(names)} ${names.length > 1 ? 'are' : 'is'} ${what}.`
  const troubles = [down.length > 0 && is(down, 'down'), degraded.length > 0 && is(degraded, 'degraded')].filter(
    Boolean,
  )
  if (troubles.length > 0) return troubles.join(' ')
  const working = dependencies.length - absent.length
  return absent.length > 0
    ? `${working} of ${dependencies.length} dependencies are set up, and all of them work.`
    : 'Everything works.'
}

const Skeleton = () => (
  <div className="skeleton" aria-hidden="true">
    {Array.from({ length: 8 }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never move
      <div key={index} />
    ))}
  </div>
)

/** Shown to a tenant's user, and to a platform user who has no second factor yet. */
function Refused({ session, failure }: { session: Session; failure: Refusal }) {
  const isTenants = failure.code === 'permission_required'
  return (
    <section className="refused" role="alert">
      <h1>This page is for the platform team</h1>
      {isTenants ? (
        <>
          <p>
            You are signed in as <strong>{session.user.username}</strong> ({session.user.role}), a user of a tenant. The
            health of the installation is shown to the people who operate it, and to nobody else: no role of a tenant
            includes it.
          </p>
          <p>
            If you wonder whether the service works, ask them, or look at <a href="/api/health">/api/health</a>. If you
            are one of them, sign out and sign in with your platform account.
          </p>
        </>
      ) : (
        <p>
          You are signed in as <strong>{session.user.username}</strong>, and the service answers: {failure.message}
        </p>
      )}
    </section>
  )
}
