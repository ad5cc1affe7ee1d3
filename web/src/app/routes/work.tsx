import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { assistantSearch } from '../../features/assistant/search.ts'
import { notificationsSearch } from '../../features/notifications/search.ts'
import { textSearch } from '../../features/search/search.ts'
import { signingSearch } from '../../features/session/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { app } from './root.tsx'

const work = createRoute({
  getParentRoute: () => app,
  path: paths.work,
  component: lazyRouteComponent(() => import('../../features/my-work/my-work-page.tsx'), 'MyWorkPage'),
})

const notifications = createRoute({
  getParentRoute: () => app,
  path: paths.notifications,
  validateSearch: strictly(notificationsSearch),
  component: lazyRouteComponent(
    () => import('../../features/notifications/notifications-page.tsx'),
    'NotificationsPage',
  ),
})

const account = createRoute({
  getParentRoute: () => app,
  path: paths.account,
  component: lazyRouteComponent(() => import('../../features/account/account-page.tsx'), 'AccountPage'),
})

const signing = createRoute({
  getParentRoute: () => app,
  path: paths.signing,
  validateSearch: strictly(signingSearch),
  component: lazyRouteComponent(() => import('../../features/session/sign-return-page.tsx'), 'SignReturnPage'),
})

const search = createRoute({
  getParentRoute: () => app,
  path: paths.search,
  validateSearch: strictly(textSearch),
  component: lazyRouteComponent(() => import('../../features/search/search-page.tsx'), 'SearchPage'),
})

const assistant = createRoute({
  getParentRoute: () => app,
  path: paths.assistant,
  validateSearch: strictly(assistantSearch),
  component: lazyRouteComponent(() => import('../../features/assistant/assistant-page.tsx'), 'AssistantPage'),
})

const series = createRoute({
  getParentRoute: () => app,
  path: paths.series,
  component: lazyRouteComponent(() => import('../../features/series/series-page.tsx'), 'SeriesPage'),
})

export const workRoutes = [work, notifications, account, signing, search, assistant, series]
