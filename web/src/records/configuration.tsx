// Changes of the rules of a company that another person has to approve (docs/configuration-changes.md).
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import type { Answer, Operations } from '../api/client.ts'
import { ask } from '../api/queries.ts'
import { useMe } from '../features/session/session.ts'
import { nameOf } from '../ui/person.tsx'
import { useLanguage } from '../words/index.ts'
import styles from './configuration.module.css'

export type ConfigurationChange = Answer<'GET /api/configuration-changes/{id}'>
type Kind = NonNullable<NonNullable<Operations['GET /api/configuration-changes/']['query']>['kind']>

const en = {
  proposed: (number: string) => `${number} is proposed, and nothing has changed yet`,
  proposedHint:
    'It takes effect when another person who may change these rules approves it with a signature. They are notified.',
  pending: (number: string, name: string) => `${number} by ${name} awaits the approval of another person`,
  pendingHint: 'Until then, what stands here holds. A change of your own would make it outdated.',
  show: 'Show the change',
}
const de: typeof en = {
  proposed: number => `${number} ist vorgeschlagen, geändert ist noch nichts`,
  proposedHint:
    'Sie gilt, sobald eine andere Person, die diese Regeln ändern darf, sie mit Unterschrift freigibt. Diese Personen sind benachrichtigt.',
  pending: (number, name) => `${number} von ${name} wartet auf die Freigabe einer anderen Person`,
  pendingHint: 'Bis dahin gilt, was hier steht. Mit einer eigenen Änderung wäre sie überholt.',
  show: 'Änderung zeigen',
}
const catalogues = { en, de }
const useChangeWords = () => catalogues[useLanguage()]

/** Where the company wants a second person, the answer of a change is the proposal of it, and not the record. */
export const isProposed = (answer: object): answer is ConfigurationChange =>
  'proposed_by' in answer && 'digest' in answer && 'changes' in answer

interface NoteProps {
  title: string
  hint: string
  change: number
}

function Note({ title, hint, change }: NoteProps) {
  const w = useChangeWords()
  return (
    <div className={styles.note} role="status">
      <Users size={17} aria-hidden="true" />
      <div>
        <b>{title}</b>
        <p>{hint}</p>
        <Link to={`/admin/changes/${change}` as string}>{w.show}</Link>
      </div>
    </div>
  )
}

/** After a change that was proposed instead of stored: what happens with it now. */
export function Proposed({ of: { id, number } }: { of: Pick<ConfigurationChange, 'id' | 'number'> }) {
  const w = useChangeWords()
  return <Note title={w.proposed(number)} hint={w.proposedHint} change={id} />
}

/** On the page of a record: that a change of it awaits another person. */
export function PendingChange({ kind, id }: { kind: Kind; id: number }) {
  const w = useChangeWords()
  const { permissions } = useMe()
  const { data } = useQuery({
    ...ask('GET /api/configuration-changes/', { query: { kind, status: 'pending', page_size: 100 } }),
    enabled: permissions.includes('configuration_changes.read'),
  })
  return data?.items
    .filter(({ resource_id }) => resource_id === id)
    .map(change => (
      <Note
        key={change.id}
        title={w.pending(change.number, nameOf(change.proposed_by))}
        hint={w.pendingHint}
        change={change.id}
      />
    ))
}
