import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { askPage } from '../../api/queries.ts'
import { SeverityMark } from '../../ui/severity.tsx'
import { Status } from '../../ui/status.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useFormat } from '../../words/index.ts'
import styles from './report-page.module.css'
import { useReportWords } from './report-words.ts'

const fewest = 15
const most = 3
/** Below this, they share a word, and not what happened. */
const leastScore = 0.3

/** Deviations like the one that is being described: it may have been reported already, or be a recurrence. */
export function Similar({ text }: { text: string }) {
  const w = useReportWords()
  const { day } = useFormat()
  const q = useLater(text.trim(), 700)
  const { data } = useQuery({
    ...askPage('GET /api/deviations/similar', { query: { q, limit: most } }),
    enabled: q.length >= fewest,
  })
  const items = (data?.items ?? []).filter(({ score }) => score >= leastScore)
  if (q.length < fewest || items.length === 0) return null
  return (
    <section className={styles.similar} aria-labelledby="similar">
      <h2 id="similar">{w.similar}</h2>
      <ul>
        {items.map(({ id, number, title, severity, status, detected_at, why }) => (
          <li key={id}>
            <Link to="/deviations/$id" params={{ id }}>
              <span className="number">{number}</span> {title}
            </Link>
            <p>
              <SeverityMark of={severity} /> <Status of={status} size="s" />{' '}
              <span className="soft">{day(detected_at)}</span>
            </p>
            <p className="soft">{why.join(' · ')}</p>
          </li>
        ))}
      </ul>
      <p className="soft">{w.similarHint}</p>
    </section>
  )
}
