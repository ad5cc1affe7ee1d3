import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { Card } from './card.tsx'
import { useForgottenWords } from './forgotten-words.ts'
import styles from './session.module.css'

/** Says the same of every name, as the service does. */
export function ForgottenPasswordPage() {
  const w = useForgottenWords()
  const { data, error, refetch } = useQuery(ask('GET /api/auth/options', { query: {} }))
  const [isSent, setSent] = useState(false)
  return (
    <Card title={w.title}>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={2} />
      ) : isSent ? (
        <p role="status">{w.sent}</p>
      ) : data.password_links ? (
        <Ask onSent={() => setSent(true)} />
      ) : (
        <p>{w.byAdmin}</p>
      )}
      <Link to={paths.signIn} className={styles.forgot}>
        {w.back}
      </Link>
    </Card>
  )
}

function Ask({ onSent }: { onSent: () => void }) {
  const w = useForgottenWords()
  const { session } = useWords()
  const [username, setUsername] = useState('')
  const { mutate, isPending, error } = useMutation<void, Problem>({
    mutationFn: () => call('POST /api/auth/forgot-password', { body: { username: username.trim() } }),
    onSuccess: onSent,
  })
  return (
    <Form onSend={() => isPending || mutate()}>
      <p className="soft">{w.hint}</p>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <Field
        label={session.username}
        autoComplete="username"
        spellCheck="false"
        autoFocus
        isRequired
        value={username}
        onChange={setUsername}
        wrong={error?.of('username')}
      />
      <Button type="submit" look="main" isPending={isPending}>
        {w.submit}
      </Button>
    </Form>
  )
}
