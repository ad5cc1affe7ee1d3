import { CircleCheck, TriangleAlert } from 'lucide-react'
import styles from './outcome.module.css'

/** What a review ended with, as a colour, a shape and a word. */
export const Outcome = ({ of: outcome, name }: { of: 'findings' | 'no_findings'; name: string }) => (
  <span className={`${styles.outcome} ${styles[outcome]}`}>
    {outcome === 'findings' ? (
      <TriangleAlert size={14} aria-hidden="true" />
    ) : (
      <CircleCheck size={14} aria-hidden="true" />
    )}
    {name}
  </span>
)
