import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { ask } from '../../api/queries.ts'
import { pageOf } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import { useSeries } from '../../app/series.ts'
import type { Member } from '../../app/series-members.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, NotRead } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import styles from './series-page.module.css'

/** The end of a series of approvals: what was signed, and what was left. */
export function SeriesPage() {
  const { series: w, work } = useWords()
  const navigate = useNavigate()
  const { members, begin, end } = useSeries()
  // What others did meanwhile counts: the page says what still waits.
  const pending = { ...ask('GET /api/dashboard/pending-approvals', { query: { limit: 50 } }), staleTime: 0 }
  const { data, error, refetch } = useQuery(pending)
  useTitle(w.title)
  if (members.length === 0)
    return (
      <div className={styles.page}>
        <h1>{w.title}</h1>
        <Empty icon={ListChecks} title={w.none}>
          <p>{w.noneHint}</p>
          <p>
            <Link to={paths.work}>{work.title}</Link>
          </p>
        </Empty>
      </div>
    )
  if (error || !data) return <NotRead error={error} onRetry={refetch} />

  const by = (...outcomes: Member['outcome'][]) => members.filter(({ outcome }) => outcomes.includes(outcome))
  const left = by('skipped', undefined)
  const waiting = new Set(data.documents.map(({ link }) => pageOf(link)))
  const toDo = left.filter(({ page }) => waiting.has(page))
  const goOn = () => {
    begin(toDo)
    void navigate({ href: toDo[0]!.page })
  }
  const close = () => {
    end()
    void navigate({ to: paths.work })
  }
  return (
    <div className={styles.page}>
      <header>
        <h1>{w.title}</h1>
        <p className="soft">{w.sum(members.length - left.length, members.length)}</p>
      </header>
      <Group title={w.signed} members={by('signed')} />
      <Group title={w.approved} members={by('approved')} />
      <Group title={w.rejected} members={by('rejected')} />
      <Group
        title={w.left}
        members={left}
        detail={({ page, outcome }) => (!waiting.has(page) ? w.settled : outcome ? w.outcomes[outcome] : w.notOpened)}
      />
      <div className="row at-end" data-print="none">
        <Button look={toDo.length > 0 ? 'plain' : 'main'} onPress={close}>
          {w.close}
        </Button>
        {toDo.length > 0 && (
          <Button look="main" onPress={goOn}>
            {w.goOn(toDo.length)}
          </Button>
        )}
      </div>
    </div>
  )
}

interface GroupProps {
  title: string
  members: Member[]
  detail?: (member: Member) => string
}

function Group({ title, members, detail }: GroupProps) {
  if (members.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="soft">{members.length}</span>
      </h2>
      <ul className={styles.list}>
        {members.map(member => (
          <li key={member.page}>
            <span>
              <span className="number">{member.number}</span> <Link to={member.page}>{member.title}</Link>
            </span>
            {detail && <span className="soft">{detail(member)}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
