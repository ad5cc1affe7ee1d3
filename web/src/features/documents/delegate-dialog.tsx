import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { PersonField } from '../../records/fields/person-field.tsx'
import { Field } from '../../ui/field.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useMe } from '../session/session.ts'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  onClose: () => void
}

/** Hands a decision to another person. Whose it is can be chosen only by somebody who may configure approvals. */
export function DelegateDialog({ document, workflow, onClose }: Props) {
  const w = useActWords()
  const me = useMe()
  const pending = workflow.approvals.find(({ status }) => status === 'pending')
  const approvers = (pending?.rules ?? []).flatMap(({ may_decide_now }) => may_decide_now.people)
  const others = [...new Map(approvers.map(each => [each.id, each])).values()].filter(({ id }) => id !== me.id)
  const isOwn = workflow.you.may.includes('approve')
  const isForOthers = me.permissions.includes('documents.configure_approval') && others.length > 0
  const [from, setFrom] = useState(isOwn ? String(me.id) : '')
  const [to, setTo] = useState<number>()
  const [reason, setReason] = useDraft(`delegate ${me.id} ${document.id} ${workflow.version}`)
  const [isTried, setTried] = useState(false)
  return (
    <ActDialog
      title={w.delegate.title}
      about={<Subject of={document} version={workflow.version} />}
      revision={document.revision}
      isComplete={() => {
        setTried(true)
        return to !== undefined && from !== '' && reason.trim() !== ''
      }}
      send={revision =>
        call('POST /api/documents/{id}/delegate', {
          path: { id: document.id },
          body: { to: to!, reason: reason.trim(), revision, ...(Number(from) !== me.id && { from: Number(from) }) },
        })
      }
      onDone={({ number }) => {
        setReason('')
        announce(w.delegate.done(number))
      }}
      onClose={onClose}
      submit={w.delegate.submit}
    >
      {problem => (
        <>
          <p>{w.delegate.text}</p>
          {isForOthers && (
            <Select
              label={w.delegate.from}
              options={[
                ...(isOwn ? [{ id: String(me.id), name: w.delegate.mine }] : []),
                ...others.map(each => ({ id: String(each.id), name: nameOf(each) })),
              ]}
              value={from}
              onChange={setFrom}
              isRequired
              wrong={problem?.of('from') ?? (isTried && from === '' ? w.missing.person : undefined)}
            />
          )}
          <PersonField
            label={w.delegate.to}
            isRequired
            without={[Number(from) || me.id]}
            onChange={setTo}
            wrong={problem?.of('to') ?? (isTried && to === undefined ? w.missing.person : undefined)}
          />
          <Field
            label={w.reason}
            rows={2}
            isRequired
            value={reason}
            onChange={setReason}
            wrong={problem?.of('reason') ?? (isTried && reason.trim() === '' ? w.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

export function EndDelegationDialog({ document, workflow, onClose }: Props) {
  const w = useActWords()
  const me = useMe()
  const canEnd = me.permissions.includes('documents.configure_approval')
  const own = workflow.delegations.filter(({ from, to }) => canEnd || from.id === me.id || to.id === me.id)
  const [from, setFrom] = useState(String(own[0]?.from.id ?? ''))
  const [reason, setReason] = useState('')
  return (
    <ActDialog
      title={w.endDelegation.title}
      about={<Subject of={document} version={workflow.version} />}
      revision={document.revision}
      send={revision =>
        call('POST /api/documents/{id}/end-delegation', {
          path: { id: document.id },
          body: {
            revision,
            ...(Number(from) !== me.id && { from: Number(from) }),
            ...(reason.trim() && { reason: reason.trim() }),
          },
        })
      }
      onDone={({ number }) => announce(w.endDelegation.done(number))}
      onClose={onClose}
      submit={w.endDelegation.submit}
    >
      {problem => (
        <>
          {own.length === 1 ? (
            own.map(each => <p key={each.from.id}>{w.endDelegation.text(nameOf(each.from), nameOf(each.to))}</p>)
          ) : (
            <Select
              label={w.endDelegation.which}
              options={own.map(each => ({
                id: String(each.from.id),
                name: w.endDelegation.fromTo(nameOf(each.from), nameOf(each.to)),
              }))}
              value={from}
              onChange={setFrom}
            />
          )}
          <Field label={w.remark} rows={2} value={reason} onChange={setReason} wrong={problem?.of('reason')} />
        </>
      )}
    </ActDialog>
  )
}
