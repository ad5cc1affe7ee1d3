import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { BellRing, CircleSlash, CircleX, Download, FolderOpen, PenLine } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Answer, addressOf, call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import record from '../../records/record-page.module.css'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './assignment-page.module.css'
import { type Assignment, isOpen, Standing, standingOf } from './standing.tsx'
import { VerifyDialog } from './verify-dialog.tsx'
import { useTrainingWords } from './words.ts'

/** A training of another person. One's own leads to where it is done. */
export function AssignmentPage() {
  const { id } = useParams({ from: '/app/training/assignments/$id' })
  const { assignments: w, types } = useTrainingWords()
  const { id: ownId, permissions } = useMe()
  const { data, error, refetch } = useQuery(ask('GET /api/training/assignments/{id}', { path: { id } }))
  useTitle(data && `${data.number} ${nameOf(data.user)}`)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  if (data.user.id === ownId) return <Navigate to="/training/$id" params={{ id: data.training_id }} replace />
  return (
    <div className={record.page}>
      <RecordHead
        list={permissions.includes('training.read_all') ? paths.trainingAssignments : paths.training}
        back={w.title}
        number={data.number}
        title={data.title}
        state={
          <>
            <Standing of={data} />
            <Person of={data.user} />
            <span className="soft">{types[data.type]}</span>
          </>
        }
      />
      <div className={record.columns}>
        <Facts of={data} />
        <div className={record.side}>
          <Acts of={data} />
        </div>
      </div>
    </div>
  )
}

function Facts({ of: each }: { of: Assignment }) {
  const { assignments: w, record: rw, outcome, mine, sources, doing } = useTrainingWords()
  const { day, moment } = useFormat()
  const { document, document_version, opened, verification, assigned_by, completed_at, valid_until } = each
  return (
    <div className={styles.facts}>
      <FactList
        facts={[
          [w.due, day(each.due_date)],
          [w.assigned, `${moment(each.assigned_at)}${assigned_by ? `, ${nameOf(assigned_by)}` : ''}`],
          [w.source, sources[each.source]],
          [
            doing.document,
            document && (
              <Link
                to="/documents/$id"
                params={{ id: document.id }}
                search={document_version ? { version: document_version } : {}}
              >
                {document.number} {document_version && doing.version(document_version)}
              </Link>
            ),
          ],
          [w.started, each.started_at && moment(each.started_at)],
          [w.opened, opened && `${moment(opened.at)}, ${doing.version(opened.version)}`],
          [w.attempts, each.attempts > 0 && String(each.attempts)],
          [rw.score, each.score !== null && `${each.score} %`],
          [rw.completed, completed_at && moment(completed_at)],
          [outcome.valid, completed_at && (valid_until === null ? mine.noEnd : outcome.until(day(valid_until)))],
          [
            rw.verified,
            verification.verified_by &&
              verification.verified_at &&
              outcome.verifiedBy(nameOf(verification.verified_by), moment(verification.verified_at)),
          ],
          [w.reason, each.reason],
        ]}
      />
    </div>
  )
}

type Act = 'verify' | 'waive' | 'cancel' | 'remind'
type Shown = Answer<'GET /api/training/assignments/{id}'>

/** Why somebody may not do this, in the service's words; undefined where they may. */
const whyNotOf = ({ you }: Shown, act: Act) =>
  you.may.includes(act) ? undefined : (you.why_not[act] ?? []).map(({ detail }) => detail).join(' ')

