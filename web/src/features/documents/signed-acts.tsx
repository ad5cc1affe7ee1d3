import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useActWords } from '../../words/acts.ts'
import { useFormat, useStateName, useWords } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  onClose: () => void
}

export function ObsoleteDialog({ document, workflow, onClose }: Props) {
  const w = useActWords()
  const { sign } = useWords()
  const stateName = useStateName()
  // A workflow of the tenant's own may call it otherwise.
  const own = workflow.state.kind === 'effective' ? workflow.you.may.find(each => each !== 'approve') : undefined
  return (
    <SignDialog
      of={document}
      page={`/documents/${document.id}`}
      version={document.effective_version!}
      title={w.obsolete.title}
      meaning={w.obsolete.meaning}
      draft="obsolete"
      remark={{ label: w.obsolete.reason, isRequired: true }}
      act={comment => ({
        name: 'POST /api/documents/{id}/transition',
        path: { id: document.id },
        body: { transition: own ?? 'obsolete', ...(comment !== undefined && { comment }) },
      })}
      submit={w.obsolete.submit}
      look="danger"
      note={w.obsolete.note}
      onDone={({ number, status }) => announce(sign.done(number), sign.nowIs(stateName(status)))}
      onClose={onClose}
    />
  )
}

/** Of one's own approval; it is signed where the approval was. */
export function TakeBackDialog({ document, workflow, onClose }: Props) {
  const w = useActWords()
  const { sign } = useWords()
  const stateName = useStateName()
  const { id } = useMe()
  const own = workflow.decisions.findLast(
    ({ user, decision, is_void }) => user.id === id && decision === 'approve' && !is_void,
  )
  return (
    <SignDialog
      of={document}
      page={`/documents/${document.id}`}
      version={workflow.version}
      title={w.takeBack.title}
      meaning={own?.signature_id == null ? undefined : w.takeBack.meaning}
      draft="take-back"
      remark={{ label: w.reason, isRequired: true }}
      act={reason => ({
        name: 'POST /api/documents/{id}/withdraw-approval',
        path: { id: document.id },
        body: { reason: reason ?? '' },
      })}
      submit={w.takeBack.submit}
      look="danger"
      onDone={({ number, status, pending_version }) =>
        announce(w.takeBack.done(number), sign.nowIs(stateName(pending_version?.status ?? status)))
      }
      onClose={onClose}
    />
  )
}

type Outcome = 'keep_effective' | 'needs_revision' | 'make_obsolete'

export function ReviewDialog({ document, onClose }: Props) {
  const w = useActWords()
  const { day, today } = useFormat()
  const { tenant } = useMe()
  const whyNotObsolete = useWhyNot('documents.obsolete')
  const [outcome, setOutcome] = useState<Outcome | ''>('')
  const [next, setNext] = useState('')
  const due = document.review_due_date
  return (
    <SignDialog
      of={document}
      page={`/documents/${document.id}`}
      version={document.effective_version!}
      title={w.review.title}
      meaning={outcome === '' ? w.review.meansAny : w.review.means[outcome]}
      draft="review"
      remark={{ label: w.review.comment, isRequired: true }}
      act={comment => ({
        name: 'POST /api/documents/{id}/periodic-review',
        path: { id: document.id },
        body: {
          // The service says at its field that it is missing.
          outcome: outcome as Outcome,
          comment: comment ?? '',
          ...(outcome === 'keep_effective' && next && { next_review_date: next }),
        },
      })}
      submit={w.review.submit}
      onDone={({ number, review_due_date }) =>
        announce(w.review.done(number), review_due_date ? w.review.nextOn(day(review_due_date)) : undefined)
      }
      onClose={onClose}
      note={due && due < today(tenant?.time_zone) && w.review.overdue(day(due))}
    >
      {error => (
        <>
          <Choice<Outcome>
            label={w.review.outcome}
            isRequired
            options={[
              { id: 'keep_effective', name: w.review.outcomes.keep_effective },
              { id: 'needs_revision', name: w.review.outcomes.needs_revision },
              {
                id: 'make_obsolete',
                name: w.review.outcomes.make_obsolete,
                detail: whyNotObsolete,
                isDisabled: whyNotObsolete !== undefined,
              },
            ]}
            value={outcome}
            onChange={setOutcome}
            wrong={error?.of('outcome') && w.review.missing}
          />
          {outcome === 'keep_effective' && (
            <DayField
              label={w.review.next}
              hint={w.review.nextHint}
              value={next}
              onChange={setNext}
              wrong={error?.of('next_review_date')}
            />
          )}
        </>
      )}
    </SignDialog>
  )
}
