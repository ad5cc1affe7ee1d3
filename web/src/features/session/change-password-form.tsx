import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { PasswordField } from '../../ui/secret-fields.tsx'
import { useWords } from '../../words/index.ts'
import { NewPassword } from './new-password.tsx'
import { useMe } from './session.ts'

interface Props {
  /** Of the first log-in: the password in use is the one that somebody else chose. */
  isTemporary?: boolean
  onDone: (password: string) => void
  buttons: (isPending: boolean) => ReactNode
}

export function ChangePasswordForm({ isTemporary = false, onDone, buttons }: Props) {
  const { password: w } = useWords()
  const { features, username } = useMe()
  const client = useQueryClient()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const { mutate, isPending, error } = useMutation<Answer<'POST /api/auth/change-password'>, Problem>({
    mutationFn: () =>
      call('POST /api/auth/change-password', { body: { current_password: current, new_password: next } }),
    onSuccess: async () => {
      // The session goes on with another cookie, and with more permissions after a temporary password.
      await client.invalidateQueries()
      onDone(next)
    },
    onError: problem => {
      if (problem.of('new_password') === undefined) setCurrent('')
      setNext('')
    },
  })
  return (
    <Form onSend={() => isPending || mutate()}>
      {error && error.issues.length === 0 && error.status !== 401 && <Refused error={error} />}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <PasswordField
        label={isTemporary ? w.temporary : w.current}
        autoFocus
        value={current}
        onChange={setCurrent}
        wrong={error?.status === 401 ? error.message : error?.of('current_password')}
      />
      <NewPassword
        value={next}
        onChange={setNext}
        minLength={features.password.min_length}
        wrong={error?.of('new_password')}
      />
      {buttons(isPending)}
    </Form>
  )
}
