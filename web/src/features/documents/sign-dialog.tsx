import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type Answer, call, type Given } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ChangedMeanwhile, Subject } from './act-dialog.tsx'
import styles from './sign-dialog.module.css'

type SignedOperation = `POST /api/documents/{id}/${'approve' | 'transition' | 'periodic-review' | 'withdraw-approval'}`
export type SignedAct = { [N in SignedOperation]: { name: N; body: Given<N>['body'] } }[SignedOperation]

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  version: string
  title: string
  /** What the signer declares. Without it, nothing is signed and no password is asked for. */
  meaning?: string | undefined
  /** What was typed is kept under this name. */
  draft: string
  remark: { label: string; isRequired: boolean }
  /** The request, without the revision and the proof of identity. */
  act: (remark: string | undefined) => SignedAct
  submit: string
  look?: 'main' | 'danger'
  onDone: (answer: Answer<SignedOperation>) => void
  onClose: () => void
  /** What the record says against it. */
  note?: ReactNode
  /** Fields of this act; the remark comes after them. */
  children?: (error: Problem | null) => ReactNode
}

/** 21 CFR 11.50: who signs sees what they sign, what it means, and as whom, before they give their password. */
export function SignDialog({
  document,
  version,
  title,
  meaning,
  draft,
  remark,
  act,
  submit,
  look = 'main',
  onDone,
  onClose,
  note,
  children,
}: Props) {
  const { sign: w, common } = useWords()
  const user = useMe()
  const client = useQueryClient()
  const [comment, setComment] = useDraft(`${draft} ${user.id} ${document.id} ${version}`)
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const isSigned = meaning !== undefined

  // What is sent is the revision that was looked at: what changed meanwhile is not signed.
  const { mutate, isPending, error, variables } = useMutation<Answer<SignedOperation>, Problem, number>({
    mutationFn: revision => {
      const { name, body } = act(comment.trim() || undefined)
      return call<SignedOperation>(name, {
        path: { id: document.id },
        body: { ...body, revision, ...(isSigned && { password }), ...(isSigned && otp && { otp }) },
      } as Given<SignedOperation>)
    },
    onSuccess: answer => {
      setComment('')
      onDone(answer)
      onClose()
      return refresh(client, 'documents/', 'dashboard/', 'notifications/', 'signatures/', 'controlled-copies/')
    },
    onError: ({ status }) => {
      setPassword('')
      setOtp('')
      if (status === 409) void refresh(client, 'documents/')
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending) mutate(document.revision)
  }
  // The record is another one now, and so may be what a signature on it means: nobody signs that without having seen it.
  if (error?.status === 409 && variables !== document.revision)
    return <ChangedMeanwhile title={title} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} title={title} about={<Subject document={document} version={version} />}>
      <form onSubmit={send}>
        {isSigned && (
          <blockquote className={styles.meaning}>
            <p className="soft">{w.meaning}</p>
            <p>{meaning}</p>
            <p className="soft">{w.signedAs(nameOf(user), user.role)}</p>
          </blockquote>
        )}
        {note && <p className={styles.open}>{note}</p>}
        {error && error.issues.length === 0 && <Refused error={error} />}
        {children?.(error)}
        <Field
          label={remark.label}
          rows={3}
          autoFocus={!children}
          isRequired={remark.isRequired}
          value={comment}
          onChange={setComment}
          wrong={error?.of('comment') ?? error?.of('reason')}
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
          <Button type="submit" look={look} isPending={isPending}>
            {submit}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
