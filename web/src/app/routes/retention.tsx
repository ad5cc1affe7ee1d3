import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { listSearch } from '../../features/retention/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'
import { idInPath } from './root.tsx'

const pages = () => import('../../features/retention/pages.ts')

const retention = createRoute({
  getParentRoute: () => admin,
  path: paths.retention,
  validateSearch: strictly(listSearch),
  component: lazyRouteComponent(pages, 'DuePage'),
})

const disposals = createRoute({
  getParentRoute: () => admin,
  path: paths.disposals,
  validateSearch: strictly(listSearch),
  component: lazyRouteComponent(pages, 'DisposalsPage'),
})

const disposal = createRoute({
  getParentRoute: () => admin,
  path: paths.disposal,
  params: idInPath,
  component: lazyRouteComponent(pages, 'DisposalPage'),
})

const legalHolds = createRoute({
  getParentRoute: () => admin,
  path: paths.legalHolds,
  validateSearch: strictly(listSearch),
  component: lazyRouteComponent(pages, 'HoldsPage'),
})

export const retentionRoutes = [retention, disposals, disposal, legalHolds]
