import { useQueryClient } from '@tanstack/react-query'
import { CircleCheck, CircleX, Info, ShieldQuestion } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import type { AnswerOf } from './client.ts'
import styles from './control-panel.module.css'
import { PageHead } from './page-head.tsx'
import type { PageProps } from './session.ts'
import { timeText } from './texts.ts'
import { usePanelQuery } from './use-panel-query.ts'
import { usePanelWords } from './words.ts'

type Check = AnswerOf<'GET /api/platform/checks'>['checks'][number]

const marks = {
  ok: { Icon: CircleCheck, tone: styles.good },
  failed: { Icon: CircleX, tone: styles.bad_ },
  note: { Icon: Info, tone: styles.idle },
}
/** What failed first: somebody came to see that. */
const order = ['failed', 'note', 'ok'] as const

/** Is the installation what it should be? Examined when somebody asks, because it reads much. */
export function ChecksPage({ onSessionEnded }: PageProps) {
  const { checks: w, pages } = usePanelWords()
  const client = useQueryClient()
  const wasAsked = client.getQueryData(['GET /api/platform/checks', undefined]) !== undefined
  const { data, error, isFetching, refetch } = usePanelQuery('GET /api/platform/checks', undefined, {
    onSessionEnded,
    isOn: wasAsked,
  })
  return (
    <>
      <PageHead title={pages.checks} about={w.about}>
        <Button look="main" isPending={isFetching} onPress={() => void refetch()}>
          {isFetching ? w.running : w.run}
        </Button>
      </PageHead>
      {error && error.status !== 401 ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        isFetching ? (
          <Loading lines={10} />
        ) : (
          <Empty icon={ShieldQuestion} title={w.never}>
            <p>{w.neverHint}</p>
          </Empty>
        )
      ) : (
        <Found checks={data.checks} time={data.time} />
      )}
    </>
  )
}

function Found({ checks, time }: { checks: Check[]; time: string }) {
  const { checks: w } = usePanelWords()
  const of = (verdict: Check['verdict']) => checks.filter(each => each.verdict === verdict)
  const [failed, ok, notes] = [of('failed').length, of('ok').length, of('note').length]
  return (
    <>
      <p role="status" className={failed > 0 ? styles.bad : styles.note}>
        {failed > 0 ? w.someFailed(failed, failed + ok) : w.allWell(ok)} {notes > 0 && w.notes(notes)}{' '}
        {w.at(timeText(new Date(time)))}
      </p>
      <table className={styles.checks}>
        <caption className="visually-hidden">{w.found}</caption>
        <thead>
          <tr>
            <th scope="col">{w.verdict}</th>
            <th scope="col">{w.check}</th>
            <th scope="col">{w.found}</th>
          </tr>
        </thead>
        <tbody>
          {order.flatMap(of).map(({ about, verdict, details }, index) => {
            const { Icon, tone } = marks[verdict]
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: several checks may be about the same, and they are shown as they came
              <tr key={`${about} ${index}`}>
                <td>
                  <span className={`${styles.state} ${tone}`}>
                    <Icon size={16} aria-hidden="true" />
                    {w.verdicts[verdict]}
                  </span>
                </td>
                <th scope="row">{about}</th>
                <td>
                  {details.map(each => (
                    <p key={each}>{each}</p>
                  ))}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </>
  )
}
