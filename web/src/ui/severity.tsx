import { ChevronDown, ChevronsUp, ChevronUp, Equal, type LucideIcon, OctagonAlert, Triangle } from 'lucide-react'
import { useWords } from '../words/index.ts'
import type { Priority, Severity } from './severities.ts'
import styles from './severity.module.css'

const shapes: Record<Severity, LucideIcon> = { minor: Triangle, major: Triangle, critical: OctagonAlert }
const arrows: Record<Priority, LucideIcon> = { low: ChevronDown, medium: Equal, high: ChevronUp, critical: ChevronsUp }

/** A shape and a word: never a colour alone. */
export function SeverityMark({ of: severity }: { of: Severity }) {
  const { severities } = useWords()
  const Icon = shapes[severity]
  return (
    <span className={`${styles.mark} ${styles[severity]}`}>
      <Icon size={14} aria-hidden="true" />
      {severities[severity]}
    </span>
  )
}

export function PriorityMark({ of: priority }: { of: Priority }) {
  const { priorities } = useWords()
  const Icon = arrows[priority]
  return (
    <span className={`${styles.mark} ${styles[priority]}`}>
      <Icon size={14} aria-hidden="true" />
      {priorities[priority]}
    </span>
  )
}
