import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { importSearch, importsSearch } from '../../features/imports/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'

const imports = createRoute({
  getParentRoute: () => admin,
  path: paths.imports,
  validateSearch: strictly(importsSearch),
  component: lazyRouteComponent(() => import('../../features/imports/imports-page.tsx'), 'ImportsPage'),
})

const importPage = createRoute({
  getParentRoute: () => admin,
  path: paths.import,
  validateSearch: strictly(importSearch),
  component: lazyRouteComponent(() => import('../../features/imports/import-page.tsx'), 'ImportPage'),
})

export const importsRoutes = [imports, importPage]
