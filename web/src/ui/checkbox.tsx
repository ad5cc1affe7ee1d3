import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components'
import styles from './checkbox.module.css'

interface Props extends Omit<CheckboxProps, 'className' | 'children'> {
  children: ReactNode
  detail?: ReactNode
}

/** Yes or no, with what it means. */
export const Checkbox = ({ children, detail, ...props }: Props) => (
  <AriaCheckbox {...props} className={styles.checkbox!}>
    <span className={styles.box} aria-hidden="true">
      <Check size={12} strokeWidth={3} />
    </span>
    <span>
      {children}
      {detail && <span className={styles.detail}>{detail}</span>}
    </span>
  </AriaCheckbox>
)
