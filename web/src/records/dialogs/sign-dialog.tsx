import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Building2, KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Answer, call, type Given } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { refreshRecords } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { type PasskeyError, PasskeyRefused } from '../../features/session/passkey-refused.tsx'
import { useMe } from '../../features/session/session.ts'
import {
  type Act,
  goToProvider,
  type SignedOperation,
  signByPasskey,
  useSigningWays,
} from '../../features/session/signing.ts'
import { StatementForm } from '../../features/session/statement-form.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { nameOf } from '../../ui/person.tsx'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useWords } from '../../words/index.ts'
import { ChangedMeanwhile, Subject, type SubjectOf } from './act-dialog.tsx'
import { type Behalf, useActingFor } from './acting-for.tsx'
import styles from './sign-dialog.module.css'

interface Props<N extends SignedOperation> {
  /** The record as it is on the screen: what changed meanwhile is not signed. One that never changes has no revision. */
  of: SubjectOf & { id: number; revision?: number }
  /** The address of its page, for who comes back from a provider. */
  page: string
  version?: string | undefined
  title: string
  /** What the signer declares. Without it, nothing is signed and no password is asked for. */
  meaning?: string | undefined
  /** What the signature is recorded for, unless the remark says it. */
  intent?: string | undefined
  /** What was typed is kept under this name. */
  draft: string
  /** Missing: the act takes none. */
  remark?: { label: string; isRequired: boolean } | undefined
  /** The request, without the revision and the proof of identity. */
  act: (remark: string | undefined) => Act<N>
  submit: string
  look?: 'main' | 'danger'
  onDone: (answer: Answer<N>) => void
  onClose: () => void
  /** What the record says against it. */
  note?: ReactNode
  /** What is said where the record changed meanwhile. */
  changed?: string
  /** For whom it can be signed; missing: for nobody but oneself. */
  behalf?: Behalf
  /** Fields of this act; the remark comes after them. */
  children?: (error: Problem | null) => ReactNode
}

interface Attempt {
  revision: number | undefined
  by: 'password' | 'passkey' | 'provider'
}

