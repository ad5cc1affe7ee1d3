import { Check, ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from 'react-aria-components'
import styles from './set-up.module.css'
import { useSetUpWords } from './words.ts'

interface Props {
  place: number
  title: string
  /** What its records say now. */
  state: string
  isDone: boolean
  isOpen: boolean
  onToggle: () => void
  children: ReactNode
}

export function Step({ place, title, state, isDone, isOpen, onToggle, children }: Props) {
  const w = useSetUpWords()
  const id = useId()
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <li>
      <h2>
        <Button
          className={styles.head!}
          aria-expanded={isOpen}
          {...(isOpen && { 'aria-controls': id })}
          onPress={onToggle}
        >
          <span className={styles.mark} {...(isDone && { 'data-done': true })} aria-hidden="true">
            {isDone ? <Check size={14} /> : place}
          </span>
          <span>
            <b>{title}</b>
            <span>
              {isDone ? w.done : w.open}: {state}
            </span>
          </span>
          <Chevron size={16} aria-hidden="true" />
        </Button>
      </h2>
      {isOpen && (
        <section id={id} aria-label={title} className={styles.body}>
          {children}
        </section>
      )}
    </li>
  )
}
