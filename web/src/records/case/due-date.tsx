import { useQuery } from '@tanstack/react-query'
import { CalendarPlus, Check, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { useMe } from '../../features/session/session.ts'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Unreadable } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useFormat } from '../../words/index.ts'
import { isOffered, whyNotOf } from '../allowed.ts'
import { ActDialog, Subject } from '../dialogs/act-dialog.tsx'
import type { Case } from './case.ts'
import { Late } from './late.tsx'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

type Extension = Answer<'GET /api/deviations/{id}/extensions'>[number]

interface Props {
  of: Case
  due_date: string
  original_due_date: string
  overdue: boolean
}

/** When it is due, how often that was moved, and a request to move it. */
export function DueDate({ of: record, due_date, original_due_date, overdue }: Props) {
  const w = useCaseWords()
  const { day } = useFormat()
  const { kind, id, you } = record
  const { data, error, refetch } = useQuery(ask(`GET /api/${kind}/{id}/extensions`, { path: { id } }))
  const [isOpen, setOpen] = useState(false)
  const moved = (data ?? []).filter(({ status }) => status === 'approved').length
  return (
    <section aria-labelledby="due">
      <header className={styles.head}>
        <h2 id="due">{w.due}</h2>
        {isOffered(you, 'extend') && (
          <span data-print="none">
            <Button look="quiet" icon={CalendarPlus} whyNot={whyNotOf(you, 'extend')} onPress={() => setOpen(true)}>
              {w.extend}
            </Button>
          </span>
        )}
      </header>
      <p className={styles.due}>
        <Late isLate={overdue}>{day(due_date)}</Late>
        {moved > 0 && <span className="soft">{w.extendedFrom(moved, day(original_due_date))}</span>}
      </p>
      {error && <Unreadable error={error} onRetry={() => void refetch()} />}
      {data
        ?.filter(({ status }) => status === 'requested')
        .map(each => (
          <Request key={each.id} of={record} extension={each} />
        ))}
      {isOpen && <ExtendDialog of={record} due={due_date} onClose={() => setOpen(false)} />}
    </section>
  )
}

function Request({ of: record, extension }: { of: Case; extension: Extension }) {
  const w = useCaseWords()
  const { day } = useFormat()
  const [decision, setDecision] = useState<'approve' | 'reject'>()
  const { to_date, reason, requested_by, you } = extension
  const approve = whyNotOf(you, 'approve')
  return (
    <div className={styles.request}>
      <p>
        <b>{nameOf(requested_by)}</b> {w.asksUntil(day(to_date))}
      </p>
      <blockquote>{reason}</blockquote>
      <div className="row" data-print="none">
        <Button icon={Check} whyNot={approve} onPress={() => setDecision('approve')}>
          {w.approveExtension}
        </Button>
        <Button icon={Undo2} whyNot={whyNotOf(you, 'reject')} onPress={() => setDecision('reject')}>
          {w.rejectExtension}
        </Button>
      </div>
      {decision && (
        <DecideDialog of={record} extension={extension} decision={decision} onClose={() => setDecision(undefined)} />
      )}
    </div>
  )
}

interface DecideProps {
  of: Case
  extension: Extension
  decision: 'approve' | 'reject'
  onClose: () => void
}

function DecideDialog({ of: { kind, id, number, title, revision }, extension, decision, onClose }: DecideProps) {
  const w = useCaseWords()
  const acts = useActWords()
  const { day } = useFormat()
  const [comment, setComment] = useDraft(`${decision} ${useMe().id} ${kind} ${id} ${extension.id}`)
  const [isTried, setTried] = useState(false)
  const isReject = decision === 'reject'
  return (
    <ActDialog
      title={isReject ? w.rejectExtension : w.approveExtension}
      about={<Subject of={{ number, title }} />}
      revision={revision}
      isComplete={() => {
        setTried(true)
        return !isReject || comment.trim() !== ''
      }}
      send={() =>
        call(`POST /api/${kind}/{id}/extensions/{extension_id}/decide`, {
          path: { id, extension_id: extension.id },
          body: { decision, ...(comment.trim() && { comment: comment.trim() }) },
        })
      }
      onDone={() => {
        setComment('')
        announce(isReject ? w.extensionRejected : w.extendedTo(number, day(extension.to_date)))
      }}
      onClose={onClose}
      submit={isReject ? w.rejectExtension : w.approveExtension}
      look={isReject ? 'danger' : 'main'}
    >
      {problem => (
        <>
          <p>{w.asksFromTo(nameOf(extension.requested_by), day(extension.from_date), day(extension.to_date))}</p>
          <Field
            label={isReject ? acts.reason : acts.remark}
            rows={3}
            isRequired={isReject}
            autoFocus
            value={comment}
            onChange={setComment}
            wrong={problem?.of('comment') ?? (isReject && isTried && !comment.trim() ? acts.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

function ExtendDialog({ of: record, due, onClose }: { of: Case; due: string; onClose: () => void }) {
  const w = useCaseWords()
  const acts = useActWords()
  const { day } = useFormat()
  const { kind, id, number, title, revision } = record
  const { fields, change, forget } = useFormDraft(`extend ${useMe().id} ${kind} ${id}`, { due_date: '', reason: '' })
  const [isTried, setTried] = useState(false)
  const bind = bindingOf(fields, change)
  return (
    <ActDialog
      title={w.extendTitle}
      about={<Subject of={{ number, title }} />}
      revision={revision}
      isComplete={() => {
        setTried(true)
        return fields.due_date !== '' && fields.reason.trim() !== ''
      }}
      send={sent =>
        call(`POST /api/${kind}/{id}/extend`, {
          path: { id },
          body: { due_date: fields.due_date, reason: fields.reason.trim(), revision: sent },
        })
      }
      onDone={({ status, to_date }) => {
        forget()
        announce(
          status === 'approved' ? w.extendedTo(number, day(to_date)) : w.extensionRequested,
          w.extensionNext(status),
        )
      }}
      onClose={onClose}
      onCancel={() => {
        forget()
        onClose()
      }}
      submit={w.extend}
    >
      {problem => (
        <>
          <p>{w.dueNow(day(due))}</p>
          <DayField
            label={w.newDue}
            isRequired
            autoFocus
            {...bind('due_date')}
            wrong={problem?.of('due_date') ?? (isTried && !fields.due_date ? w.missingDay : undefined)}
          />
          <Field
            label={acts.reason}
            rows={3}
            isRequired
            {...bind('reason')}
            wrong={problem?.of('reason') ?? (isTried && !fields.reason.trim() ? acts.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}
