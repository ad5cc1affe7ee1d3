import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { ask } from '../../api/queries.ts'
import { dropDrafts } from '../../ui/use-draft.ts'
import { useWords } from '../../words/index.ts'
import { askPasskey } from './webauthn.ts'

/** Who is logged in, and what they may do. */
export const me = queryOptions({ ...ask('GET /api/auth/me', {}), staleTime: 5 * 60_000 })

export function useMe() {
  const { data } = useQuery(me)
  if (!data) throw new Error('nobody is logged in: this is shown below the route that asks')
  return data
}

/** Why the permission keeps somebody from something, or undefined: `<Button whyNot={useWhyNot('documents.create')}>`. */
export function useWhyNot(permission: string) {
  const { common } = useWords()
  return useMe().permissions.includes(permission) ? undefined : common.notPermitted(permission)
}

/** When the session ends. To ask counts as no use, so that a page that nobody looks at does not keep a session alive. */
export const session = queryOptions({
  ...ask('GET /api/auth/session', {}),
  refetchInterval: 60_000,
  refetchIntervalInBackground: true,
})

export interface Credentials {
  username: string
  password: string
  otp?: string
}

export async function logIn(client: QueryClient, credentials: Credentials) {
  await call('POST /api/auth/session', { body: credentials })
  setOver(false)
  // What was read before is still in sight, and read anew.
  await client.invalidateQueries()
}

/**
 * Nobody types a name, so whose passkey it is comes out afterwards: another person than whose page is open begins with an empty one.
 */
export async function logInByPasskey(client: QueryClient, username?: string) {
  const response = await askPasskey(await call('POST /api/auth/passkeys/login/options', {}))
  await call('POST /api/auth/passkeys/login', { body: { response } })
  const who = username === undefined ? undefined : await call('GET /api/auth/me', {})
  if (who && who.username !== username) {
    await dropDrafts()
    return location.assign('/')
  }
  setOver(false)
  await client.invalidateQueries()
}

/** What one does counts as use, so this is enough to stay. */
export async function stay(client: QueryClient) {
  client.setQueryData(session.queryKey, await call('POST /api/auth/session/extend', {}))
}

/** The page is loaded anew: nothing of one person is left in memory for the next one at this machine. */
export async function logOut() {
  await call('POST /api/auth/logout', {}).catch(() => undefined)
  await dropDrafts()
  location.assign('/sign-in')
}

// Whether the session ended under somebody's hands. It is no query: any answer of the service can say so.
const listeners = new Set<() => void>()
let isOver = false

export function setOver(next: boolean) {
  isOver = next
  for (const each of listeners) each()
}

export const useIsOver = () =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOver,
  )

/** For the caches of queries and mutations: wherever the service says that the session is over, the dialog comes up. */
export function noticeEnd(error: Error, client: QueryClient) {
  if (error instanceof Problem && error.isSessionOver && client.getQueryData(me.queryKey)) setOver(true)
}
