import { useRouterState } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useMe } from '../features/session/session.ts'
import { keepDraft, readDraft } from '../ui/use-draft.ts'
import type { Member, Outcome, Waiting } from './series-members.ts'

// Kept as a draft is: in this tab alone, by person, through a reload and a signature by the provider, and gone with the log-out.
const keyOf = (userId: number) => `series ${userId}`
const listeners = new Set<() => void>()
const store = (userId: number, members: Member[]) => {
  keepDraft(keyOf(userId), members.length > 0 ? JSON.stringify(members) : '')
  for (const each of listeners) each()
}
const read = (userId: number) => readDraft(keyOf(userId))
const membersIn = (text: string) => (text ? (JSON.parse(text) as Member[]) : [])

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What became of the record with this page, if it is one of the series. */
export function settle(userId: number, page: string, outcome: Outcome) {
  const members = membersIn(read(userId))
  if (members.some(each => each.page === page))
    store(
      userId,
      members.map(each => (each.page === page ? { ...each, outcome } : each)),
    )
}

/** The approvals that somebody gives one after the other; each is signed by itself. */
export function useSeries() {
  const { id } = useMe()
  const text = useSyncExternalStore(subscribe, () => read(id))
  const members = membersIn(text)
  return {
    members,
    begin: (waiting: Waiting[]) =>
      store(
        id,
        waiting.map(({ page, number, title }) => ({ page, number, title })),
      ),
    settle: (page: string, outcome: Outcome) => settle(id, page, outcome),
    end: () => store(id, []),
  }
}

/** The member whose page is in sight. */
export function useMemberInSight() {
  const { members } = useSeries()
  const pathname = useRouterState({ select: state => state.resolvedLocation?.pathname ?? state.location.pathname })
  return members.find(({ page }) => page === pathname)
}
