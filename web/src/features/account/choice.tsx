import type { ReactNode } from 'react'
import { Label, Radio, RadioGroup } from 'react-aria-components'
import styles from './account.module.css'

interface Props<T extends string> {
  label: string
  value: T
  options: { id: T; name: string; icon: ReactNode }[]
  onChange: (value: T) => void
}

/** One of a few, all in sight. */
export const Choice = <T extends string>({ label, value, options, onChange }: Props<T>) => (
  <RadioGroup className={styles.choice!} value={value} onChange={chosen => onChange(chosen as T)}>
    <Label>{label}</Label>
    <div>
      {options.map(({ id, name, icon }) => (
        <Radio key={id} value={id}>
          {icon}
          {name}
        </Radio>
      ))}
    </div>
  </RadioGroup>
)
