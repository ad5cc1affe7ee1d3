import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './sign-dialog.module.css'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  decision: 'approve' | 'reject'
  openComments: number
  onClose: () => void
}

/** 21 CFR 11.50: who signs sees what they sign, what it means, and as whom, before they give their password. */
export function SignDialog({ document, workflow, decision, openComments, onClose }: Props) {
  const { sign: w, common, problems, states, document: dw } = useWords()
  const user = useMe()
  const client = useQueryClient()
  const [comment, setComment] = useDraft(`${decision} ${user.id} ${document.id} ${workflow.version}`)
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const isApproval = decision === 'approve'
  const step = workflow.approvals.find(each => each.status === 'pending')
  const isSigned =
    isApproval &&
    document.workflow?.pending.some(each => each.transition === step?.transition && each.signature_required)

  // What is sent is the revision that was looked at: what changed meanwhile is not signed.
  const { mutate, isPending, error, variables } = useMutation<
    Answer<'POST /api/documents/{id}/approve'>,
    Problem,
    number
  >({
    mutationFn: revision =>
      call('POST /api/documents/{id}/approve', {
        path: { id: document.id },
        body: {
          decision,
          revision,
          ...(comment.trim() && { comment: comment.trim() }),
          ...(isSigned && { password }),
          ...(isSigned && otp && { otp }),
        },
      }),
    onSuccess: ({ number, status }) => {
      setComment('')
      announce(
        (isSigned ? w.done : isApproval ? w.doneUnsigned : w.sentBack)(number),
        w.nowIs((states as Record<string, string>)[status] ?? status),
      )
      onClose()
      return refresh(client, 'documents/', 'dashboard/', 'notifications/', 'signatures/')
    },
    onError: ({ status }) => {
      setPassword('')
      setOtp('')
      if (status === 409) void refresh(client, 'documents/')
    },
  })
  const title = isSigned ? w.approveTitle : isApproval ? w.approveUnsigned : w.rejectTitle
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending) mutate(document.revision)
  }
  // The record is another one now, and so may be what a signature on it means: nobody signs that without having seen it.
  if (error?.status === 409 && variables !== document.revision)
    return (
      <Dialog isOpen onClose={onClose} title={title}>
        <Refused>{problems.changedMeanwhile}</Refused>
        <DialogButtons>
          <Button look="main" autoFocus onPress={onClose}>
            {problems.lookAgain}
          </Button>
        </DialogButtons>
      </Dialog>
    )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      about={
        <>
          <b>{document.number}</b> {document.title} · {dw.versionOf(workflow.version)}
          {isApproval && openComments > 0 && <p className={styles.open}>{w.openComments(openComments)}</p>}
        </>
      }
    >
      <form onSubmit={submit}>
        {isSigned && (
          <blockquote className={styles.meaning}>
            <p className="soft">{w.meaning}</p>
            <p>{(step?.signature_type && w.meanings[step.signature_type]) ?? step?.intent}</p>
            {step?.intent && <p className="soft">{w.recordedAs(comment.trim() || step.intent)}</p>}
            <p className="soft">{w.signedAs(nameOf(user), user.role)}</p>
          </blockquote>
        )}
        {error && error.issues.length === 0 && <Refused error={error} />}
        <Field
          label={isApproval ? w.comment : w.rejectComment}
          rows={3}
          autoFocus
          isRequired={!isApproval}
          value={comment}
          onChange={setComment}
          wrong={error?.of('comment')}
        />
        {isSigned && (
          <Field
            label={w.password}
            hint={w.passwordHint}
            type="password"
            autoComplete="current-password"
            isRequired
            value={password}
            onChange={setPassword}
            wrong={error?.of('password')}
          />
        )}
        {isSigned && user.totp_enrolled && (
          <Field
            label={w.otp}
            inputMode="numeric"
            autoComplete="one-time-code"
            value={otp}
            onChange={setOtp}
            wrong={error?.of('otp')}
          />
        )}
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look={isApproval ? 'main' : 'danger'} isPending={isPending}>
            {isSigned ? w.submit : isApproval ? w.submitUnsigned : w.submitReject}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
