import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter } from '@tanstack/react-router'
import { Problem } from '../api/problem.ts'
import { Unreadable } from '../ui/notes.tsx'
import { readSearch, writeSearch } from './addresses.ts'
import { admin, adminPage } from './routes/admin.tsx'
import { casesRoutes } from './routes/cases.tsx'
import { companyRoutes } from './routes/company.tsx'
import { documentsRoutes } from './routes/documents.tsx'
import { evidenceRoutes } from './routes/evidence.tsx'
import { exportRoutes } from './routes/exports.tsx'
import { importsRoutes } from './routes/imports.tsx'
import { peopleRoutes } from './routes/people.tsx'
import { recordRulesRoutes } from './routes/record-rules.tsx'
import { retentionRoutes } from './routes/retention.tsx'
import { app, openRoutes, root } from './routes/root.tsx'
import { setUpRoutes } from './routes/set-up.tsx'
import { trainingRoutes } from './routes/training.tsx'
import { workRoutes } from './routes/work.tsx'
import { workflowsRoutes } from './routes/workflows.tsx'

/** Within the shell, so that somebody who is lost has the navigation beside it. */
const elsewhere = createRoute({
  getParentRoute: () => app,
  path: '$',
  component: () => <Unreadable error={new Problem(404, undefined)} />,
})

export const createAppRouter = (client: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([
      ...openRoutes,
      app.addChildren([
        ...workRoutes,
        ...documentsRoutes,
        ...casesRoutes,
        ...trainingRoutes,
        ...evidenceRoutes,
        admin.addChildren([
          adminPage,
          ...peopleRoutes,
          ...recordRulesRoutes,
          ...workflowsRoutes,
          ...companyRoutes,
          ...retentionRoutes,
          ...setUpRoutes,
          ...exportRoutes,
          ...importsRoutes,
        ]),
        elsewhere,
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
