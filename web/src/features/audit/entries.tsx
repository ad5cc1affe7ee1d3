import { ChevronRight, CircleX, ShieldX } from 'lucide-react'
import { useId, useState } from 'react'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useActions } from './actions.ts'
import styles from './entries.module.css'
import { type Entry, useActorName } from './entry.ts'
import { EntryDetails } from './entry-details.tsx'
import { byDay } from './values.ts'

/** A page of the trail by time; each entry unfolds. */
export function Entries({ entries, isOld }: { entries: Entry[]; isOld: boolean }) {
  const { audit: w } = useEvidenceWords()
  const { day } = useFormat()
  return (
    <div className={styles.trail} aria-busy={isOld}>
      <p className={styles.utc}>{w.utc}</p>
      {byDay(entries).map(({ day: of, items }) => (
        <section key={`${of} ${items[0]!.id}`}>
          <h2>{day(of)}</h2>
          <ol>
            {items.map(entry => (
              <Line key={entry.id} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
    </div>
  )
}

function Line({ entry }: { entry: Entry }) {
  const { audit: w } = useEvidenceWords()
  const { locale } = useFormat()
  const { nameOf: actionName } = useActions()
  const actor = useActorName()
  const [isOpen, setOpen] = useState(false)
  const details = useId()
  const { occurred_at, action, resource_number, outcome } = entry
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', timeZone: 'UTC' }).format(new Date(occurred_at))
  return (
    <li className={isOpen ? styles.open : undefined}>
      <button type="button" aria-expanded={isOpen} aria-controls={details} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden="true" className={styles.arrow} />
        <time dateTime={occurred_at}>{time}</time>
        <span className={styles.who}>{actor(entry)}</span>
        <span className={styles.what}>
          {actionName(action)}
          {outcome !== 'success' && (
            <span className={styles[outcome]}>
              {outcome === 'denied' ? (
                <ShieldX size={13} aria-hidden="true" />
              ) : (
                <CircleX size={13} aria-hidden="true" />
              )}
              {w.outcomes[outcome]}
            </span>
          )}
        </span>
        <span className={styles.number}>{resource_number}</span>
      </button>
      <div id={details} hidden={!isOpen}>
        {isOpen && <EntryDetails entry={entry} />}
      </div>
    </li>
  )
}
