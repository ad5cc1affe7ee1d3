import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { setUpSearch } from '../../features/set-up/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'

const setUp = createRoute({
  getParentRoute: () => admin,
  path: paths.setUp,
  validateSearch: strictly(setUpSearch),
  component: lazyRouteComponent(() => import('../../features/set-up/set-up-page.tsx'), 'SetUpPage'),
})

export const setUpRoutes = [setUp]
