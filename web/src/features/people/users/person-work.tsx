import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Answer } from '../../../api/client.ts'
import { ask } from '../../../api/queries.ts'
import { pageOf } from '../../../app/addresses.ts'
import { NotRead } from '../../../ui/notes.tsx'
import { useFormat } from '../../../words/index.ts'
import { Section } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import type { User } from './user-page.tsx'

export type OpenWork = Answer<'GET /api/users/{id}/open-work'>
export type Kind = OpenWork['items'][number]['kind']

export const kindsIn = ({ counts }: OpenWork) => (Object.keys(counts) as Kind[]).filter(kind => counts[kind] > 0)
export const totalOf = ({ counts }: OpenWork) => Object.values(counts).reduce((sum, each) => sum + each, 0)

/** What waits for this person, and would have to be handed over. */
export function PersonWork({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  const { data, error, refetch } = useQuery(ask('GET /api/users/{id}/open-work', { path: { id: user.id } }))
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={6} />
  return (
    <Section title={w.work} about={w.workHint}>
      {kindsIn(data).length === 0 && <p className={styles.none}>{w.nothingOpen}</p>}
      {kindsIn(data).map(kind => (
        <WorkOfKind key={kind} kind={kind} work={data} />
      ))}
    </Section>
  )
}

function WorkOfKind({ kind, work }: { kind: Kind; work: OpenWork }) {
  const { user: w } = usePeopleWords()
  const { day } = useFormat()
  const items = work.items.filter(each => each.kind === kind)
  const more = work.counts[kind] - items.length
  return (
    <div>
      <h3>
        {w.kinds[kind]} <span className="soft">{work.counts[kind]}</span>
      </h3>
      <ul className={styles.list}>
        {items.map(({ id, number, title, due_date, link }) => {
          const to = pageOf(link)
          const name = (
            <>
              <span className="number">{number}</span> {title}
            </>
          )
          return (
            <li key={id}>
              <div>{to ? <Link to={to as '/'}>{name}</Link> : name}</div>
              {due_date && <span className="soft">{w.due(day(due_date))}</span>}
            </li>
          )
        })}
      </ul>
      {more > 0 && <p className="soft">{w.more(more)}</p>}
    </div>
  )
}
