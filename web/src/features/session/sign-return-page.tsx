import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { PenLine } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refreshRecords } from '../../api/queries.ts'
import { settle } from '../../app/series.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useStateName, useWords } from '../../words/index.ts'
import styles from './session.module.css'
import { useMe } from './session.ts'
import { dropWaiting, readWaiting, signWith, type Waiting } from './signing.ts'

/** Back from the provider, which has confirmed who signs and what. Nothing is signed by an address alone: the person presses the button. */
export function SignReturnPage() {
  const { signing: w, problems } = useWords()
  const { id } = useMe()
  const navigate = useNavigate()
  const { outcome, reference } = useSearch({ from: '/app/signing' })
  const [waiting] = useState(() => readWaiting(id))
  useTitle(w.title)
  if (!waiting) return <Empty icon={PenLine} title={w.nothing} />
  const leave = () => {
    dropWaiting(id)
    void navigate({ href: waiting.back, replace: true })
  }
  return (
    <div className={styles.return}>
      <h1>{w.title}</h1>
      {outcome === 'proved' ? (
        <Proved waiting={waiting} onLeave={leave} />
      ) : (
        <>
          <Refused>
            {w.refused[outcome ?? 'refused']} {reference && problems.reference(reference)}
          </Refused>
          <Button look="main" onPress={leave}>
            {w.back}
          </Button>
        </>
      )}
    </div>
  )
}

function Proved({
  waiting: { challenge, act, title, as, button, back },
  onLeave,
}: {
  waiting: Waiting
  onLeave: () => void
}) {
  const { signing: w, sign, common } = useWords()
  const stateName = useStateName()
  const { id: ownId } = useMe()
  const client = useQueryClient()
  const { data, error: unread } = useQuery(ask('GET /api/signing-challenges/{id}', { path: { id: challenge } }))
  const { mutate, isPending, error } = useMutation<Answer<typeof act.name>, Problem>({
    mutationFn: () => signWith(act, challenge),
    onSuccess: answer => {
      // What is signed is a record with a number and a state, or a part of one.
      const { number, status, passed } = answer as { number?: string; status?: string; passed?: boolean }
      // Answers that do not pass are handed in, and nothing is signed: their page says so.
      if (passed !== false) {
        settle(ownId, back, 'signed')
        announce(sign.done(number ?? title), status && sign.nowIs(stateName(status)))
      }
      onLeave()
      return refreshRecords(client)
    },
  })
  if (unread) return <Unreadable error={unread} />
  if (!data) return <Loading lines={3} />
  const signs = data.acts[0]?.signs
  return (
    <>
      <p>{w.confirmed}</p>
      <blockquote className={styles.statement}>
        <p>{title}</p>
        {signs && <p lang="en">{signs.intent}</p>}
        <p className="soft">{as}</p>
      </blockquote>
      {error && <Refused error={error} />}
      <div className="row at-end">
        <Button onPress={onLeave}>{error ? w.back : common.cancel}</Button>
        {!error && (
          <Button look="main" isPending={isPending} onPress={() => mutate()}>
            {button}
          </Button>
        )}
      </div>
    </>
  )
}
