import { Check, Dot, Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useWords } from '../../words/index.ts'
import styles from './session.module.css'

interface Props {
  value: string
  onChange: (value: string) => void
  /** What the service says of it. */
  wrong?: string | undefined
  /** Unknown before the log-in: then the service alone says it. */
  minLength?: number
  autoFocus?: boolean
}

/** The rules stand there before somebody types. The service decides; the length is the one that a page can see. */
export function NewPassword({ value, onChange, wrong, minLength, autoFocus = false }: Props) {
  const { password: w } = useWords()
  const [isShown, setShown] = useState(false)
  const isLong = minLength !== undefined && Array.from(value.normalize('NFC')).length >= minLength
  return (
    <div className={styles.newPassword}>
      <Field
        label={w.next}
        type={isShown ? 'text' : 'password'}
        autoComplete="new-password"
        spellCheck="false"
        autoFocus={autoFocus}
        isRequired
        value={value}
        onChange={onChange}
        wrong={wrong}
        hint={
          <span className={styles.rules}>
            {minLength !== undefined && (
              <span className={isLong ? styles.met : ''}>
                {isLong ? <Check size={14} aria-hidden="true" /> : <Dot size={14} aria-hidden="true" />}
                {w.long(minLength)}
              </span>
            )}
            {w.rules.map(rule => (
              <span key={rule}>
                <Dot size={14} aria-hidden="true" />
                {rule}
              </span>
            ))}
          </span>
        }
      />
      <Button
        look="icon"
        label={isShown ? w.hide : w.show}
        icon={isShown ? EyeOff : Eye}
        onPress={() => setShown(!isShown)}
      />
    </div>
  )
}
