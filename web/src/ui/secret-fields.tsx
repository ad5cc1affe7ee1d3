import type { ReactNode } from 'react'
import { useWords } from '../words/index.ts'
import { Field } from './field.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
  label?: string
  hint?: ReactNode
  autoFocus?: boolean
  isRequired?: boolean
  wrong?: string | undefined
}

/** The password in use, which a manager of passwords fills in. */
export function PasswordField({ label, isRequired = true, autoFocus = false, ...props }: Props) {
  const { password: w } = useWords()
  return (
    <Field
      {...props}
      label={label ?? w.current}
      type="password"
      autoComplete="current-password"
      isRequired={isRequired}
      autoFocus={autoFocus}
    />
  )
}

/** A code of an authenticator app. Apps show it in two groups, and that is how it is copied: the space between them is none of it. */
export function CodeField({ label, onChange, isRequired = false, autoFocus = false, ...props }: Props) {
  const { session: w } = useWords()
  return (
    <Field
      {...props}
      label={label ?? w.otp}
      onChange={value => onChange(value.replaceAll(/\s/g, ''))}
      inputMode="numeric"
      autoComplete="one-time-code"
      isRequired={isRequired}
      autoFocus={autoFocus}
    />
  )
}
