import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { Problem } from '../api/problem.ts'
import { capasSearch, newCapaSearch } from '../features/capa/search.ts'
import { deviationsSearch } from '../features/deviations/search.ts'
import { compareSearch } from '../features/documents/compare-search.ts'
import { documentSearch } from '../features/documents/document-search.ts'
import { documentsSearch } from '../features/documents/search.ts'
import { notificationsSearch } from '../features/notifications/search.ts'
import { textSearch } from '../features/search/search.ts'
import { firstStep } from '../features/session/first-steps.ts'
import { LoginPage } from '../features/session/login-page.tsx'
import { signInSearch, signingSearch, type WelcomeSearch, welcomeSearch } from '../features/session/search.ts'
import { me } from '../features/session/session.ts'
import { caseSearch } from '../records/case/case-search.ts'
import { Unreadable } from '../ui/notes.tsx'
import { readSearch, strictly, writeSearch } from './addresses.ts'
import { paths } from './paths.ts'
import { Shell } from './shell.tsx'

const root = createRootRouteWithContext<{ client: QueryClient }>()()

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: strictly(signInSearch),
  component: LoginPage,
})

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: paths.forgotPassword,
  component: lazyRouteComponent(() => import('../features/session/forgot-password-page.tsx'), 'ForgottenPasswordPage'),
})

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyRouteComponent(() => import('../features/session/reset-password-page.tsx'), 'ResetPasswordPage'),
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
  component: lazyRouteComponent(() => import('../features/session/welcome-page.tsx'), 'WelcomePage'),
  errorComponent: ({ error, reset }) => <Unreadable error={error as Error} onRetry={reset} />,
})

/** All pages of somebody who is logged in, and has nothing to do before. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ context: { client }, location: { href } }) => {
    const user = await requirePerson(client, href)
    if ((await firstStep(client, user)) !== undefined) throw redirect({ to: paths.welcome, search: comingBackTo(href) })
  },
  component: Shell,
  errorComponent: ({ error, reset }) => <Unreadable error={error as Error} onRetry={reset} />,
})

const work = createRoute({
  getParentRoute: () => app,
  path: paths.work,
  component: lazyRouteComponent(() => import('../features/my-work/my-work-page.tsx'), 'MyWorkPage'),
})

const documents = createRoute({
  getParentRoute: () => app,
  path: paths.documents,
  validateSearch: strictly(documentsSearch),
  component: lazyRouteComponent(() => import('../features/documents/documents-page.tsx'), 'DocumentsPage'),
})

const newDocument = createRoute({
  getParentRoute: () => app,
  path: paths.newDocument,
  component: lazyRouteComponent(() => import('../features/documents/new-document-page.tsx'), 'NewDocumentPage'),
})

const idInPath = {
  parse: ({ id }: { id: string }) => ({ id: Number(id) }),
  stringify: ({ id }: { id: number }) => ({ id: String(id) }),
}

const document = createRoute({
  getParentRoute: () => app,
  path: paths.document,
  params: idInPath,
  validateSearch: strictly(documentSearch),
  component: lazyRouteComponent(() => import('../features/documents/document-page.tsx'), 'DocumentPage'),
})

const notifications = createRoute({
  getParentRoute: () => app,
  path: paths.notifications,
  validateSearch: strictly(notificationsSearch),
  component: lazyRouteComponent(() => import('../features/notifications/notifications-page.tsx'), 'NotificationsPage'),
})

const account = createRoute({
  getParentRoute: () => app,
  path: paths.account,
  component: lazyRouteComponent(() => import('../features/account/account-page.tsx'), 'AccountPage'),
})

const signing = createRoute({
  getParentRoute: () => app,
  path: paths.signing,
  validateSearch: strictly(signingSearch),
  component: lazyRouteComponent(() => import('../features/session/sign-return-page.tsx'), 'SignReturnPage'),
})

const newVersion = createRoute({
  getParentRoute: () => app,
  path: paths.newVersion,
  params: idInPath,
  component: lazyRouteComponent(() => import('../features/documents/new-version-page.tsx'), 'NewVersionPage'),
})

const search = createRoute({
  getParentRoute: () => app,
  path: paths.search,
  validateSearch: strictly(textSearch),
  component: lazyRouteComponent(() => import('../features/search/search-page.tsx'), 'SearchPage'),
})

const documentCompare = createRoute({
  getParentRoute: () => app,
  path: paths.documentCompare,
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: strictly(compareSearch),
  component: lazyRouteComponent(() => import('../features/documents/compare-page.tsx'), 'ComparePage'),
})

const deviations = createRoute({
  getParentRoute: () => app,
  path: paths.deviations,
  validateSearch: strictly(deviationsSearch),
  component: lazyRouteComponent(() => import('../features/deviations/deviations-page.tsx'), 'DeviationsPage'),
})

const newDeviation = createRoute({
  getParentRoute: () => app,
  path: paths.newDeviation,
  component: lazyRouteComponent(() => import('../features/deviations/report-page.tsx'), 'ReportPage'),
})

const deviation = createRoute({
  getParentRoute: () => app,
  path: paths.deviation,
  params: idInPath,
  validateSearch: strictly(caseSearch),
  component: lazyRouteComponent(() => import('../features/deviations/deviation-page.tsx'), 'DeviationPage'),
})

const capas = createRoute({
  getParentRoute: () => app,
  path: paths.capas,
  validateSearch: strictly(capasSearch),
  component: lazyRouteComponent(() => import('../features/capa/capas-page.tsx'), 'CapasPage'),
})

const newCapa = createRoute({
  getParentRoute: () => app,
  path: paths.newCapa,
  validateSearch: strictly(newCapaSearch),
  component: lazyRouteComponent(() => import('../features/capa/new-capa-page.tsx'), 'NewCapaPage'),
})

const capa = createRoute({
  getParentRoute: () => app,
  path: paths.capa,
  params: idInPath,
  validateSearch: strictly(caseSearch),
  component: lazyRouteComponent(() => import('../features/capa/capa-page.tsx'), 'CapaPage'),
})

/** Within the shell, so that somebody who is lost has the navigation beside it. */
const elsewhere = createRoute({
  getParentRoute: () => app,
  path: '$',
  component: () => <Unreadable error={new Problem(404, undefined)} />,
})

export const createAppRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      ...[signIn, forgotPassword, resetPassword, welcome],
      app.addChildren([
        ...[work, documents, newDocument, document, newVersion, documentCompare],
        ...[deviations, newDeviation, deviation, capas, newCapa, capa],
        ...[notifications, account, signing, search, elsewhere],
      ]),
    ]),
    context: { client },
    defaultPreload: 'intent',
    scrollRestoration: true,
    parseSearch: readSearch,
    stringifySearch: writeSearch,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
