import { Check } from 'lucide-react'
import { useWords } from '../../words/index.ts'
import styles from './stepper.module.css'
import { useCaseWords } from './words.ts'

interface Props {
  label: string
  steps: readonly string[]
  /** Undefined for one that left the way: cancelled or rejected. */
  current: string
}

/** The states on the way, and how far the record has come. */
export function Stepper({ label, steps, current }: Props) {
  const w = useCaseWords()
  const { recordStates, states } = useWords()
  const at = steps.indexOf(current)
  const isOver = at === steps.length - 1
  return (
    <ol className={styles.steps} aria-label={label}>
      {steps.map((step, index) => {
        const isDone = index < at || (isOver && index === at)
        return (
          <li
            key={step}
            className={isDone ? styles.done : index === at ? styles.now : ''}
            aria-current={index === at ? 'step' : undefined}
          >
            <span className={styles.mark} aria-hidden="true">
              {isDone ? <Check size={13} strokeWidth={3} /> : index + 1}
            </span>
            <span className={styles.name}>
              {(recordStates as Record<string, string>)[step] ?? (states as Record<string, string>)[step]}
              {isDone && <span className="visually-hidden"> {w.stepDone}</span>}
            </span>
          </li>
        )
      })}
    </ol>
  )
}
