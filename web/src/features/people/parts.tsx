import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { ActDialog } from '../../records/act-dialog.tsx'
import { useStored } from '../../records/change-proposed.tsx'
import { Field } from '../../ui/field.tsx'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { announce } from '../../ui/toasts.tsx'
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

interface ReasonProps<T> {
  title: string
  about: ReactNode
  revision: number
  submit: string
  look?: 'main' | 'danger'
  size?: 's' | 'm'
  isRequired?: boolean
  /** False for a change that keeps none. */
  hasReason?: boolean
  /** What the field is called, where it is something else than a reason. */
  label?: string
  /** Whether the fields beside the reason are complete. */
  isComplete?: () => boolean
  send: (revision: number, reason: string | undefined) => Promise<T>
  done: string | ((answer: T) => string)
  onDone?: (answer: T) => void
  onClose: () => void
  /** What happens, and fields beside the reason. */
  children?: ReactNode | ((problem: Problem | null) => ReactNode)
}

/** A change with its reason: what will happen stands above it, and a refusal in the service's words. */
export function ReasonDialog<T>({
  isRequired = false,
  hasReason = true,
  label,
  isComplete = () => true,
  children,
  ...props
}: ReasonProps<T>) {
  const w = usePeopleWords()
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const isMissing = isRequired && reason.trim() === ''
  const { saidAsProposal } = useStored()
  const { send, done, onDone, ...dialog } = props
  return (
    <ActDialog
      {...dialog}
      changed={w.changed}
      isComplete={() => {
        setTried(true)
        return isComplete() && !isMissing
      }}
      send={revision => send(revision, reason.trim() || undefined)}
      onDone={answer => {
        if (!saidAsProposal(answer)) announce(typeof done === 'function' ? done(answer) : done)
        onDone?.(answer)
      }}
    >
      {problem => (
        <>
          {typeof children === 'function' ? (
            children(problem)
          ) : typeof children === 'string' ? (
            <p>{children}</p>
          ) : (
            children
          )}
          {hasReason && (
            <Field
              label={label ?? w.reason}
              hint={w.reasonHint}
              rows={2}
              maxLength={2000}
              isRequired={isRequired}
              value={reason}
              onChange={setReason}
              wrong={problem?.of('change_reason') ?? (isTried && isMissing ? w.reasonMissing : undefined)}
            />
          )}
        </>
      )}
    </ActDialog>
  )
}

export const withReason = (reason: string | undefined) => (reason === undefined ? {} : { change_reason: reason })

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
