import { ArrowRight, CircleCheck, CircleDashed } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { type Allowed, whyNotOf } from '../allowed.ts'
import { missingUntil } from './missing.ts'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

interface Props {
  title: string
  /** Of a record at its end: what that means. */
  text?: string | undefined
  you: Allowed
  /** The transition that leads on, and what its button says. */
  next: { act: string; button: string } | undefined
  /** The act that ends the work: what keeps it is what is missing. */
  goal: string
  onTake: (act: string) => void
  /** The part of the page where a condition is met. */
  anchorOf: (condition: string) => string | undefined
  /** Other ways from here, and what stands in their way. */
  children?: ReactNode
}

/** What keeps the record from its end, and the step that leads on. */
export function NextStep({ title, text, you, next, goal, onTake, anchorOf, children }: Props) {
  const w = useCaseWords()
  const missing = missingUntil(you, goal, next?.act)
  const refusal = next && whyNotOf(you, next.act)
  const isYours = next !== undefined && refusal === undefined
  return (
    <section className={`${styles.next} ${isYours ? styles.yours : ''}`} aria-labelledby="next">
      <h2 id="next">{title}</h2>
      {text && <p className={styles.ended}>{text}</p>}
      {missing.length > 0 ? (
        <ul className={styles.missing}>
          {missing.map(condition => {
            const anchor = anchorOf(condition)
            const text = (w.conditions as Record<string, string>)[condition] ?? condition.replaceAll('_', ' ')
            return (
              <li key={condition}>
                <CircleDashed size={15} aria-hidden="true" />
                {anchor ? <a href={`#${anchor}`}>{text}</a> : text}
              </li>
            )
          })}
        </ul>
      ) : (
        isYours && (
          <p className={styles.ready}>
            <CircleCheck size={15} aria-hidden="true" /> {w.nothingMissing}
          </p>
        )
      )}
      {next && (
        <div className={styles.step} data-print="none">
          <Button look={isYours ? 'main' : 'plain'} icon={ArrowRight} whyNot={refusal} onPress={() => onTake(next.act)}>
            {next.button}
          </Button>
          {refusal !== undefined && missing.length === 0 && <p className="soft">{refusal}</p>}
        </div>
      )}
      {children && <div className={styles.others}>{children}</div>}
    </section>
  )
}
