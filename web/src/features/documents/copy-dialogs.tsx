import { type ReactNode, useState } from 'react'
import { type Answer, call, callForFile } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { PersonField } from '../../records/fields/person-field.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { nameOf } from '../../ui/person.tsx'
import { saveBytes } from '../../ui/save.ts'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useMe } from '../session/session.ts'
import { useCopyWords } from './copy-words.ts'

type Copy = Answer<'GET /api/controlled-copies/'>['items'][number]
type Outcome = 'returned' | 'destroyed' | 'lost'

export function IssueDialog({
  document,
  onClose,
}: {
  document: Answer<'GET /api/documents/{id}'>
  onClose: () => void
}) {
  const w = useCopyWords()
  const acts = useActWords()
  const [to, setTo] = useState<number>()
  const [location, setLocation] = useState('')
  const [purpose, setPurpose] = useState('')
  const [isTried, setTried] = useState(false)
  const version = document.effective_version!
  return (
    <ActDialog
      title={w.issue.title}
      about={<Subject of={document} version={version} />}
      revision={document.revision}
      isComplete={() => {
        setTried(true)
        return to !== undefined && location.trim() !== ''
      }}
      // No revision: it is refused where another version is effective than the one that is meant.
      send={() =>
        call('POST /api/documents/{id}/controlled-copies', {
          path: { id: document.id },
          body: {
            issued_to: to!,
            location: location.trim(),
            version,
            ...(purpose.trim() && { purpose: purpose.trim() }),
          },
        })
      }
      onDone={({ number }) => announce(w.issue.done(number), w.issue.printNext)}
      onClose={onClose}
      submit={w.issue.submit}
    >
      {problem => (
        <>
          <PersonField
            label={w.issue.to}
            isRequired
            onChange={setTo}
            wrong={problem?.of('issued_to') ?? (isTried && to === undefined ? acts.missing.person : undefined)}
          />
          <Field
            label={w.issue.location}
            isRequired
            value={location}
            onChange={setLocation}
            wrong={problem?.of('location') ?? (isTried && !location.trim() ? w.issue.missing : undefined)}
          />
          <Field label={w.issue.purpose} value={purpose} onChange={setPurpose} wrong={problem?.of('purpose')} />
        </>
      )}
    </ActDialog>
  )
}

interface Props {
  copy: Copy
  onClose: () => void
}

interface ReasonedProps<T> extends Props {
  words: { title: string; submit: string; done: (number: string) => string }
  look?: 'main' | 'danger'
  label?: string
  isReasonRequired?: boolean
  isReady?: boolean
  send: (reason: string, revision: number) => Promise<T>
  onDone?: (answer: T) => void
  field?: string
  children?: (problem: Problem | null, isTried: boolean) => ReactNode
}

