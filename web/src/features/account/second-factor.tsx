import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { TotpEnrolment } from '../session/totp-enrolment.tsx'
import { Section } from './section.tsx'
import { useAccountWords } from './words.ts'

export function SecondFactor() {
  const account = useAccountWords()
  const { secondFactor: w, common } = useWords()
  const { totp_enrolled, features } = useMe()
  const [open, setOpen] = useState<'enrol' | 'remove'>()
  const close = () => setOpen(undefined)
  return (
    <Section
      title={account.secondFactor}
      about={totp_enrolled ? w.isOn : features.signature.otp ? w.isNeeded : w.isOff}
      action={
        totp_enrolled ? (
          <Button look="danger" onPress={() => setOpen('remove')}>
            {w.remove}
          </Button>
        ) : (
          <Button onPress={() => setOpen('enrol')}>{w.setUp}</Button>
        )
      }
    >
      <Dialog isOpen={open === 'enrol'} onClose={close} title={w.setUpTitle}>
        <TotpEnrolment
          onDone={() => {
            announce(w.done, account.othersEnded)
            close()
          }}
          buttons={({ label, isPending }) => (
            <DialogButtons>
              <Button onPress={close}>{common.cancel}</Button>
              <Button type="submit" look="main" isPending={isPending}>
                {label}
              </Button>
            </DialogButtons>
          )}
        />
      </Dialog>
      <Dialog isOpen={open === 'remove'} onClose={close} title={w.removeTitle} about={w.removeHint}>
        <Removal onClose={close} />
      </Dialog>
    </Section>
  )
}

function Removal({ onClose }: { onClose: () => void }) {
  const account = useAccountWords()
  const { secondFactor: w, common } = useWords()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const { mutate, isPending, error } = useMutation<Answer<'DELETE /api/auth/totp'>, Problem>({
    mutationFn: () => call('DELETE /api/auth/totp', { body: { password, otp } }),
    onSuccess: async () => {
      await client.invalidateQueries()
      announce(w.removed, account.othersEnded)
      onClose()
    },
    onError: () => {
      setPassword('')
      setOtp('')
    },
  })
  return (
    <Form onSend={() => isPending || mutate()}>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <PasswordField autoFocus value={password} onChange={setPassword} wrong={error?.of('password')} />
      <CodeField isRequired value={otp} onChange={setOtp} wrong={error?.of('otp')} />
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button type="submit" look="danger" isPending={isPending}>
          {w.remove}
        </Button>
      </DialogButtons>
    </Form>
  )
}
