import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { PanelBrand } from './brand.tsx'
import { call } from './client.ts'
import styles from './control-panel.module.css'
import type { Session } from './session.ts'
import { usePanelTitle, usePanelWords } from './words.ts'

interface Props {
  notice: string | undefined
  language: ReactNode
  onSignedIn: (session: Session) => void
}

export function SignIn({ notice, language, onSignedIn }: Props) {
  const { signIn: w } = usePanelWords()
  const [given, setGiven] = useState({ username: '', password: '', otp: '' })
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const focus = (name: keyof typeof given) => (form.current!.elements.namedItem(name) as HTMLInputElement).focus()
  const fieldOf = (name: keyof typeof given) => ({
    name,
    value: given[name],
    onChange: (text: string) => setGiven(now => ({ ...now, [name]: text })),
  })
  usePanelTitle(w.title)
  useEffect(() => (form.current!.elements.namedItem('username') as HTMLInputElement).focus(), [])

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const otp = given.otp.replaceAll(/\s/g, '')
    setBusy(true)
    setProblem(undefined)
    try {
      const body = { username: given.username.trim(), password: given.password, ...(otp && { otp }) }
      onSignedIn(await call('POST /api/auth/token', { body }))
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(500, undefined))
      // A code is good for one attempt, and the answer does not say which of the three was wrong.
      setGiven(now => ({ ...now, password: '', otp: '' }))
      focus('password')
      setBusy(false)
    }
  }

  const said = problem && (problem.status === 401 ? w.wrong : problem.message || w.silent)
  return (
    <main className={styles.gate}>
      <div className={styles.card}>
        <div className={styles.cardTop}>
          <PanelBrand />
          {language}
        </div>
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.about}</p>
        </div>
        {notice && !problem && (
          <p className={styles.note} role="status">
            {notice}
          </p>
        )}
        <div role="alert" className={said ? styles.bad : undefined}>
          {said}
        </div>
        <form ref={form} onSubmit={event => void signIn(event)}>
          <Field
            {...fieldOf('username')}
            label={w.user}
            autoComplete="username"
            spellCheck="false"
            isRequired
            maxLength={254}
          />
          <Field
            {...fieldOf('password')}
            label={w.password}
            type="password"
            autoComplete="current-password"
            isRequired
            maxLength={1024}
          />
          <Field
            {...fieldOf('otp')}
            label={w.code}
            hint={w.codeHint}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={20}
          />
          <Button type="submit" look="main" isPending={isBusy}>
            {w.submit}
          </Button>
        </form>
      </div>
    </main>
  )
}
