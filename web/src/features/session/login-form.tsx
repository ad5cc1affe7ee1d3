import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'
import { OtherWays } from './other-ways.tsx'
import { isAddress } from './search.ts'
import styles from './session.module.css'
import { type Credentials, logIn } from './session.ts'

interface Props {
  /** Whose session ended: nobody else logs in to what they have open. */
  username?: string
  /** The page to come to by a provider. */
  to: string
  onDone: () => void
  children?: ReactNode
}

export function LoginForm({ username, to, onDone, children }: Props) {
  const { session: w } = useWords()
  const client = useQueryClient()
  const [given, setGiven] = useState<Credentials>({ username: username ?? '', password: '', otp: '' })
  // How the people of a mail domain log in; what is typed is asked for once it stands still.
  const typed = useLater(given.username.trim(), 400)
  const { data: options } = useQuery(
    askPage('GET /api/auth/options', { query: { email: isAddress(typed) ? typed : undefined } }),
  )
  const attempt = useMutation<void, Problem, Credentials>({
    mutationFn: ({ otp, ...rest }) => logIn(client, { ...rest, username: rest.username.trim(), ...(otp && { otp }) }),
    onSuccess: onDone,
    // A code is good for one attempt, and which of the three was wrong is not said.
    onError: () => setGiven({ ...given, password: '', otp: '' }),
  })
  const submit = () => {
    if (!attempt.isPending) attempt.mutate(given)
  }
  const byPassword = options?.password ?? true
  return (
    <>
      <Form onSend={submit}>
        {attempt.error &&
          (attempt.error.status === 401 ? <Refused>{w.wrong}</Refused> : <Refused error={attempt.error} />)}
        {!username && (
          <Field
            label={w.username}
            autoComplete="username"
            spellCheck="false"
            autoFocus
            isRequired
            value={given.username}
            onChange={value => setGiven({ ...given, username: value })}
          />
        )}
        {byPassword ? (
          <>
            <PasswordField
              label={w.password}
              autoFocus={Boolean(username)}
              value={given.password}
              onChange={value => setGiven({ ...given, password: value })}
            />
            <CodeField
              hint={w.otpHint}
              value={given.otp ?? ''}
              onChange={value => setGiven({ ...given, otp: value })}
            />
            <Button type="submit" look="main" isPending={attempt.isPending}>
              {w.submit}
            </Button>
            {!username && (
              <Link to={paths.forgotPassword} className={styles.forgot}>
                {w.forgot}
              </Link>
            )}
          </>
        ) : (
          <p className="soft">{w.providerAlone}</p>
        )}
      </Form>
      {options && <OtherWays options={options} to={to} username={username} onDone={onDone} />}
      {children}
    </>
  )
}
