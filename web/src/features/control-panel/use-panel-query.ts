import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Operations } from '../../api/operations.generated.ts'
import type { Problem } from '../../api/problem.ts'
import { type AnswerOf, call, type OperationName } from './client.ts'
import { useToken } from './session.ts'

type Reading = Extract<OperationName, `GET ${string}`>
type Query<N extends Reading> = Operations[N]['query'] extends undefined ? undefined : Operations[N]['query']

interface Options {
  onSessionEnded: () => void
  isOn?: boolean
}

/** What the page asks for, once; a session that has ended leads back to the sign-in. */
export function usePanelQuery<N extends Reading>(name: N, query: Query<N>, { onSessionEnded, isOn = true }: Options) {
  const token = useToken()
  const result = useQuery<AnswerOf<N>, Problem>({
    queryKey: [name, query],
    queryFn: () => call(name, { token, ...(query && { query }) } as Parameters<typeof call<N>>[1]),
    placeholderData: keepPreviousData,
    enabled: isOn,
    staleTime: 10_000,
  })
  const isOver = result.error?.status === 401
  useEffect(() => {
    if (isOver) onSessionEnded()
  }, [isOver, onSessionEnded])
  return result
}
