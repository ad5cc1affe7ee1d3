import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { capasSearch, newCapaSearch } from '../../features/capa/search.ts'
import { deviationsSearch } from '../../features/deviations/search.ts'
import { caseSearch } from '../../records/case/case-search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { app, idInPath } from './root.tsx'

const deviations = createRoute({
  getParentRoute: () => app,
  path: paths.deviations,
  validateSearch: strictly(deviationsSearch),
  component: lazyRouteComponent(() => import('../../features/deviations/deviations-page.tsx'), 'DeviationsPage'),
})

const newDeviation = createRoute({
  getParentRoute: () => app,
  path: paths.newDeviation,
  component: lazyRouteComponent(() => import('../../features/deviations/report-page.tsx'), 'ReportPage'),
})

const deviation = createRoute({
  getParentRoute: () => app,
  path: paths.deviation,
  params: idInPath,
  validateSearch: strictly(caseSearch),
  component: lazyRouteComponent(() => import('../../features/deviations/deviation-page.tsx'), 'DeviationPage'),
})

const capas = createRoute({
  getParentRoute: () => app,
  path: paths.capas,
  validateSearch: strictly(capasSearch),
  component: lazyRouteComponent(() => import('../../features/capa/capas-page.tsx'), 'CapasPage'),
})

const newCapa = createRoute({
  getParentRoute: () => app,
  path: paths.newCapa,
  validateSearch: strictly(newCapaSearch),
  component: lazyRouteComponent(() => import('../../features/capa/new-capa-page.tsx'), 'NewCapaPage'),
})

const capa = createRoute({
  getParentRoute: () => app,
  path: paths.capa,
  params: idInPath,
  validateSearch: strictly(caseSearch),
  component: lazyRouteComponent(() => import('../../features/capa/capa-page.tsx'), 'CapaPage'),
})

export const casesRoutes = [deviations, newDeviation, deviation, capas, newCapa, capa]
