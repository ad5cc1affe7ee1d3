import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { Brand } from './brand.tsx'
import { call, type Refusal } from './client.ts'
import type { Session } from './session.ts'

export function SignIn({ notice, onSignedIn }: { notice: string | undefined; onSignedIn: (session: Session) => void }) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const hint = useId()

  useEffect(() => {
    document.title = 'Sign in · Attest control panel'
    field(form.current, 'username').focus()
  }, [])

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const text = (name: string) => field(form.current, name).value
    const otp = text('otp').replaceAll(/\s/g, '')
    setBusy(true)
    setProblem(undefined)
    try {
      const body = { username: text('username').trim(), password: text('password'), ...(otp && { otp }) }
      onSignedIn(await call('POST /api/auth/token', { body }))
    } catch (error) {
      setProblem(problemOf(error as Refusal))
      // A code is good for one attempt, and the answer does not say which of the three was wrong.
      for (const name of ['password', 'otp']) field(form.current, name).value = ''
      field(form.current, 'password').focus()
      setBusy(false)
    }
  }

  return (
    <main className="gate">
      <div className="gate-card">
        <Brand />
        <h1>Sign in</h1>
        <p className="muted">For the platform team, with a second factor.</p>
        {notice && !problem && (
          <p className="note" role="status">
            {notice}
          </p>
        )}
        <div role="alert">{problem && <p className="note bad">{problem}</p>}</div>
        <form ref={form} onSubmit={event => void signIn(event)}>
          <label>
            <span>User name or e-mail address</span>
            <input
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              required
              maxLength={254}
            />
          </label>
          <label>
            <span>Password</span>
            <input name="password" type="password" autoComplete="current-password" required maxLength={1024} />
          </label>
          <label>
            <span>One-time code</span>
            <input
              name="otp"
              inputMode="numeric"
              autoComplete="one-time-code"
              pattern="\s*([0-9]\s*){6}"
              title="6 digits"
              maxLength={20}
              aria-describedby={hint}
            />
          </label>
          <p id={hint} className="hint">
            The 6 digits that your authenticator app shows now.
          </p>
          <button type="submit" className="main" aria-disabled={isBusy}>
            {isBusy ? 'Signing in …' : 'Sign in'}
          </button>
        </form>
      </div>
    </main>
  )
}

const field = (form: HTMLFormElement | null, name: string) => form!.elements.namedItem(name) as HTMLInputElement

function problemOf({ status, message }: Refusal): string {
  if (status === 401)
    return 'The user name, the password or the code is wrong. A code works once, so wait for the next one.'
  return message
}
