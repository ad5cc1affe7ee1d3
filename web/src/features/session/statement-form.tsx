import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { Refused } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import styles from './session.module.css'
import { me } from './session.ts'

export type Statement = NonNullable<Answer<'GET /api/auth/me'>['signature_statement']>

interface Props {
  statement: Statement
  onDone?: () => void
  buttons: (act: { accept: () => void; isPending: boolean }) => ReactNode
}

/** 21 CFR 11.10(j): a signer accepts in writing what a signature means, and each new wording again. */
export function StatementForm({ statement: { version, text }, onDone, buttons }: Props) {
  const { statement: w } = useWords()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<Answer<'POST /api/auth/accept-signature-statement'>, Problem>({
    mutationFn: () => call('POST /api/auth/accept-signature-statement', { body: { version } }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: me.queryKey })
      onDone?.()
    },
    // There may be a newer wording, which is read before it is accepted.
    onError: ({ status }) => void (status === 409 && client.invalidateQueries({ queryKey: me.queryKey })),
  })
  return (
    <>
      <p>{w.ask}</p>
      <StatementText version={version}>{text}</StatementText>
      {error && <Refused error={error} />}
      {buttons({ accept: () => mutate(), isPending })}
    </>
  )
}

/** In the company's own words, whatever language they are in. */
export function StatementText({ version, children }: { version: number; children: string }) {
  const { statement: w } = useWords()
  return (
    <blockquote className={styles.statement}>
      <p>{children}</p>
      <p className="soft">{w.version(version)}</p>
    </blockquote>
  )
}
