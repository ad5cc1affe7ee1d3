import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { disposalsSearch, dueSearch, holdsSearch } from '../../features/retention/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'
import { idInPath } from './root.tsx'

const retention = createRoute({
  getParentRoute: () => admin,
  path: paths.retention,
  validateSearch: strictly(dueSearch),
  component: lazyRouteComponent(() => import('../../features/retention/due-page.tsx'), 'DuePage'),
})

const disposals = createRoute({
  getParentRoute: () => admin,
  path: paths.disposals,
  validateSearch: strictly(disposalsSearch),
  component: lazyRouteComponent(() => import('../../features/retention/disposals-page.tsx'), 'DisposalsPage'),
})

const disposal = createRoute({
  getParentRoute: () => admin,
  path: paths.disposal,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/retention/disposal-page.tsx'), 'DisposalPage'),
})

const legalHolds = createRoute({
  getParentRoute: () => admin,
  path: paths.legalHolds,
  validateSearch: strictly(holdsSearch),
  component: lazyRouteComponent(() => import('../../features/retention/holds-page.tsx'), 'HoldsPage'),
})

export const retentionRoutes = [retention, disposals, disposal, legalHolds]
