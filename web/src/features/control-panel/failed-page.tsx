import { CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat } from '../../words/index.ts'
import { type AnswerOf, call } from './client.ts'
import styles from './control-panel.module.css'
import { PageHead } from './page-head.tsx'
import { Scrolled } from './scrolled.tsx'
import type { PageProps } from './session.ts'
import { useToken } from './session.ts'
import { usePanelQuery } from './use-panel-query.ts'
import { usePanelWords } from './words.ts'

type Failed = AnswerOf<'GET /api/platform/failed-work'>['items'][number]

interface Retry {
  tenant: Failed['tenant']
  work: Failed['work']
  count: number
}

/** What failed in which tenant, by kind, and can be tried again? */
export function FailedPage({ onSessionEnded }: PageProps) {
  const { failed: w, pages } = usePanelWords()
  const { day, moment } = useFormat()
  const [retrying, setRetrying] = useState<Retry>()
  const { data, error, refetch } = usePanelQuery('GET /api/platform/failed-work', undefined, { onSessionEnded })
  const tenants = [...Map.groupBy(data?.items ?? [], ({ tenant }) => tenant.id).values()]
  return (
    <>
      <PageHead title={pages.failed} about={data ? w.about(day(data.since)) : ' '} />
      {error && error.status !== 401 ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} />
      ) : tenants.length === 0 ? (
        <Empty icon={CircleCheck} title={w.none}>
          <p>{w.noneHint}</p>
        </Empty>
      ) : (
        tenants.map(items => {
          const { tenant } = items[0]!
          const ofWork = (work: Failed['work']) =>
            items.filter(each => each.work === work).reduce((sum, { count }) => sum + count, 0)
          return (
            <div key={tenant.id} className={styles.tenant}>
              <div className={styles.sectionHead}>
                <h2>{tenant.name}</h2>
                <div className={styles.tools}>
                  {(['mail', 'job'] as const).map(work => {
                    const act = work === 'mail' ? w.retryMails : w.retryJobs
                    const count = ofWork(work)
                    return (
                      count > 0 && (
                        <Button
                          key={work}
                          aria-label={w.retryAll(act, tenant.name)}
                          onPress={() => setRetrying({ tenant, work, count })}
                        >
                          {act}
                        </Button>
                      )
                    )
                  })}
                </div>
              </div>
              <Scrolled label={tenant.name}>
                <table className={styles.table}>
                  <caption className="visually-hidden">{tenant.name}</caption>
                  <thead>
                    <tr>
                      {[w.what, w.count, w.last, w.reason].map(each => (
                        <th key={each} scope="col">
                          {each}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {items.map(({ work, kind, reason, count, last_at }) => (
                      <tr key={`${work} ${kind} ${reason}`}>
                        <th scope="row">
                          {w.works[work]}: {w.kinds[kind] ?? w.other}
                        </th>
                        <td>{count}</td>
                        <td>{moment(last_at)}</td>
                        <td>{work === 'job' ? <span className="soft">{w.reasonHidden}</span> : reason}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </Scrolled>
            </div>
          )
        })
      )}
      {retrying && (
        <RetryDialog
          of={retrying}
          onClose={() => {
            setRetrying(undefined)
            void refetch()
          }}
        />
      )}
    </>
  )
}

function RetryDialog({ of: { tenant, work, count }, onClose }: { of: Retry; onClose: () => void }) {
  const { failed: w } = usePanelWords()
  const token = useToken()
  const isMail = work === 'mail'
  return (
    <ActDialog
      title={isMail ? w.mailsTitle : w.jobsTitle}
      about={tenant.name}
      revision={0}
      submit={isMail ? w.retryMails : w.retryJobs}
      send={() =>
        isMail
          ? call('POST /api/platform/tenants/{id}/retry-mails', { token, path: { id: tenant.id } })
          : call('POST /api/platform/tenants/{id}/retry-jobs', { token, path: { id: tenant.id } })
      }
      onDone={({ retried }) => announce(isMail ? w.mailsDone(retried) : w.jobsDone(retried))}
      onClose={onClose}
    >
      {() => <p>{isMail ? w.mailsHint(count) : w.jobsHint(count)}</p>}
    </ActDialog>
  )
}
