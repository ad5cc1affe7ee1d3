import { type ReactNode, useEffect } from 'react'
import type { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { useFormat } from '../../words/index.ts'
import styles from './control-panel.module.css'
import { DependencyCard } from './dependency-card.tsx'
import { History } from './history.tsx'
import { PageHead } from './page-head.tsx'
import { Queues } from './queues.tsx'
import type { PageProps, Session } from './session.ts'
import { StatusMark, toneOf } from './status-mark.tsx'
import { clockText, durationText, timeText } from './texts.ts'
import { type Report, useReport } from './use-report.ts'
import { usePanelWords } from './words.ts'

export function ServiceHealth({ session, onSessionEnded }: PageProps) {
  const words = usePanelWords()
  const { health: w } = words
  const { good, failure, isRefreshing, left_seconds, now, refresh } = useReport(session.access_token)
  useEffect(() => {
    if (failure?.status === 401) onSessionEnded()
  }, [failure, onSessionEnded])

  if (failure?.status === 403) return <Refused session={session} failure={failure} />

  const age_ms = good ? Math.max(0, now - good.received_at) : 0
  const clock = good && new Date(Date.parse(good.report.time) + age_ms)
  return (
    <>
      <PageHead
        title={words.pages.health}
        about={
          clock ? (
            <>
              {w.clock} <time dateTime={clock.toISOString()}>{clockText(clock)}</time> UTC
            </>
          ) : (
            w.asking
          )
        }
      >
        <span role="timer" aria-live="off" className="soft">
          {isRefreshing ? w.refreshing : w.next(left_seconds)}
        </span>
        <Button onPress={() => void refresh()} isPending={isRefreshing}>
          {w.refresh}
        </Button>
      </PageHead>

      <div role="alert" className={failure ? styles.bad : undefined}>
        {failure && (
          <>
            <strong>{w.failed}</strong> <span>{failure.message || w.silent}</span>{' '}
            {good ? w.reportOf(timeText(new Date(good.report.time))) : w.noReport}
          </>
        )}
      </div>
      {failure && good && <p className="soft">{w.age(durationText(age_ms / 1000, words))}</p>}

      {good ? (
        <WholeReport report={good.report} isStale={failure !== undefined} onSessionEnded={onSessionEnded} />
      ) : (
        !failure && <Skeleton />
      )}
    </>
  )
}

interface ReportProps {
  report: Report
  isStale: boolean
  onSessionEnded: () => void
}

function WholeReport({ report, isStale, onSessionEnded }: ReportProps) {
  const words = usePanelWords()
  const { health: w } = words
  const summary = useSummary(report)
  const { status, dependencies, ai, mail, storage, api, workers, audit, version, release, uptime_seconds } = report
  const time = Date.parse(report.time)
  const duration = (seconds: number) => durationText(seconds, words)
  return (
    <div className={isStale ? styles.stale : styles.report}>
      <section className={`${styles.overall} ${toneOf(status)}`} aria-labelledby="overall">
        <StatusMark status={status} size={28} />
        <div role="status">
          <h2 id="overall">{isStale ? w.was[status] : w.statuses[status]}</h2>
          <p>{summary}</p>
        </div>
      </section>

      <h2>{w.dependencies}</h2>
      <ul className={styles.dependencies}>
        {dependencies.map(dependency => (
          <DependencyCard key={dependency.name} dependency={dependency} now={time} />
        ))}
      </ul>

      <History onSessionEnded={onSessionEnded} />
      <Queues workers={workers} now={time} />

      <h2>{w.facts}</h2>
      <dl className={styles.facts}>
        <Fact name={w.provider}>{ai.provider ?? words.none}</Fact>
        <Fact name={w.model}>{ai.model ?? words.none}</Fact>
        <Fact name={w.mail}>
          {[
            mail.configured ? w.mailOn : w.mailOff,
            ...(mail.waiting !== null ? [w.mailWaiting(mail.waiting)] : []),
            ...(mail.failed !== null && mail.failed > 0 ? [w.mailGivenUp(mail.failed)] : []),
          ].join(', ')}
        </Fact>
        <Fact name={w.storage}>
          {storage.type === 'local' ? w.localFolder : storage.type}, {storage.writable ? w.writable : w.notWritable}
        </Fact>
        <Fact name={w.jobs}>
          {workers.queue_depth}
          {workers.oldest_job_seconds !== null && `, ${w.oldestFor(duration(workers.oldest_job_seconds))}`}
        </Fact>
        <Fact name={w.audit}>
          {audit.unsealed_seconds === 0 ? w.sealed : w.unsealed(duration(audit.unsealed_seconds))}
          {audit.stopped > 0 && `, ${w.stopped(audit.stopped)}`}
        </Fact>
        <Fact name={w.anchors}>
          {audit.anchors.length === 0
            ? words.none
            : audit.anchors
                .map(
                  ({ target, anchored_at, trouble }) =>
                    `${target}${trouble ? `: ${w.anchorFails}` : anchored_at ? `, ${words.ago(duration((time - Date.parse(anchored_at)) / 1000))}` : ''}`,
                )
                .join('; ')}
        </Fact>
        <Fact name={w.requests}>{api.requests_in_flight}</Fact>
        <Fact name={w.lag}>{api.event_loop_lag_ms} ms</Fact>
        <Fact name={w.uptime}>{duration(uptime_seconds)}</Fact>
        <Fact name={w.version}>{version}</Fact>
        <Fact name={w.release}>{release || w.notStated}</Fact>
      </dl>
    </div>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function useSummary({ dependencies }: Report): string {
  const { health: w } = usePanelWords()
  const { list } = useFormat()
  const withStatus = (status: string) =>
    dependencies.filter(each => each.status === status).map(({ name }) => w.names[name])
  const troubles = (['Down', 'Degraded'] as const).flatMap(status => {
    const names = withStatus(status)
    const state = status === 'Down' ? 'down' : 'degraded'
    return names.length > 0 ? [w.are(list(names, 'conjunction'), names.length, state)] : []
  })
  if (troubles.length > 0) return troubles.join(' ')
  const absent = withStatus('Not configured').length
  return absent > 0 ? w.someSetUp(dependencies.length - absent, dependencies.length) : w.allSetUp
}

const Skeleton = () => (
  <div className={styles.skeleton} aria-hidden="true">
    {Array.from({ length: 8 }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never move
      <div key={index} />
    ))}
  </div>
)

/** Shown to a tenant's user, and to a platform user who has no second factor yet. */
function Refused({ session: { user }, failure }: { session: Session; failure: Problem }) {
  const { refused: w } = usePanelWords()
  const isTenants = user.role !== 'PlatformAdmin'
  return (
    <section className={styles.refused} role="alert">
      <h1>{w.title}</h1>
      {isTenants ? (
        <>
          <p>{w.tenant(user.username, user.role)}</p>
          <p>{w.why}</p>
          <p>{w.next}</p>
        </>
      ) : (
        <p>
          {w.answers(user.username)} {failure.message}
        </p>
      )}
    </section>
  )
}
