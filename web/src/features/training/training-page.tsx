import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CalendarClock, Hourglass, UserRoundX } from 'lucide-react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { FactList } from '../../records/fact-list.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { DoTraining } from './do-training.tsx'
import { Outcome } from './outcome.tsx'
import { isOpen, Standing } from './standing.tsx'
import styles from './training-page.module.css'
import type { Program } from './training-steps.ts'
import { useTrainingWords } from './words.ts'

/** A training program for the person who does it. */
export function TrainingPage() {
  const { id } = useParams({ from: '/app/training/$id' })
  const { areas, types, doing: w } = useTrainingWords()
  const { day } = useFormat()
  const { data: program, error, refetch } = useQuery(ask('GET /api/training/{id}', { path: { id } }))
  useTitle(program && `${program.number} ${program.title}`)
  // What was read before stays in sight while the service does not answer: somebody may be in the middle of a question.
  if (error && !program) return <Unreadable error={error} onRetry={() => void refetch()} />
  if (!program) return <Loading lines={12} />
  const { my_assignment: mine } = program
  return (
    <div className={styles.page}>
      <RecordHead
        list={paths.training}
        back={areas.mine}
        number={program.number}
        title={program.title}
        state={
          <>
            {mine && <Standing of={mine} />}
            <span>{types[program.type]}</span>
            {mine && isOpen(mine) && (
              <span className={styles.due}>
                <CalendarClock size={14} aria-hidden="true" />
                {w.due(day(mine.due_date))}
              </span>
            )}
          </>
        }
      />
      <Content program={program} />
    </div>
  )
}

function Content({ program }: { program: Program }) {
  const { doing: w } = useTrainingWords()
  const { my_assignment: mine, prerequisites, type } = program
  if (!mine) return <NotAssigned program={program} />
  if (!isOpen(mine)) return <Outcome program={program} mine={mine} />
  if (prerequisites.length > 0)
    return (
      <Empty icon={Hourglass} title={w.waits}>
        <p>{w.waitsHint}</p>
        <ul className={styles.before}>
          {prerequisites.map(({ id, number, title }) => (
            <li key={id}>
              <Link to="/training/$id" params={{ id }}>
                {number} {title}
              </Link>
            </li>
          ))}
        </ul>
      </Empty>
    )
  if (type === 'read_and_understand' && mine.document_version === null)
    return (
      <Empty icon={Hourglass} title={w.notEffective}>
        <p>{w.notEffectiveHint}</p>
      </Empty>
    )
  // Another attempt, or other questions, begin with no answers.
  return (
    <DoTraining key={`${mine.assignment_id} ${mine.attempts} ${program.quiz_version}`} program={program} mine={mine} />
  )
}

/** For who looks at a program that they need not do. */
function NotAssigned({ program }: { program: Program }) {
  const { doing: w } = useTrainingWords()
  const { permissions } = useMe()
  const { id, document, due_days, valid_months, questions, passing_score, description, requires_verification } = program
  return (
    <div className={styles.outline}>
      <p className={styles.notYours}>
        <UserRoundX size={15} aria-hidden="true" />
        {w.notAssigned}
        {permissions.includes('training.manage') && (
          <Link to="/training/programs/$id" params={{ id }}>
            {w.openEditor}
          </Link>
        )}
      </p>
      {description && <p className={styles.description}>{description}</p>}
      <FactList
        facts={[
          [
            w.document,
            document && (
              <Link to="/documents/$id" params={{ id: document.id }}>
                {document.number} {document.title}
              </Link>
            ),
          ],
          [w.dueDays, w.days(due_days)],
          [w.validity, valid_months === null ? w.noEnd : w.months(valid_months)],
          [w.questions, questions.length > 0 && w.passedWith(questions.length, passing_score ?? 0)],
          [w.verification, requires_verification && w.byTrainer],
        ]}
      />
    </div>
  )
}
