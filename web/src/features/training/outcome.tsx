import { Link } from '@tanstack/react-router'
import { CircleCheck, CircleSlash, CircleX, Download, Hourglass } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { FactList } from '../../records/fact-list.tsx'
import { Button } from '../../ui/button.tsx'
import { nameOf } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { useFormat } from '../../words/index.ts'
import { standingOf } from './standing.tsx'
import styles from './training-page.module.css'
import type { Assignment, Program } from './training-steps.ts'
import { useTrainingWords } from './words.ts'

/** How a training ended, and what holds since. */
export function Outcome({ program, mine }: { program: Program; mine: Assignment }) {
  const { outcome: w, doing, areas } = useTrainingWords()
  const { day, moment } = useFormat()
  const standing = standingOf(mine)
  const { completed_at, score, valid_until, document, document_version, reason, verification } = mine
  const looks = {
    completed: [CircleCheck, styles.good],
    awaiting_verification: [Hourglass, styles.waiting],
    failed: [CircleX, styles.bad],
  } as const
  const [Icon, look] = looks[standing as keyof typeof looks] ?? [CircleSlash, styles.idle]
  return (
    <section className={styles.result} aria-label={w.title[standing]}>
      <Icon size={30} aria-hidden="true" className={look} />
      <h2>{w.title[standing]}</h2>
      <p>{w.hint[standing]}</p>
      {reason && standing !== 'completed' && <p className="soft">{reason}</p>}
      <FactList
        facts={[
          [w.completed, completed_at && moment(completed_at)],
          [
            w.read,
            document && document_version && (
              <Link to="/documents/$id" params={{ id: document.id }} search={{ version: document_version }}>
                {document.number} {doing.version(document_version)}
              </Link>
            ),
          ],
          [w.score, score !== null && w.scored(score, program.passing_score)],
          [w.valid, completed_at && (valid_until === null ? doing.noEnd : w.until(day(valid_until)))],
          [
            w.verified,
            verification.verified_by &&
              w.verifiedBy(nameOf(verification.verified_by), moment(verification.verified_at!)),
          ],
        ]}
      />
      <div className={styles.buttons}>
        {completed_at && (
          <Button
            icon={Download}
            onPress={() =>
              save(addressOf('GET /api/training/assignments/{id}/record.pdf', { path: { id: mine.assignment_id } }))
            }
          >
            {w.record}
          </Button>
        )}
        <Link to="/training" className={styles.toList}>
          {areas.mine}
        </Link>
      </div>
    </section>
  )
}
