import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { logIn, useMe } from '../session/session.ts'
import styles from './people.module.css'
import { usePeopleWords } from './words.ts'

interface SectionProps {
  title: string
  about?: ReactNode
  action?: ReactNode
  children?: ReactNode
}

/** A part of a page under its heading. */
export function Section({ title, about, action, children }: SectionProps) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {about && <p className="soft">{about}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}

export const Mark = ({ look, children }: { look?: 'warn' | 'good'; children: ReactNode }) => (
  <span className={look ? `${styles.mark} ${styles[look]}` : styles.mark}>{children}</span>
)

/**
 * Some changes want a log-in of the last minutes. Where it is longer ago, the form asks for the password, and logs in anew before it sends
 * the same again.
 */
export function useFreshLogin() {
  const w = usePeopleWords()
  const { username, totp_enrolled } = useMe()
  const client = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  async function withLogin<T>(send: () => Promise<T>): Promise<T> {
    try {
      if (isAsked && password !== '') await logIn(client, { username, password, ...(otp && { otp }) })
      return await send()
    } catch (error) {
      setPassword('')
      setOtp('')
      if (error instanceof Problem && error.status === 401) setAsked(true)
      throw error
    }
  }
  const fields = isAsked && (
    <fieldset>
      <legend className={styles.legend}>{w.confirmLogin}</legend>
      <p className="soft">{w.confirmLoginHint}</p>
      <PasswordField value={password} onChange={setPassword} />
      {totp_enrolled && <CodeField isRequired value={otp} onChange={setOtp} />}
    </fieldset>
  )
  return { withLogin, fields }
}

/** After a change of who may do what: all that these pages show of it. */
export const useRefresh = () => {
  const client = useQueryClient()
  return () =>
    refresh(client, 'users/', 'roles/', 'groups/', 'service-accounts/', 'identity-providers/', 'sso-domains/')
}
