import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Answer, call, type Given } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { ask } from '../api/queries.ts'
import { speak, useLanguage } from '../words/index.ts'
import { useTheme, wear } from './theme.ts'

const kept = ask('GET /api/auth/preferences', {})
type Kept = Answer<'GET /api/auth/preferences'>
type Change = Pick<Given<'PUT /api/auth/preferences'>['body'], 'theme' | 'language'>

function apply({ theme, language }: Change) {
  if (theme) wear(theme)
  if (language) speak(language)
}

/** What a person chose at another machine holds here too, as soon as they are logged in. */
export function useKeptPreferences() {
  const { data } = useQuery({ ...kept, staleTime: Number.POSITIVE_INFINITY })
  useEffect(() => {
    if (data) apply(data)
  }, [data])
}

/**
 * How somebody wants the pages to look and to speak. It holds at once, and in this browser before the next log-in; the service keeps it for
 * their other machines.
 */
export function usePreferences() {
  const client = useQueryClient()
  const { mutate, error } = useMutation<Kept, Problem, Change>({
    mutationFn: body => call('PUT /api/auth/preferences', { body }),
    onSuccess: answer => client.setQueryData(kept.queryKey, answer),
  })
  const prefer = (change: Change) => {
    apply(change)
    mutate(change)
  }
  return { theme: useTheme(), language: useLanguage(), prefer, error }
}
