import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Hourglass } from 'lucide-react'
import type { Answer } from '../api/client.ts'
import { ask } from '../api/queries.ts'
import { nameOf } from '../ui/person.tsx'
import { announce } from '../ui/toasts.tsx'
import { useFormat, useLanguage } from '../words/index.ts'
import styles from './change-proposed.module.css'

type Proposed = Answer<'GET /api/configuration-changes/{id}'>

const en = {
  proposed: (title: string) => `The change of ${title} is proposed.`,
  by: (names: string) => `It takes effect when ${names} approves it.`,
  awaits: (names: string) => `A change waits for approval by ${names}.`,
  see: 'See the change',
}
const de: typeof en = {
  proposed: title => `Die Änderung von ${title} ist vorgeschlagen.`,
  by: names => `Sie wirkt, wenn ${names} sie freigibt.`,
  awaits: names => `Eine Änderung wartet auf Freigabe durch ${names}.`,
  see: 'Zur Änderung',
}
const catalogues = { en, de }

/** A change of the rules is stored at once, or proposed where the company asks for a second person: the answer is the proposal then. */
export const isProposal = (answer: object): answer is Proposed => 'proposed_by' in answer && 'changes' in answer

/** Says that a change is proposed, and who has to approve it; false for one that took effect. */
export function useStored() {
  const w = catalogues[useLanguage()]
  const { list } = useFormat()
  return {
    saidAsProposal(answer: object) {
      if (!isProposal(answer)) return false
      announce(w.proposed(answer.title), w.by(list(answer.approvers.map(nameOf))))
      return true
    },
  }
}

/** On the page of a record: a change of it waits for somebody. */
export function AwaitingChange({ id }: { id: number }) {
  const w = catalogues[useLanguage()]
  const { list } = useFormat()
  const { data } = useQuery(ask('GET /api/configuration-changes/{id}', { path: { id } }))
  if (data?.status !== 'pending') return null
  return (
    <p className={styles.awaits}>
      <Hourglass size={15} aria-hidden="true" />
      <span>
        {w.awaits(list(data.approvers.map(nameOf)))}{' '}
        <Link to="/admin/changes/$id" params={{ id }}>
          {w.see}
        </Link>
      </span>
    </p>
  )
}
