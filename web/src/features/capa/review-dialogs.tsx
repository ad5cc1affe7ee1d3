import { useState } from 'react'
import { call } from '../../api/client.ts'
import { Written } from '../../records/case/part.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { behalfOf } from '../../records/dialogs/acting-for.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { PersonField } from '../../records/fields/person-field.tsx'
import { RecordPicker } from '../../records/fields/record-picker.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Choice } from '../../ui/choice.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import type { Capa, Review } from './capa.ts'
import styles from './reviews.module.css'
import { useCapaWords } from './words.ts'

const methods = ['data_review', 'trend', 're_audit', 'monitoring', 'sampling', 'feedback'] as const

interface PlanProps {
  capa: Capa
  /** Missing: a new one. */
  review?: Review
  onClose: () => void
}

/** By what it will be judged, how, when and by whom. */
export function PlanReviewDialog({ capa, review, onClose }: PlanProps) {
  const w = useCapaWords()
  const acts = useActWords()
  const cases = useCaseWords()
  const { id, number, title, revision, status } = capa
  const { fields, change, forget } = useFormDraft(`review ${review?.id ?? 'new'} ${useMe().id} ${id}`, {
    criteria: review?.criteria ?? '',
    method: (review?.method ?? '') as string,
    due_date: review?.due_date ?? '',
    change_reason: '',
  })
  const [reviewer, setReviewer] = useState(review?.reviewer.id)
  const [isTried, setTried] = useState(false)
  const missing = (isMissing: boolean, text: string) => (isTried && isMissing ? text : undefined)
  // It is judged as it was verified, so the criteria no longer change.
  const isFixed = review !== undefined && status === 'pending_effectiveness'
  const bind = bindingOf(fields, change)
  return (
    <ActDialog
      title={review ? w.changeReview : w.planReview}
      about={<Subject of={{ number, title }} />}
      size="m"
      revision={review?.revision ?? revision}
      isComplete={() => {
        setTried(true)
        return fields.criteria.trim() !== '' && fields.method !== '' && fields.due_date !== '' && reviewer !== undefined
      }}
      send={sent => {
        const plan = {
          criteria: fields.criteria.trim(),
          method: fields.method as Review['method'],
          due_date: fields.due_date,
          reviewer_id: reviewer!,
        }
        if (!review) return call('POST /api/capa/{id}/effectiveness', { path: { id }, body: plan })
        const reason = fields.change_reason.trim()
        return call('PUT /api/capa/{id}/effectiveness/{review_id}', {
          path: { id, review_id: review.id },
          body: { ...plan, revision: sent, ...(reason && { change_reason: reason }) },
        })
      }}
      onDone={() => {
        forget()
        announce(w.reviewPlanned)
      }}
      onClose={onClose}
      onCancel={() => {
        forget()
        onClose()
      }}
      submit={review ? cases.save : w.planReview}
    >
      {problem => (
        <>
          <Field
            label={w.criteria}
            hint={isFixed ? w.criteriaFixed : w.criteriaHint}
            rows={4}
            isRequired
            isReadOnly={isFixed}
            {...bind('criteria')}
            wrong={problem?.of('criteria') ?? missing(!fields.criteria.trim(), w.missing.criteria)}
          />
          <Select
            label={w.reviewMethod}
            isRequired
            isDisabled={isFixed}
            options={methods.map(each => ({ id: each, name: w.methods[each] }))}
            {...bind('method')}
            wrong={problem?.of('method') ?? missing(fields.method === '', w.missing.method)}
          />
          <DayField
            label={w.reviewDue}
            isRequired
            {...bind('due_date')}
            wrong={problem?.of('due_date') ?? missing(fields.due_date === '', cases.missingDay)}
          />
          <PersonField
            label={w.reviewer}
            hint={w.reviewerHint}
            chosen={review?.reviewer}
            isRequired
            onChange={setReviewer}
            wrong={problem?.of('reviewer_id') ?? missing(reviewer === undefined, acts.missing.person)}
          />
          {review && <Field label={acts.changeReason} {...bind('change_reason', problem)} />}
        </>
      )}
    </ActDialog>
  )
}

type Result = 'effective' | 'not_effective'

/** What the review found, below what it was to be judged by. It is signed. */
export function ResultDialog({ capa, review, onClose }: { capa: Capa; review: Review; onClose: () => void }) {
  const w = useCapaWords()
  const acts = useActWords()
  const { today, day } = useFormat()
  const { id: ownId, tenant } = useMe()
  const { id, revision, criteria, due_date } = review
  const { fields, change, forget } = useFormDraft(`result ${ownId} ${id}`, {
    result: '' as Result | '',
    conclusion: '',
    evidence: '',
    follow_up: '',
    follow_up_capa_id: undefined as number | undefined,
    follow_up_name: '',
  })
  const { result } = fields
  const isEarly = due_date > today(tenant?.time_zone)
  const given = (text: string) => text.trim() || undefined
  const bind = bindingOf(fields, change)
  return (
    <SignDialog<'PUT /api/capa/{id}/effectiveness/{review_id}'>
      of={{ id, revision, number: capa.number, title: capa.title }}
      page={`/capa/${capa.id}`}
      title={w.recordResult}
      meaning={result === '' ? w.meanings.review : w.meanings[result]}
      draft="review result"
      behalf={behalfOf(review.you, 'complete')}
      remark={{ label: isEarly ? w.whyEarly(day(due_date)) : acts.changeReason, isRequired: isEarly }}
      act={reason => ({
        name: 'PUT /api/capa/{id}/effectiveness/{review_id}',
        path: { id: capa.id, review_id: id },
        body: {
          // The service says at its field what is missing.
          ...(result !== '' && { result }),
          ...(given(fields.conclusion) && { conclusion: fields.conclusion.trim() }),
          ...(given(fields.evidence) && { evidence: fields.evidence.trim() }),
          ...(result === 'not_effective' && given(fields.follow_up) && { follow_up: fields.follow_up.trim() }),
          ...(result === 'not_effective' &&
            fields.follow_up_capa_id !== undefined && { follow_up_capa_id: fields.follow_up_capa_id }),
          ...(reason !== undefined && { change_reason: reason }),
        },
      })}
      submit={w.signResult}
      onDone={() => {
        forget()
        announce(w.resultRecorded)
      }}
      onClose={onClose}
    >
      {problem => (
        <>
          <div className={styles.criteria}>
            <p className="soft">{w.criteria}</p>
            <Written text={criteria} />
          </div>
          <Choice<Result>
            label={w.result}
            isRequired
            options={[
              { id: 'effective', name: w.results.effective },
              { id: 'not_effective', name: w.results.not_effective },
            ]}
            value={result}
            onChange={next => change({ result: next })}
            wrong={problem?.of('result') && w.missing.result}
          />
          <Field label={w.conclusion} rows={3} isRequired {...bind('conclusion', problem)} />
          <Field label={w.evidence} rows={2} {...bind('evidence', problem)} />
          {result === 'not_effective' && (
            <>
              <Field label={w.followUp} hint={w.followUpHint} rows={2} {...bind('follow_up', problem)} />
              <RecordPicker
                label={w.followUpCapa}
                kinds={['capa']}
                shown={fields.follow_up_name}
                onChange={found =>
                  change({
                    follow_up_capa_id: found?.id,
                    follow_up_name: found ? `${found.number} ${found.title}` : '',
                  })
                }
                wrong={problem?.of('follow_up_capa_id')}
              />
            </>
          )}
        </>
      )}
    </SignDialog>
  )
}