/** A change of one copy with the reason for it. */
function CopyDialog<T>({
  copy,
  onClose,
  words,
  look = 'main',
  label,
  isReasonRequired = true,
  isReady = true,
  send,
  onDone,
  field = 'change_reason',
  children,
}: ReasonedProps<T>) {
  const w = useActWords()
  const [reason, setReason] = useDraft(`copy ${words.title} ${useMe().id} ${copy.id}`)
  const [isTried, setTried] = useState(false)
  const lacksReason = isReasonRequired && reason.trim() === ''
  return (
    <ActDialog
      title={words.title}
      about={
        <>
          <b>{copy.number}</b> {nameOf(copy.holder)}, {copy.location}
        </>
      }
      revision={copy.revision}
      isComplete={() => {
        setTried(true)
        return !lacksReason && isReady
      }}
      send={revision => send(reason.trim(), revision)}
      onDone={answer => {
        setReason('')
        announce(words.done(copy.number))
        onDone?.(answer)
      }}
      onClose={onClose}
      submit={words.submit}
      look={look}
    >
      {problem => (
        <>
          {children?.(problem, isTried)}
          <Field
            label={label ?? w.reason}
            rows={2}
            isRequired={isReasonRequired}
            value={reason}
            onChange={setReason}
            wrong={problem?.of(field) ?? (isTried && lacksReason ? w.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

export function ReprintDialog({ copy, onClose }: Props) {
  const w = useCopyWords()
  return (
    <CopyDialog
      copy={copy}
      onClose={onClose}
      words={w.reprint}
      field="reason"
      send={reason =>
        callForFile('POST /api/controlled-copies/{id}/print', { path: { id: copy.id }, body: { reason } })
      }
      onDone={bytes => saveBytes(bytes, `${copy.number}.pdf`)}
    />
  )
}

export function RecallDialog({ copy, onClose }: Props) {
  const w = useCopyWords()
  const [due, setDue] = useState('')
  return (
    <CopyDialog
      copy={copy}
      onClose={onClose}
      words={w.recall}
      send={(change_reason, revision) =>
        call('POST /api/controlled-copies/{id}/recall', {
          path: { id: copy.id },
          body: { change_reason, revision, ...(due && { due_date: due }) },
        })
      }
    >
      {problem => (
        <>
          {copy.prints === 0 && <p>{w.recall.cancels}</p>}
          <DayField
            label={w.recall.due}
            hint={w.recall.dueHint}
            value={due}
            onChange={setDue}
            wrong={problem?.of('due_date')}
          />
        </>
      )}
    </CopyDialog>
  )
}

export function TransferDialog({ copy, onClose }: Props) {
  const w = useCopyWords()
  const acts = useActWords()
  const [to, setTo] = useState<number>()
  return (
    <CopyDialog
      copy={copy}
      onClose={onClose}
      words={w.transfer}
      isReady={to !== undefined}
      send={(change_reason, revision) =>
        call('POST /api/controlled-copies/{id}/transfer', {
          path: { id: copy.id },
          body: { holder_id: to!, change_reason, revision },
        })
      }
    >
      {(problem, isTried) => (
        <PersonField
          label={w.transfer.to}
          isRequired
          without={[copy.holder.id]}
          onChange={setTo}
          wrong={problem?.of('holder_id') ?? (isTried && to === undefined ? acts.missing.person : undefined)}
        />
      )}
    </CopyDialog>
  )
}

function OutcomeChoice({
  value,
  onChange,
  wrong,
  without,
}: {
  value: Outcome | ''
  onChange: (outcome: Outcome) => void
  wrong: string | undefined
  without?: Outcome | undefined
}) {
  const w = useCopyWords()
  return (
    <Choice<Outcome>
      label={w.outcome}
      isRequired
      options={(['returned', 'destroyed', 'lost'] as const)
        .filter(each => each !== without)
        .map(id => ({ id, name: w.outcomes[id] }))}
      value={value}
      onChange={onChange}
      wrong={wrong}
    />
  )
}

/** The holder says what became of the copy. */
export function ConfirmDialog({ copy, onClose }: Props) {
  const w = useCopyWords()
  const acts = useActWords()
  const [outcome, setOutcome] = useState<Outcome | ''>('')
  return (
    <CopyDialog
      copy={copy}
      onClose={onClose}
      words={w.confirm}
      label={acts.remark}
      field="comment"
      isReasonRequired={outcome === 'destroyed' || outcome === 'lost'}
      isReady={outcome !== ''}
      send={(comment, revision) =>
        call('POST /api/controlled-copies/{id}/confirm', {
          path: { id: copy.id },
          body: { outcome: outcome as Outcome, revision, ...(comment && { comment }) },
        })
      }
    >
      {(problem, isTried) => (
        <OutcomeChoice
          value={outcome}
          onChange={setOutcome}
          wrong={problem?.of('outcome') ?? (isTried && outcome === '' ? w.missingOutcome : undefined)}
        />
      )}
    </CopyDialog>
  )
}

/** The quality unit records what became of it, which ends the copy. */
export function ReconcileDialog({ copy, onClose }: Props) {
  const w = useCopyWords()
  const [outcome, setOutcome] = useState<Outcome | ''>(copy.confirmed_outcome ?? '')
  return (
    <CopyDialog
      copy={copy}
      onClose={onClose}
      words={w.reconcile}
      isReady={outcome !== ''}
      send={(change_reason, revision) =>
        call('POST /api/controlled-copies/{id}/reconcile', {
          path: { id: copy.id },
          body: { outcome: outcome as Outcome, change_reason, revision },
        })
      }
    >
      {(problem, isTried) => (
        <OutcomeChoice
          value={outcome}
          onChange={setOutcome}
          without={copy.status === 'lost' ? 'lost' : undefined}
          wrong={problem?.of('outcome') ?? (isTried && outcome === '' ? w.missingOutcome : undefined)}
        />
      )}
    </CopyDialog>
  )
}