/** 21 CFR 11.50: who signs sees what they sign, what it means, and as whom, before they give their password. */
export function SignDialog<N extends SignedOperation>({
  of: record,
  page,
  version,
  title,
  meaning,
  intent,
  draft,
  remark,
  act,
  submit,
  look = 'main',
  onDone,
  onClose,
  note,
  changed,
  behalf,
  children,
}: Props<N>) {
  const { sign: w, signing, common, document: dw, deputies } = useWords()
  const user = useMe()
  const client = useQueryClient()
  const [comment, setComment] = useDraft(`${draft} ${user.id} ${record.id} ${version ?? ''}`.trim())
  // The record may be read anew beside the dialog; what is signed is what was there when it opened.
  const [seen] = useState(record.revision)
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const isSigned = meaning !== undefined
  const ways = useSigningWays()
  const isByPassword = !isSigned || ways.password
  const acting = useActingFor(behalf)
  const signedAs = acting.name
    ? deputies.signedAs(nameOf(user), user.role, acting.name)
    : w.signedAs(nameOf(user), user.role)

  const actOf = (revision: number | undefined): Act<N> => {
    const asked = act((remark && comment.trim()) || undefined)
    const added = {
      ...(revision !== undefined && { revision }),
      ...(acting.id !== undefined && { on_behalf_of: acting.id }),
    }
    return { ...asked, body: { ...asked.body, ...added } as Act<N>['body'] }
  }
  const { mutate, isPending, error } = useMutation<Answer<N> | undefined, PasskeyError, Attempt>({
    mutationFn: async ({ revision, by }) => {
      const asked = actOf(revision)
      if (by === 'passkey') return signByPasskey(asked)
      if (by === 'provider') {
        const subject = [record.number, record.title, version !== undefined && `· ${dw.versionOf(version)}`]
        await goToProvider(user.id, paths.signing, {
          act: asked,
          title: subject.filter(Boolean).join(' '),
          as: signedAs,
          button: submit,
          back: page,
        })
        return undefined
      }
      const body = { ...asked.body, ...(isSigned && { password }), ...(isSigned && otp && { otp }) }
      return call(asked.name, { path: asked.path, body } as unknown as Given<N>)
    },
    onSuccess: answer => {
      if (!answer) return undefined
      setComment('')
      onDone(answer)
      onClose()
      return refreshRecords(client)
    },
    onError: failure => {
      setPassword('')
      setOtp('')
      if (failure instanceof Problem && failure.status === 409) void refreshRecords(client)
    },
  })
  const problem = error instanceof Problem ? error : null
  const sign = (by: Attempt['by']) => {
    if (!isPending) mutate({ revision: seen, by })
  }
  const send = () => {
    if (isByPassword) sign('password')
    else if (ways.passkey) sign('passkey')
    else if (ways.provider) sign('provider')
  }
  // The record is another one now, and so may be what a signature on it means: nobody signs that without having seen it.
  if (problem?.status === 409 && seen !== record.revision)
    return <ChangedMeanwhile title={title} text={changed} onClose={onClose} />
  const { signature_statement: statement } = user
  if (isSigned && statement && !statement.is_accepted)
    return (
      <Dialog isOpen onClose={onClose} title={signing.statementFirst} about={<Subject of={record} version={version} />}>
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
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      about={
        <>
          <Subject of={record} version={version} />
          {note && <p className={styles.open}>{note}</p>}
        </>
      }
    >
      <Form onSend={send}>
        {isSigned && (
          <blockquote className={styles.meaning}>
            <p className="soft">{w.meaning}</p>
            <p>{meaning}</p>
            {intent && <p className="soft">{w.recordedAs((remark && comment.trim()) || intent)}</p>}
            <p className="soft">{signedAs}</p>
          </blockquote>
        )}
        {error && (!problem || problem.issues.length === 0) && <PasskeyRefused error={error} />}
        {acting.field}
        {children?.(problem)}
        {remark && (
          <Field
            label={remark.label}
            rows={3}
            autoFocus={!children}
            isRequired={remark.isRequired}
            value={comment}
            onChange={setComment}
            wrong={
              problem?.of('comment') ?? problem?.of('reason') ?? problem?.of('change_reason') ?? problem?.of('findings')
            }
          />
        )}
        {isSigned && ways.password && (
          <PasswordField
            label={w.password}
            hint={w.passwordHint}
            autoFocus={!remark && !children}
            value={password}
            onChange={setPassword}
            wrong={problem?.of('password')}
          />
        )}
        {isSigned && ways.password && user.totp_enrolled && (
          <CodeField value={otp} onChange={setOtp} wrong={problem?.of('otp')} />
        )}
        {isSigned && !ways.password && !ways.isLoading && <InsteadOfPassword ways={ways} />}
        {isSigned && ways.password && (ways.passkey || ways.provider) && (
          <div className="row in-middle">
            <p className="soft">{signing.instead}</p>
            {ways.passkey && (
              <Button icon={KeyRound} isPending={isPending} onPress={() => sign('passkey')}>
                {signing.byPasskey}
              </Button>
            )}
            {ways.provider && (
              <Button icon={Building2} isPending={isPending} onPress={() => sign('provider')}>
                {signing.byProvider(ways.provider)}
              </Button>
            )}
          </div>
        )}
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          {!isByPassword && ways.passkey && ways.provider && (
            <Button icon={Building2} isPending={isPending} onPress={() => sign('provider')}>
              {signing.byProvider(ways.provider)}
            </Button>
          )}
          {(isByPassword || ways.passkey || ways.provider) && (
            <Button type="submit" look={look} isPending={isPending}>
              {submit}
            </Button>
          )}
        </DialogButtons>
      </Form>
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
