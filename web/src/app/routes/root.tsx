import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Problem } from '../../api/problem.ts'
import { firstStep } from '../../features/session/first-steps.ts'
import { LoginPage } from '../../features/session/login-page.tsx'
import { type SignInSearch, signInSearch, type WelcomeSearch, welcomeSearch } from '../../features/session/search.ts'
import { me } from '../../features/session/session.ts'
import { Unreadable } from '../../ui/notes.tsx'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { Shell } from '../shell.tsx'

export const root = createRootRouteWithContext<{ client: QueryClient }>()()

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: strictly<SignInSearch>(signInSearch),
  // A person who is logged in goes on to the page that they asked for, unless a provider has just refused them: the page says so.
  beforeLoad: async ({ context: { client }, search: { to = '/', error } }) => {
    if (error || client.getQueryState(me.queryKey)?.status === 'error') return
    const person = await client.ensureQueryData(me).catch(() => undefined)
    if (person) throw redirect({ href: to, replace: true })
  },
  component: LoginPage,
})

const firstStart = createRoute({
  getParentRoute: () => root,
  path: paths.firstStart,
  component: lazyRouteComponent(() => import('../../features/set-up/first-start-page.tsx'), 'FirstStartPage'),
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: paths.forgotPassword,
  component: lazyRouteComponent(
    () => import('../../features/session/forgot-password-page.tsx'),
    'ForgottenPasswordPage',
  ),
})

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyRouteComponent(() => import('../../features/session/reset-password-page.tsx'), 'ResetPasswordPage'),
})

/** An address to come back to, where it says more than the first page does. */
const comingBackTo = (href: string) => (href === '/' ? {} : { to: href })

/** Who is logged in; everybody else is led to the log-in, and back afterwards. */
async function requirePerson(client: QueryClient, href: string) {
  try {
    return await client.ensureQueryData(me)
  } catch (error) {
    if (error instanceof Problem && error.isSessionOver)
      throw redirect({ to: paths.signIn, search: comingBackTo(href) })
    throw error
  }
}

const welcome = createRoute({
  getParentRoute: () => root,
  path: paths.welcome,
  validateSearch: strictly<WelcomeSearch>(welcomeSearch),
  beforeLoad: async ({ context: { client }, search: { to = '/' } }) => {
    if ((await firstStep(client, await requirePerson(client, to))) === undefined) throw redirect({ href: to })
  },
  component: lazyRouteComponent(() => import('../../features/session/welcome-page.tsx'), 'WelcomePage'),
  errorComponent: ({ error, reset }) => <Unreadable error={error as Error} onRetry={reset} />,
})

/** All pages of somebody who is logged in, and has nothing to do before. */
export const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ context: { client }, location: { href } }) => {
    const user = await requirePerson(client, href)
    if ((await firstStep(client, user)) !== undefined) throw redirect({ to: paths.welcome, search: comingBackTo(href) })
  },
  component: Shell,
  errorComponent: ({ error, reset }) => <Unreadable error={error as Error} onRetry={reset} />,
})

export const idInPath = {
  parse: ({ id }: { id: string }) => ({ id: Number(id) }),
  stringify: ({ id }: { id: number }) => ({ id: String(id) }),
}

/** Pages of everybody, before or beside the log-in. */
export const openRoutes = [signIn, firstStart, forgotPassword, resetPassword, welcome]
