import { useRef, useState } from 'react'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { Button } from '../../ui/button.tsx'
import { Person } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat } from '../../words/index.ts'
import type { Assignment } from './standing.tsx'
import styles from './verify-dialog.module.css'
import { useTrainingWords } from './words.ts'

interface Props {
  assignment: Assignment
  onDone?: () => void
  onClose: () => void
  /** Of a series: which one it is, and how to leave it out. */
  place?: { at: number; of: number; onSkip: () => void }
}

/** A trainer signs that what was completed was done properly. */
export function VerifyDialog({ assignment, onDone, onClose, place }: Props) {
  const { verify: w, doing } = useTrainingWords()
  const { moment } = useFormat()
  const {
    assignment_id: id,
    training_id,
    revision,
    number,
    title,
    user,
    completed_at,
    score,
    document_version,
  } = assignment
  return (
    <SignDialog
      of={{ id, revision, number, title }}
      page={`/training/assignments/${id}`}
      title={w.title}
      meaning={w.meaning}
      draft="verify training"
      remark={{ label: w.remark, isRequired: false }}
      changed={doing.changed}
      act={comment => ({
        name: 'POST /api/training/assignments/{id}/verify',
        path: { id },
        body: { ...(comment && { comment }) },
      })}
      submit={w.submit}
      onDone={() => {
        announce(w.done(number))
        onDone?.()
      }}
      onClose={onClose}
    >
      {() => (
        <div key={training_id}>
          {place && (
            <p className={styles.place}>
              <span role="status">{w.place(place.at, place.of)}</span>
              <Button look="quiet" onPress={place.onSkip}>
                {w.skip}
              </Button>
            </p>
          )}
          <FactList
            facts={[
              [w.trainee, <Person key="trainee" of={user} />],
              [w.completed, completed_at && moment(completed_at)],
              [w.version, document_version],
              [w.score, score !== null && `${score} %`],
            ]}
          />
        </div>
      )}
    </SignDialog>
  )
}

/** Several, one after the other: each is seen, and signed by itself. */
export function VerifySeries({ all, onClose }: { all: Assignment[]; onClose: () => void }) {
  const [at, setAt] = useState(0)
  const isDone = useRef(false)
  const goOn = () => {
    if (at + 1 < all.length) setAt(at + 1)
    else onClose()
  }
  const assignment = all[at]!
  return (
    <VerifyDialog
      key={assignment.assignment_id}
      assignment={assignment}
      place={{ at: at + 1, of: all.length, onSkip: goOn }}
      onDone={() => {
        isDone.current = true
      }}
      onClose={() => {
        if (!isDone.current) return onClose()
        isDone.current = false
        goOn()
      }}
    />
  )
}
