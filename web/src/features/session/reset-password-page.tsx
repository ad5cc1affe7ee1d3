import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { Card } from './card.tsx'
import { useForgottenWords } from './forgotten-words.ts'
import { NewPassword } from './new-password.tsx'
import { useResetWords } from './reset-words.ts'
import styles from './session.module.css'

/** For the link of an e-mail, after an invitation or a reset. The code stands behind `#`, so that no server gets it with the address. */
export function ResetPasswordPage() {
  const w = useResetWords()
  const forgotten = useForgottenWords()
  const navigate = useNavigate()
  const [token] = useState(() => location.hash.slice(1))
  const [password, setPassword] = useState('')
  // Whoever looks at the address, or at the history of a shared browser, finds no code there.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  const { mutate, isPending, error } = useMutation<void, Problem>({
    mutationFn: () => call('POST /api/auth/reset-password', { body: { token, new_password: password } }),
    onSuccess: () => {
      announce(w.done)
      return navigate({ to: paths.signIn, replace: true })
    },
    onError: () => setPassword(''),
  })
  const ended = token === '' ? w.noCode : error?.of('token')
  if (ended !== undefined)
    return (
      <Card title={w.title}>
        <Refused>{ended}</Refused>
        <Link to={paths.forgotPassword} className={styles.forgot}>
          {w.anew}
        </Link>
      </Card>
    )
  return (
    <Card title={w.title} about={w.hint}>
      <Form onSend={() => isPending || mutate()}>
        {error && error.of('new_password') === undefined && <Refused error={error} />}
        <NewPassword value={password} onChange={setPassword} wrong={error?.of('new_password')} autoFocus />
        <Button type="submit" look="main" isPending={isPending}>
          {w.submit}
        </Button>
      </Form>
      <Link to={paths.signIn} className={styles.forgot}>
        {forgotten.back}
      </Link>
    </Card>
  )
}
