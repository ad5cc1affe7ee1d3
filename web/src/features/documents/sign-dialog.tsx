import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Building2, KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useWords } from '../../words/index.ts'
import { type PasskeyError, PasskeyRefused } from '../session/passkey-refused.tsx'
import { useMe } from '../session/session.ts'
import { type Act, goToProvider, signByPasskey, useSigningWays } from '../session/signing.ts'
import { StatementForm } from '../session/statement-form.tsx'
import styles from './sign-dialog.module.css'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  decision: 'approve' | 'reject'
  openComments: number
  onClose: () => void
}

interface Attempt {
  /** What is sent is the revision that was looked at: what changed meanwhile is not signed. */
  revision: number
  by: 'password' | 'passkey' | 'provider'
}

/** 21 CFR 11.50: who signs sees what they sign, what it means, and as whom, before they give their password. */
export function SignDialog({ document, workflow, decision, openComments, onClose }: Props) {
  const { sign: w, signing, common, problems, states, document: dw } = useWords()
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

  const ways = useSigningWays()
  const name = 'POST /api/documents/{id}/approve'

  const actOf = (revision: number): Act<typeof name> => ({
    name,
    path: { id: document.id },
    body: { decision, revision, ...(comment.trim() && { comment: comment.trim() }) },
  })
  const meaning = step?.transition === 'review' ? w.means.review : w.means.approve
  const signedAs = w.signedAs(nameOf(user), user.role)
  const page = `/documents/${document.id}`

  const { mutate, isPending, error, variables } = useMutation<Answer<typeof name> | undefined, PasskeyError, Attempt>({
    mutationFn: async ({ revision, by }) => {
      const act = actOf(revision)
      if (by === 'passkey') return signByPasskey(act)
      if (by === 'password')
        return call(name, { ...act, body: { ...act.body, ...(isSigned && { password, ...(otp && { otp }) }) } })
      const title = `${document.number} ${document.title} · ${dw.versionOf(workflow.version)}`
      await goToProvider(user.id, paths.signing, { act, title, as: signedAs, button: w.submit, back: page })
      return undefined
    },
    onSuccess: answer => {
      if (!answer) return
      setComment('')
      const { number, status } = answer
      announce(
        (isSigned ? w.done : isApproval ? w.doneUnsigned : w.sentBack)(number),
        w.nowIs((states as Record<string, string>)[status] ?? status),
      )
      onClose()
      return refresh(client, 'documents/', 'dashboard/', 'notifications/', 'signatures/')
    },
    onError: failure => {
      setPassword('')
      setOtp('')
      if (failure instanceof Problem && failure.status === 409) void refresh(client, 'documents/')
    },
  })
  const problem = error instanceof Problem ? error : undefined
  const title = isSigned ? w.approveTitle : isApproval ? w.approveUnsigned : w.rejectTitle
  const isByPassword = !isSigned || ways.password
  const sign = (by: Attempt['by']) => {
    if (!isPending) mutate({ revision: document.revision, by })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isByPassword) sign('password')
    else if (ways.passkey) sign('passkey')
    else if (ways.provider) sign('provider')
  }
  // The record is another one now, and so may be what a signature on it means: nobody signs that without having seen it.
  if (problem?.status === 409 && variables?.revision !== document.revision)
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
  const about = (
    <>
      <b>{document.number}</b> {document.title} · {dw.versionOf(workflow.version)}
    </>
  )
  const { signature_statement: statement } = user
  if (isSigned && statement && !statement.is_accepted)
    return (
      <Dialog isOpen onClose={onClose} title={signing.statementFirst} about={about}>
        <StatementForm
          statement={statement}
          buttons={({ accept, isPending: isAccepting }) => (
            <DialogButtons>
              <Button onPress={onClose}>{common.cancel}</Button>
              <Button look="main" autoFocus isPending={isAccepting} onPress={accept}>
                {signing.accept}
              </Button>
            </DialogButtons>
          )}
        />
      </Dialog>
    )
  return (
    <Dialog isOpen onClose={onClose} title={title} about={about}>
      <form onSubmit={submit}>
        {isSigned && (
          <blockquote className={styles.meaning}>
            <p className="soft">{w.meaning}</p>
            <p>{meaning}</p>
            <p className="soft">{signedAs}</p>
          </blockquote>
        )}
        {isApproval && openComments > 0 && <p className={styles.open}>{w.openComments(openComments)}</p>}
        {error && (!problem || problem.issues.length === 0) && <PasskeyRefused error={error} />}
        <Field
          label={isApproval ? w.comment : w.rejectComment}
          rows={3}
          autoFocus
          isRequired={!isApproval}
          value={comment}
          onChange={setComment}
          wrong={problem?.of('comment')}
        />
        {isSigned && ways.password && (
          <Field
            label={w.password}
            hint={w.passwordHint}
            type="password"
            autoComplete="current-password"
            isRequired
            value={password}
            onChange={setPassword}
            wrong={problem?.of('password')}
          />
        )}
        {isSigned && ways.password && user.totp_enrolled && (
          <Field
            label={w.otp}
            inputMode="numeric"
            autoComplete="one-time-code"
            value={otp}
            onChange={setOtp}
            wrong={problem?.of('otp')}
          />
        )}
        {isSigned && !ways.password && !ways.isLoading && <InsteadOfPassword ways={ways} />}
        {isSigned && ways.password && (ways.passkey || ways.provider) && (
          <div className={styles.ways}>
            <p className="soft">{signing.instead}</p>
            {ways.passkey && (
              <Button icon={<KeyRound size={15} />} isPending={isPending} onPress={() => sign('passkey')}>
                {signing.byPasskey}
              </Button>
            )}
            {ways.provider && (
              <Button icon={<Building2 size={15} />} isPending={isPending} onPress={() => sign('provider')}>
                {signing.byProvider(ways.provider)}
              </Button>
            )}
          </div>
        )}
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          {!isByPassword && ways.passkey && ways.provider && (
            <Button icon={<Building2 size={15} />} isPending={isPending} onPress={() => sign('provider')}>
              {signing.byProvider(ways.provider)}
            </Button>
          )}
          {(isByPassword || ways.passkey || ways.provider) && (
            <Button type="submit" look={isApproval ? 'main' : 'danger'} isPending={isPending}>
              {isSigned ? w.submit : isApproval ? w.submitUnsigned : w.submitReject}
            </Button>
          )}
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** Where the company accepts no password of this person: what proves who they are, or what they have to set up first. */
function InsteadOfPassword({ ways }: { ways: ReturnType<typeof useSigningWays> }) {
  const { signing: w } = useWords()
  const { features, totp_enrolled } = useMe()
  if (ways.passkey || ways.provider) return <p className="soft">{ways.passkey ? w.passkeyAlone : w.providerAlone}</p>
  const wantsCode = !totp_enrolled && features.signature.methods.includes('password_otp')
  return (
    <p className={styles.open}>
      {wantsCode ? w.needsSecondFactor : w.needsPasskey} <Link to={paths.account}>{w.toAccount}</Link>
    </p>
  )
}
