import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { importSearch } from '../../features/imports/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'

const pages = () => import('../../features/imports/pages.ts')

const imports = createRoute({
  getParentRoute: () => admin,
  path: paths.imports,
  validateSearch: strictly(importSearch),
  component: lazyRouteComponent(pages, 'ImportsPage'),
})

const importPage = createRoute({
  getParentRoute: () => admin,
  path: paths.import,
  validateSearch: strictly(importSearch),
  component: lazyRouteComponent(pages, 'ImportPage'),
})

export const importsRoutes = [imports, importPage]
