import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CircleCheck, OctagonAlert } from 'lucide-react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { FactList } from '../../records/fact-list.tsx'
import { Outcome } from '../../records/outcome.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import styles from '../../records/review.module.css'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { FilterInWords } from './filter-in-words.tsx'
import { usePeriod } from './reviews-page.tsx'

/** What somebody reviewed, what they found, and whether it is still there. */
export function ReviewPage() {
  const { audit, signatures: s } = useEvidenceWords()
  const w = audit.reviews
  const { locale, moment } = useFormat()
  const { id } = useParams({ from: '/app/audit/reviews/$id' })
  const period = usePeriod()
  const { data, error, refetch } = useQuery(ask('GET /api/audit/reviews/{id}', { path: { id } }))
  useTitle(data ? w.of(id) : undefined)
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const { outcome, findings, reviewer, entries, own_entries, first_seq, last_seq, checkpoint, signature } = data
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.auditReviews}
        back={w.back}
        number={w.of(id)}
        title={period(data)}
        state={
          <>
            <Outcome of={outcome} name={w.outcomes[outcome]} />
            <Person of={reviewer} />
            <time className="soft" dateTime={signature.signed_at}>
              {moment(signature.signed_at)}
            </time>
          </>
        }
      />
      <div className={styles.body}>
        <p className={data.still_matches ? styles.good : styles.bad} role={data.still_matches ? undefined : 'alert'}>
          {data.still_matches ? (
            <CircleCheck size={16} aria-hidden="true" />
          ) : (
            <OctagonAlert size={16} aria-hidden="true" />
          )}
          {data.still_matches ? w.matches : w.differs}
        </p>
        {data.later_entries > 0 && <p className={styles.warned}>{w.later(data.later_entries)}</p>}
        {findings !== null && (
          <section>
            <h2>{w.theFindings}</h2>
            <p className={styles.text}>{findings}</p>
          </section>
        )}
        <section>
          <h2>{w.step1}</h2>
          <FactList
            facts={[
              [w.filter, <FilterInWords key="filter" of={data.filter} />],
              [w.entries, `${entries.toLocaleString(locale)}, ${w.own(own_entries)}`],
              [w.seq, w.seqOf(first_seq.toLocaleString(locale), last_seq.toLocaleString(locale))],
              [w.digest, <code key="digest">{data.entries_sha256}</code>],
              [
                w.checkpoint,
                <code key="note" className={styles.note}>
                  {checkpoint.note}
                </code>,
              ],
            ]}
          />
        </section>
        <section>
          <h2>{w.signature}</h2>
          <FactList
            facts={[
              [s.facts.signer, `${nameOf(signature.signer)}, ${signature.signer.role}`],
              [s.facts.intent, signature.intent],
              [
                s.facts.code,
                <Link key="signature" to={paths.signature} params={{ id: signature.id }}>
                  {signature.verification_code}
                </Link>,
              ],
            ]}
          />
        </section>
      </div>
    </div>
  )
}
