import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Building2, KeyRound } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { type PasskeyError, PasskeyRefused } from './passkey-refused.tsx'
import styles from './session.module.css'
import { logInByPasskey } from './session.ts'

interface Props {
  options: Answer<'GET /api/auth/options'>
  /** The page that a provider sends the browser back to. */
  to: string
  /** Whose session ended; somebody else with a passkey begins anew. */
  username?: string | undefined
  onDone: () => void
}

/** Without a password: by a passkey, or by the provider of the company. */
export function OtherWays({ options: { passkeys, providers, password }, to, username, onDone }: Props) {
  const { session: w, passkeys: pw } = useWords()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<void, PasskeyError>({
    mutationFn: () => logInByPasskey(client, username),
    onSuccess: onDone,
  })
  // Who has to come by the provider does not get in by a passkey either.
  const byPasskey = passkeys && password
  if (!byPasskey && providers.length === 0) return null
  return (
    <div className={styles.ways}>
      {password && <p className={styles.or}>{w.or}</p>}
      {error &&
        (error instanceof Problem && error.status === 401 ? (
          <Refused>{pw.notKnownHere}</Refused>
        ) : (
          <PasskeyRefused error={error} />
        ))}
      {providers.map(({ name, start }) => (
        <Button key={start} icon={Building2} onPress={() => location.assign(startAt(start, to))}>
          {w.byProvider(name)}
        </Button>
      ))}
      {byPasskey && (
        <Button icon={KeyRound} isPending={isPending} onPress={() => mutate()}>
          {w.byPasskey}
        </Button>
      )}
    </div>
  )
}

function startAt(start: string, to: string) {
  const url = new URL(start, location.origin)
  url.searchParams.set('return_to', to)
  return url.href
}
