import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { Answer, Given } from '../../api/client.ts'
import { callInPieces } from '../../api/pieces.ts'
import type { Problem } from '../../api/problem.ts'

export type Asking = 'POST /api/ai/chat' | 'POST /api/ai/analyze' | 'POST /api/ai/generate'
export type Answered = Answer<Asking>
export type Citation = Answered['citations'][number]

/** One question at a time. `written`: what has come of its answer, before its sources were checked. */
export function useAnswer<N extends Asking>(name: N, onAnswer: (answer: Answer<N>, asked: Given<N>['body']) => void) {
  const [written, setWritten] = useState('')
  const [isStopped, setStopped] = useState(false)
  const running = useRef<AbortController>(undefined)
  const { mutate, isPending, error, variables } = useMutation<Answer<N>, Problem, Given<N>['body']>({
    mutationFn: body => {
      setWritten('')
      setStopped(false)
      running.current = new AbortController()
      const more = ({ text }: { text: string }) => setWritten(before => before + text)
      return callInPieces(name, { body } as unknown as Given<N>, more, running.current.signal)
    },
    onSuccess: onAnswer,
  })
  // Nobody reads the answer any more, and the model need not go on.
  useEffect(() => () => running.current?.abort(), [])
  return {
    ask: (body: Given<N>['body']) => mutate(body),
    stop: () => {
      setStopped(true)
      running.current?.abort()
    },
    asked: variables,
    written,
    isPending,
    isStopped,
    error: isStopped ? null : error,
  }
}