function Acts({ of: assignment }: { of: Shown }) {
  const { assignments: w, outcome } = useTrainingWords()
  const { permissions } = useMe()
  const [act, setAct] = useState<Act>()
  const close = () => setAct(undefined)
  const may = (permission: string) => permissions.includes(permission)
  const open = isOpen(assignment)
  const waits = standingOf(assignment) === 'awaiting_verification'
  const buttons: ReactNode[] = [
    waits && may('training.verify') && (
      <Button
        key="verify"
        look="main"
        icon={PenLine}
        whyNot={whyNotOf(assignment, 'verify')}
        onPress={() => setAct('verify')}
      >
        {w.verify}
      </Button>
    ),
    open && may('training.assign') && (
      <Button key="remind" icon={BellRing} whyNot={whyNotOf(assignment, 'remind')} onPress={() => setAct('remind')}>
        {w.remind.action}
      </Button>
    ),
    open && may('training.waive') && (
      <Button key="waive" icon={CircleSlash} whyNot={whyNotOf(assignment, 'waive')} onPress={() => setAct('waive')}>
        {w.waive.action}
      </Button>
    ),
    open && may('training.assign') && (
      <Button key="cancel" icon={CircleX} whyNot={whyNotOf(assignment, 'cancel')} onPress={() => setAct('cancel')}>
        {w.cancel.action}
      </Button>
    ),
  ].filter(Boolean)
  return (
    <section className={styles.acts} aria-label={w.acts} data-print="none">
      {buttons}
      {assignment.completed_at && (
        <Button
          icon={Download}
          onPress={() =>
            save(addressOf('GET /api/training/assignments/{id}/record.pdf', { path: { id: assignment.assignment_id } }))
          }
        >
          {outcome.record}
        </Button>
      )}
      <Link to="/training/records/$user_id" params={{ user_id: assignment.user.id }}>
        <FolderOpen size={15} aria-hidden="true" />
        {w.recordOf(nameOf(assignment.user))}
      </Link>
      {act === 'verify' && <VerifyDialog assignment={assignment} onClose={close} />}
      {act === 'remind' && <RemindDialog assignment={assignment} onClose={close} />}
      {act === 'waive' && (
        <EndDialog
          assignment={assignment}
          name="POST /api/training/assignments/{id}/waive"
          words={w.waive}
          look="main"
          onClose={close}
        />
      )}
      {act === 'cancel' && (
        <EndDialog
          assignment={assignment}
          name="POST /api/training/assignments/{id}/cancel"
          words={w.cancel}
          look="danger"
          onClose={close}
        />
      )}
    </section>
  )
}

/** A word to somebody who has not done it yet. */
function RemindDialog({ assignment, onClose }: { assignment: Assignment; onClose: () => void }) {
  const { assignments: aw } = useTrainingWords()
  const w = aw.remind
  const { assignment_id: id, revision, number, title, user } = assignment
  const [comment, setComment] = useState('')
  return (
    <ActDialog
      title={w.title}
      about={`${number} ${title} · ${nameOf(user)}`}
      revision={revision}
      send={() =>
        call('POST /api/training/assignments/{id}/remind', {
          path: { id },
          body: { ...(comment.trim() && { comment: comment.trim() }) },
        })
      }
      onDone={() => announce(w.done(nameOf(user)))}
      onClose={onClose}
      submit={w.action}
    >
      {problem => (
        <Field
          label={w.comment}
          rows={3}
          autoFocus
          value={comment}
          onChange={setComment}
          wrong={problem?.of('comment')}
        />
      )}
    </ActDialog>
  )
}

interface EndProps {
  assignment: Assignment
  name: 'POST /api/training/assignments/{id}/waive' | 'POST /api/training/assignments/{id}/cancel'
  words: { title: string; hint: string; submit: string; done: (name: string) => string }
  look: 'main' | 'danger'
  onClose: () => void
}

/** A training that a person need not do, for a reason that stays on record. */
function EndDialog({ assignment, name, words: w, look, onClose }: EndProps) {
  const { assignments: aw, doing } = useTrainingWords()
  const { id: ownId } = useMe()
  const { assignment_id: id, revision, number, title, user } = assignment
  const { fields, change, forget } = useFormDraft(`${name} ${ownId} ${id}`, { reason: '' })
  const [isTried, setTried] = useState(false)
  const bind = bindingOf(fields, change)
  return (
    <ActDialog
      title={w.title}
      about={`${number} ${title} · ${nameOf(user)}`}
      revision={revision}
      changed={doing.changed}
      isComplete={() => {
        setTried(true)
        return fields.reason.trim() !== ''
      }}
      send={now => call(name, { path: { id }, body: { reason: fields.reason.trim(), revision: now } })}
      onDone={() => {
        forget()
        announce(w.done(nameOf(user)))
      }}
      onCancel={() => {
        forget()
        onClose()
      }}
      onClose={onClose}
      submit={w.submit}
      look={look}
    >
      {problem => (
        <>
          <p>{w.hint}</p>
          <Field
            label={aw.reason}
            rows={3}
            autoFocus
            isRequired
            {...bind('reason')}
            wrong={problem?.of('reason') ?? (isTried && fields.reason.trim() === '' ? aw.noReason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}
