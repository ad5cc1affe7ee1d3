// Changes of the rules of a company that another person has to approve (docs/configuration-changes.md).
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Answer, Operations } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { useMe } from '../../features/session/session.ts'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat, useLanguage } from '../../words/index.ts'
import styles from './change-proposed.module.css'

export type Proposal = Answer<'GET /api/configuration-changes/{id}'>
type Kind = NonNullable<NonNullable<Operations['GET /api/configuration-changes/']['query']>['kind']>

const en = {
  proposed: (title: string) => `The change of ${title} is proposed. Nothing has changed yet.`,
  by: (names: string) => `It takes effect when ${names} approves it.`,
  awaits: (names: string) => `A change waits for approval by ${names}.`,
  see: 'See the change',
}
const de: typeof en = {
  proposed: title => `Die Änderung von ${title} ist vorgeschlagen. Noch hat sich nichts geändert.`,
  by: names => `Sie wirkt, wenn ${names} sie freigibt.`,
  awaits: names => `Eine Änderung wartet auf Freigabe durch ${names}.`,
  see: 'Zur Änderung',
}
const catalogues = { en, de }

/** Where the company asks for a second person, the answer of a change is the proposal of it, and not the record. */
export const isProposal = (answer: unknown): answer is Proposal =>
  typeof answer === 'object' && answer !== null && 'proposed_by' in answer && 'changes' in answer

function useProposalWords() {
  const w = catalogues[useLanguage()]
  const { list } = useFormat()
  const namesOf = ({ approvers }: Pick<Proposal, 'approvers'>) => list(approvers.map(nameOf))
  return {
    see: w.see,
    proposed: ({ title }: Proposal) => w.proposed(title),
    by: (proposal: Proposal) => w.by(namesOf(proposal)),
    awaits: (proposal: Proposal) => w.awaits(namesOf(proposal)),
  }
}

/** Says that a change is proposed, and who has to approve it; false for one that took effect. */
export function useStored() {
  const w = useProposalWords()
  return {
    saidAsProposal(answer: unknown) {
      if (!isProposal(answer)) return false
      announce(w.proposed(answer), w.by(answer))
      return true
    },
  }
}

function Note({ id, children }: { id: number; children: ReactNode }) {
  const { see } = useProposalWords()
  return (
    <p className={styles.note} role="status">
      <Hourglass size={15} aria-hidden="true" />
      <span>
        {children}{' '}
        <Link to="/admin/changes/$id" params={{ id }}>
          {see}
        </Link>
      </span>
    </p>
  )
}

/** After a change that was proposed: who had it in hand must not think that it is stored. */
export function Proposed({ of }: { of: Proposal }) {
  const w = useProposalWords()
  return (
    <Note id={of.id}>
      {w.proposed(of)} {w.by(of)}
    </Note>
  )
}

/** A change that waits for somebody; nothing where it was decided meanwhile. */
export function AwaitingChange({ id }: { id: number }) {
  const w = useProposalWords()
  const { data } = useQuery(ask('GET /api/configuration-changes/{id}', { path: { id } }))
  if (data?.status !== 'pending') return null
  return <Note id={id}>{w.awaits(data)}</Note>
}

/** On the page of a rule: the changes of it that wait for somebody. */
export function AwaitingChanges({ kind, id }: { kind: Kind; id: number }) {
  const { permissions } = useMe()
  const { data } = useQuery({
    ...ask('GET /api/configuration-changes/', { query: { kind, status: 'pending', page_size: 100 } }),
    enabled: permissions.includes('configuration_changes.read'),
  })
  return data?.items
    .filter(({ resource_id }) => resource_id === id)
    .map(change => <AwaitingChange key={change.id} id={change.id} />)
}
