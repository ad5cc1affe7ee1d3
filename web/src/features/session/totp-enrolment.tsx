import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { useWords } from '../../words/index.ts'
import { QrCode } from './qr-code.tsx'
import styles from './session.module.css'

interface Props {
  /** Where it was typed a moment ago, nobody is asked for it again. */
  password?: string | undefined
  onDone: () => void
  buttons: (step: { label: string; isPending: boolean }) => ReactNode
}

/** First the secret for the app, then a first code, which shows that the app has it. */
export function TotpEnrolment({ password: known, onDone, buttons }: Props) {
  const { secondFactor: w } = useWords()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const begin = useMutation<Answer<'POST /api/auth/totp/enroll'>, Problem>({
    mutationFn: () => call('POST /api/auth/totp/enroll', { body: { password: known ?? password } }),
    onError: () => setPassword(''),
  })
  const confirm = useMutation<Answer<'POST /api/auth/totp/confirm'>, Problem>({
    mutationFn: () => call('POST /api/auth/totp/confirm', { body: { otp } }),
    onSuccess: async () => {
      await client.invalidateQueries()
      onDone()
    },
    onError: () => setOtp(''),
  })
  const submit = () => {
    const { isPending, mutate } = begin.data ? confirm : begin
    if (!isPending) mutate()
  }
  // What is wrong with a password that was typed here stands at its field.
  const wrong =
    known === undefined ? (begin.error?.status === 401 ? begin.error.message : begin.error?.of('password')) : undefined
  if (!begin.data)
    return (
      <Form onSend={submit}>
        <p>{w.why}</p>
        {begin.error && !wrong && <Refused error={begin.error} />}
        {known === undefined && <PasswordField autoFocus value={password} onChange={setPassword} wrong={wrong} />}
        {buttons({ label: w.begin, isPending: begin.isPending })}
      </Form>
    )
  const { otpauth_uri, secret } = begin.data
  return (
    <Form onSend={submit}>
      {confirm.error && confirm.error.of('otp') === undefined && <Refused error={confirm.error} />}
      <p>{w.scan}</p>
      <QrCode text={otpauth_uri} label={w.code} />
      <details className={styles.secret}>
        <summary>{w.byHand}</summary>
        <p>{w.byHandHint}</p>
        <code>{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </details>
      <CodeField
        label={w.firstCode}
        hint={w.firstCodeHint}
        autoFocus
        isRequired
        value={otp}
        onChange={setOtp}
        wrong={confirm.error?.of('otp')}
      />
      {buttons({ label: w.confirm, isPending: confirm.isPending })}
    </Form>
  )
}
