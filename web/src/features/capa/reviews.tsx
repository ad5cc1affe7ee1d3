import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleX, Pencil, PenLine, Plus, Target } from 'lucide-react'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { Late } from '../../records/case/late.tsx'
import { Written } from '../../records/case/part.tsx'
import parts from '../../records/case/parts.module.css'
import { FactList } from '../../records/fact-list.tsx'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { useFormat } from '../../words/index.ts'
import { type Capa, type Review, youOf } from './capa.ts'
import { PlanReviewDialog, ResultDialog } from './review-dialogs.tsx'
import styles from './reviews.module.css'
import { useCapaWords } from './words.ts'

/** Whether it helped: the criteria stand before the result. */
export function Reviews({ of: capa }: { of: Capa }) {
  const w = useCapaWords()
  const { data, error, refetch } = useQuery(ask('GET /api/capa/{id}/effectiveness', { path: { id: capa.id } }))
  const [isPlanning, setPlanning] = useState(false)
  const you = youOf(capa)
  return (
    <section className={parts.part} aria-labelledby="reviews">
      <header className={parts.head}>
        <h2 id="reviews">{w.reviews}</h2>
        {isOffered(you, 'plan_review') && (
          <span data-print="none">
            <Button look="quiet" icon={Plus} whyNot={whyNotOf(you, 'plan_review')} onPress={() => setPlanning(true)}>
              {w.planReview}
            </Button>
          </span>
        )}
      </header>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={3} />
      ) : data.length === 0 ? (
        <p className="soft">{w.noReviews}</p>
      ) : (
        <ol className={styles.reviews}>
          {data.map(review => (
            <OneReview key={review.id} of={review} capa={capa} />
          ))}
        </ol>
      )}
      {isPlanning && <PlanReviewDialog capa={capa} onClose={() => setPlanning(false)} />}
    </section>
  )
}

function OneReview({ of: review, capa }: { of: Review; capa: Capa }) {
  const w = useCapaWords()
  const { day, moment } = useFormat()
  const [act, setAct] = useState<'change' | 'complete'>()
  const {
    number,
    criteria,
    method,
    due_date,
    overdue,
    reviewer,
    result,
    conclusion,
    evidence,
    follow_up,
    follow_up_capa_id,
    you,
  } = review
  const Icon = result === 'effective' ? CircleCheck : result === 'not_effective' ? CircleX : Target
  return (
    <li>
      <header>
        <h3>{w.reviewNumber(number)}</h3>
        <span className={`${styles.result} ${result ? styles[result] : ''}`}>
          <Icon size={14} aria-hidden="true" />
          {result ? w.results[result] : w.planned}
        </span>
      </header>
      <div className={styles.criteria}>
        <p className="soft">{w.criteria}</p>
        <Written text={criteria} />
      </div>
      <FactList
        facts={[
          [w.reviewMethod, w.methods[method]],
          [w.reviewer, <Person key="reviewer" of={reviewer} />],
          [
            w.reviewDue,
            result ? (
              day(due_date)
            ) : (
              <Late key="due" isLate={overdue}>
                {day(due_date)}
              </Late>
            ),
          ],
          [w.conclusion, conclusion],
          [w.evidence, evidence],
          [w.followUp, follow_up],
          [
            w.followUpCapa,
            follow_up_capa_id !== null && (
              <Link key="follow-up" to="/capa/$id" params={{ id: follow_up_capa_id }}>
                {w.openFollowUp}
              </Link>
            ),
          ],
          [w.completed, review.completed_at && moment(review.completed_at)],
        ]}
      />
      {result === null && (
        <div className={styles.buttons} data-print="none">
          {isOffered(you, 'update') && (
            <Button icon={Pencil} whyNot={whyNotOf(you, 'update')} onPress={() => setAct('change')}>
              {w.changeReview}
            </Button>
          )}
          {isOffered(you, 'complete') && (
            <Button
              look={canTake(you, 'complete') ? 'main' : 'plain'}
              icon={PenLine}
              whyNot={whyNotOf(you, 'complete')}
              onPress={() => setAct('complete')}
            >
              {w.recordResult}
            </Button>
          )}
        </div>
      )}
      {act === 'change' && <PlanReviewDialog capa={capa} review={review} onClose={() => setAct(undefined)} />}
      {act === 'complete' && <ResultDialog capa={capa} review={review} onClose={() => setAct(undefined)} />}
    </li>
  )
}
