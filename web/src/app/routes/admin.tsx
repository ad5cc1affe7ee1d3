import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { app } from './root.tsx'

/** Around all pages of the administration. */
export const admin = createRoute({
  getParentRoute: () => app,
  id: 'administration',
  component: lazyRouteComponent(() => import('../../features/admin/admin-layout.tsx'), 'AdminLayout'),
})

export const adminPage = createRoute({
  getParentRoute: () => admin,
  path: paths.admin,
  component: lazyRouteComponent(() => import('../../features/admin/admin-page.tsx'), 'AdminPage'),
})
