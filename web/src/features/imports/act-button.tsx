import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { LucideIcon } from 'lucide-react'
import { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { isOffered, whyNotOf } from '../../records/allowed.ts'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/notes.tsx'
import type { Batch } from './batch.ts'
import styles from './imports.module.css'

interface Props {
  batch: Batch
  act: string
  look?: 'main' | 'plain'
  icon?: LucideIcon
  send: () => Promise<unknown>
  children: string
}

/** Begins work that goes on by itself. While it cannot be begun, the reason stands beside the button, because it is the next thing to do. */
export function ActButton({ batch: { you }, act, look = 'main', icon, send, children }: Props) {
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<unknown, Problem>({
    mutationFn: send,
    onSettled: () => refresh(client, 'migrations/'),
  })
  if (!isOffered(you, act)) return null
  const whyNot = whyNotOf(you, act)
  return (
    <div className={styles.act}>
      <Button look={look} icon={icon} isPending={isPending} whyNot={whyNot} onPress={() => isPending || mutate()}>
        {children}
      </Button>
      {whyNot !== undefined && <p className="soft">{whyNot}</p>}
      {error instanceof Problem && <Refused error={error} />}
    </div>
  )
}
