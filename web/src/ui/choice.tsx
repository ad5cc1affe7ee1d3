import type { ReactNode } from 'react'
import { FieldError, Label, Radio, RadioGroup } from 'react-aria-components'
import styles from './choice.module.css'

interface Props<T extends string> {
  label: string
  options: { id: T; name: string; detail?: ReactNode; isDisabled?: boolean }[]
  value: T | ''
  onChange: (value: T) => void
  isRequired?: boolean
  wrong?: string | undefined
}

/** One of a few values, all in sight, each with what it means. */
export function Choice<T extends string>({ label, options, value, onChange, isRequired, wrong }: Props<T>) {
  return (
    <RadioGroup
      className={styles.choice!}
      value={value || null}
      onChange={id => onChange(id as T)}
      isInvalid={wrong !== undefined}
      validationBehavior="aria"
      {...(isRequired && { isRequired })}
    >
      <Label>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      {options.map(({ id, name, detail, isDisabled }) => (
        <Radio key={id} value={id} className={styles.option!} {...(isDisabled && { isDisabled })}>
          <span className={styles.mark} aria-hidden="true" />
          <span>
            {name}
            {detail && <span className={styles.detail}>{detail}</span>}
          </span>
        </Radio>
      ))}
      <FieldError>{wrong}</FieldError>
    </RadioGroup>
  )
}
