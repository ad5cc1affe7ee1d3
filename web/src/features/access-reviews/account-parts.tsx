import { Ban, Bot, Clock, LockKeyhole, type LucideIcon } from 'lucide-react'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import styles from './access.module.css'
import type { Account } from './decisions.ts'

/** What is to be known of an account before anything else. */
export function Marks({ of: { is_active, locked_until, source, dormant_since } }: { of: Account }) {
  const { states: w, dormantSince } = useEvidenceWords().access
  const { day } = useFormat()
  const marks: [boolean, LucideIcon, string, string][] = [
    [!is_active, Ban, 'idle', w.inactive],
    [locked_until !== null, LockKeyhole, 'warn', w.locked],
    [source === 'service', Bot, 'idle', w.service],
    [dormant_since !== null, Clock, 'warn', dormant_since === null ? w.dormant : dormantSince(day(dormant_since))],
  ]
  return marks
    .filter(([isSo]) => isSo)
    .map(([, Icon, look, name]) => (
      <span key={name} className={`${styles.mark} ${styles[look]}`}>
        <Icon size={12} aria-hidden="true" />
        {name}
      </span>
    ))
}

/** The permissions that a person has, or lacks, beside their role. */
export function SinglePermissions({ of: { granted, granted_count, denied, denied_count } }: { of: Account }) {
  const { access: w } = useEvidenceWords()
  if (granted_count + denied_count === 0) return <span className="soft">{w.noSingle}</span>
  return (
    <span className={styles.permissions}>
      {granted_count > 0 && <span title={granted.join(', ')}>{w.granted(granted_count)}</span>}
      {denied_count > 0 && <span title={denied.join(', ')}>{w.denied(denied_count)}</span>}
    </span>
  )
}

export function LastLogin({ of: { last_login_at } }: { of: Account }) {
  const { access: w } = useEvidenceWords()
  const { ago, moment } = useFormat()
  if (last_login_at === null) return <span className="soft">{w.never}</span>
  return (
    <time dateTime={last_login_at} title={moment(last_login_at)}>
      {ago(last_login_at)}
    </time>
  )
}
