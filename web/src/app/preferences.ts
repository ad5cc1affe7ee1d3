import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Answer, call, type Given } from '../api/client.ts'
import type { Problem } from '../api/problem.ts'
import { ask } from '../api/queries.ts'
import { speak, useLanguage } from '../words/index.ts'
import { useTheme, wear } from './theme.ts'

const kept = ask('GET /api/auth/preferences', {})
type Kept = Answer<'GET /api/auth/preferences'>
type Change = Given<'PUT /api/auth/preferences'>['body']

function apply({ theme, language }: Change) {
  if (theme) wear(theme)
  if (language) speak(language)
}

const useKept = () => useQuery({ ...kept, staleTime: Number.POSITIVE_INFINITY }).data

/** What a person chose at another machine holds here too, as soon as they are logged in. */
export function useKeptPreferences() {
  const data = useKept()
  useEffect(() => {
    if (data) apply(data)
  }, [data])
}

const keeping = ['keep preferences']

/** A choice holds at once, so that the next one adds to it although the service has not kept it yet. They are kept in their order. */
function useKeep() {
  const client = useQueryClient()
  return useMutation<Kept, Problem, Change>({
    mutationKey: keeping,
    scope: { id: keeping.join() },
    mutationFn: body => call('PUT /api/auth/preferences', { body }),
    onMutate: change => {
      client.setQueryData<Kept>(kept.queryKey, was => was && ({ ...was, ...change } as Kept))
    },
    onSuccess: answer => {
      const isLast = client.isMutating({ mutationKey: keeping }) === 1
      if (isLast) client.setQueryData(kept.queryKey, answer)
    },
    onError: () => client.invalidateQueries({ queryKey: kept.queryKey }),
  })
}

/**
 * How somebody wants the pages to look and to speak. It holds at once, and in this browser before the next log-in; the service keeps it for
 * their other machines.
 */
export function usePreferences() {
  const { mutate, error } = useKeep()
  const prefer = (change: Pick<Change, 'theme' | 'language'>) => {
    apply(change)
    mutate(change)
  }
  return { theme: useTheme(), language: useLanguage(), prefer, error }
}

/** A list as somebody named it: `search` is its address, without the page. */
export interface SavedView {
  name: string
  search: string
}

const isView = (each: unknown): each is SavedView =>
  typeof (each as SavedView | null)?.name === 'string' && typeof (each as SavedView).search === 'string'
const isText = (each: unknown) => typeof each === 'string'

/** The saved views and the columns of one list. What another version of the pages kept, and this one does not understand, counts as none. */
export function useListPreferences(list: string) {
  const data = useKept()
  const { mutateAsync, error } = useKeep()
  const views = data?.views?.[list]
  const columns = data?.columns?.[list]
  return {
    isKnown: data !== undefined,
    views: Array.isArray(views) ? views.filter(isView) : [],
    columns: Array.isArray(columns) && columns.every(isText) ? (columns as string[]) : undefined,
    keepViews: (next: SavedView[]) => mutateAsync({ views: { ...data?.views, [list]: next } }),
    keepColumns: (next: string[]) => mutateAsync({ columns: { ...data?.columns, [list]: next } }),
    error,
  }
}
