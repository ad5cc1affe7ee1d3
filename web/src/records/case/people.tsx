import { UserRoundPen } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Person, type PersonShape } from '../../ui/person.tsx'
import { FactList } from '../fact-list.tsx'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

interface Props {
  /** What they are to the record, and since when. */
  facts: [string, PersonShape | null, (string | null)?][]
  /** Missing: this person may not. */
  onAssign?: (() => void) | undefined
}

export function People({ facts, onAssign }: Props) {
  const w = useCaseWords()
  const [[, assignee]] = facts as [Props['facts'][number]]
  return (
    <section aria-labelledby="people">
      <header className={styles.head}>
        <h2 id="people">{w.people}</h2>
        {onAssign && (
          <span data-print="none">
            <Button look="quiet" icon={UserRoundPen} onPress={onAssign}>
              {assignee ? w.reassign : w.assign}
            </Button>
          </span>
        )}
      </header>
      <FactList
        facts={facts.map(([name, person, when], index) => [
          name,
          person ? (
            <span key={name} className={styles.who}>
              <Person of={person} />
              {when && <span className="soft">{when}</span>}
            </span>
          ) : (
            index === 0 && (
              <span key={name} className="soft">
                {w.nobody}
              </span>
            )
          ),
        ])}
      />
    </section>
  )
}
