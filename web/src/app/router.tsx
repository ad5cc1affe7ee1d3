import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { Problem } from '../api/problem.ts'
import { documentSearch } from '../features/documents/document-search.ts'
import { documentsSearch } from '../features/documents/search.ts'
import { textSearch } from '../features/search/search.ts'
import { LoginPage } from '../features/session/login-page.tsx'
import { signInSearch } from '../features/session/search.ts'
import { me } from '../features/session/session.ts'
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

/** All pages of somebody who is logged in. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: async ({ context: { client }, location }) => {
    try {
      await client.ensureQueryData(me)
    } catch (error) {
      if (error instanceof Problem && error.isSessionOver)
        throw redirect({ to: paths.signIn, search: location.href === '/' ? {} : { to: location.href } })
      throw error
    }
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

const document = createRoute({
  getParentRoute: () => app,
  path: paths.document,
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: strictly(documentSearch),
  component: lazyRouteComponent(() => import('../features/documents/document-page.tsx'), 'DocumentPage'),
})

const search = createRoute({
  getParentRoute: () => app,
  path: paths.search,
  validateSearch: strictly(textSearch),
  component: lazyRouteComponent(() => import('../features/search/search-page.tsx'), 'SearchPage'),
})

/** Within the shell, so that somebody who is lost has the navigation beside it. */
const elsewhere = createRoute({
  getParentRoute: () => app,
  path: '$',
  component: () => <Unreadable error={new Problem(404, undefined)} />,
})

export const createAppRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([signIn, app.addChildren([work, documents, document, search, elsewhere])]),
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
