import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { exportsSearch } from '../../features/exports/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'
import { idInPath } from './root.tsx'

const exports = createRoute({
  getParentRoute: () => admin,
  path: paths.exports,
  validateSearch: strictly(exportsSearch),
  component: lazyRouteComponent(() => import('../../features/exports/exports-page.tsx'), 'ExportsPage'),
})

const one = createRoute({
  getParentRoute: () => admin,
  path: paths.export,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/exports/export-page.tsx'), 'ExportPage'),
})

export const exportRoutes = [exports, one]
