import styles from './editors.module.css'
import type { Fault } from './places.ts'

interface Props {
  faults: readonly Fault[]
  field: string
  /** Its own fields that say their faults themselves. */
  besides?: readonly string[]
}

const saidAtFields = ['due_days', 'remind_days_before', 'escalate_to', 'signature_type']

/** What is wrong with a part of a form that is no single field. */
export function OtherOf({ faults, field, besides = [] }: Props) {
  const found = faults.filter(
    ({ rest: [first, second] }) =>
      first === field && (second === undefined || ![...besides, ...saidAtFields].includes(second)),
  )
  return found.map(({ text }) => (
    <p key={text} className={styles.wrong}>
      {text}
    </p>
  ))
}
