import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Monitor, SquareTerminal, X } from 'lucide-react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat } from '../../words/index.ts'
import styles from './account.module.css'
import { programOf } from './programs.ts'
import { Section } from './section.tsx'
import { useAccountWords } from './words.ts'

type Session = Answer<'GET /api/auth/sessions/'>[number]

export function Sessions() {
  const w = useAccountWords()
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(ask('GET /api/auth/sessions/', {}))
  const endOthers = useMutation<Answer<'POST /api/auth/sessions/end-others'>, Problem>({
    mutationFn: () => call('POST /api/auth/sessions/end-others', {}),
    onSuccess: ({ ended }) => {
      announce(w.ended(ended))
      return refresh(client, 'auth/sessions/')
    },
  })
  const endOne = useMutation<void, Problem, number>({
    mutationFn: id => call('DELETE /api/auth/sessions/{id}', { path: { id } }),
    onSuccess: () => announce(w.ended(1)),
    // One that is gone already is not in the list any more.
    onSettled: () => refresh(client, 'auth/sessions/'),
  })
  const refusal = endOthers.error ?? endOne.error
  return (
    <Section
      title={w.sessions}
      about={w.sessionsHint}
      action={
        data?.some(each => !each.is_current) && (
          <Button isPending={endOthers.isPending} onPress={() => endOthers.mutate()}>
            {w.endOthers}
          </Button>
        )
      }
    >
      {refusal && <Refused error={refusal} />}
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={3} />
      ) : (
        <ul className={styles.list}>
          {data
            .toSorted((a, b) => Number(b.is_current) - Number(a.is_current))
            .map(session => (
              <SessionLine
                key={session.id}
                session={session}
                isPending={endOne.isPending}
                onEnd={() => endOne.mutate(session.id)}
              />
            ))}
        </ul>
      )}
    </Section>
  )
}

interface LineProps {
  session: Session
  isPending: boolean
  onEnd: () => void
}

function SessionLine({ session, isPending, onEnd }: LineProps) {
  const w = useAccountWords()
  const { ago, moment } = useFormat()
  const { kind, is_current, client_addr, user_agent, created_at, last_seen_at, second_factor } = session
  const { browser, system } = programOf(user_agent)
  const name = system === undefined ? browser || w.program : w.programOn(browser, system)
  const Icon = kind === 'browser' ? Monitor : SquareTerminal
  return (
    <li>
      <Icon size={17} aria-hidden="true" />
      <div>
        <b title={user_agent}>{name}</b>
        {is_current && <span className={styles.here}>{w.thisOne}</span>}
        <p className="soft">
          {client_addr} · <span title={moment(created_at)}>{w.since(ago(created_at))}</span> ·{' '}
          <span title={moment(last_seen_at)}>{w.lastSeen(ago(last_seen_at))}</span>
          {second_factor && ` · ${w.withSecondFactor}`}
        </p>
      </div>
      {!is_current && <Button look="icon" label={w.end(name)} icon={X} isPending={isPending} onPress={onEnd} />}
    </li>
  )
}
