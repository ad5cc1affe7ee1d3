import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask } from '../../api/queries.ts'
import { Disposed } from '../../records/retention.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import styles from './versions.module.css'

export function Versions({ id, shown }: { id: number; shown: string }) {
  const { document: w, reading: r } = useWords()
  const { moment } = useFormat()
  const { data, error, refetch } = useQuery(
    ask('GET /api/documents/{id}/versions', { path: { id }, query: { page_size: 100, sort: 'id:desc' } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const newest = data.toSorted((a, b) => b.id - a.id)
  return (
    <ol className={styles.versions}>
      {newest.map(({ version, status, change_type, change_reason, created_at, created_by, file: { removal } }, at) => {
        const before = newest[at + 1]?.version
        return (
          <li key={version} aria-current={version === shown ? 'true' : undefined}>
            <Link to="/documents/$id" params={{ id }} search={{ version }}>
              {w.versionOf(version)}
            </Link>
            <Status of={status} />
            {removal?.disposal && <Disposed of={{ ...removal.disposal, disposed_on: removal.decided_at }} />}
            <p className="soft">
              {w.change[change_type]}
              {change_reason && `: ${change_reason}`}
            </p>
            <p className={styles.made}>
              <Person of={created_by} />
              <time className="soft" dateTime={created_at}>
                {moment(created_at)}
              </time>
              {before && (
                <Link to="/documents/$id/compare" params={{ id }} search={{ from: before, to: version }}>
                  {r.compareWith(before)}
                </Link>
              )}
            </p>
          </li>
        )
      })}
    </ol>
  )
}
