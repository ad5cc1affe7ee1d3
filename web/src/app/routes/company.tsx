import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { jobsSearch, messagesSearch } from '../../features/company/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'

const settings = createRoute({
  getParentRoute: () => admin,
  path: paths.settings,
  component: lazyRouteComponent(() => import('../../features/company/settings-page.tsx'), 'SettingsPage'),
})

const aiUse = createRoute({
  getParentRoute: () => admin,
  path: paths.aiUse,
  component: lazyRouteComponent(() => import('../../features/company/ai-page.tsx'), 'AiPage'),
})

const jobs = createRoute({
  getParentRoute: () => admin,
  path: paths.jobs,
  validateSearch: strictly(jobsSearch),
  component: lazyRouteComponent(() => import('../../features/company/jobs-page.tsx'), 'JobsPage'),
})

const messages = createRoute({
  getParentRoute: () => admin,
  path: paths.messages,
  validateSearch: strictly(messagesSearch),
  component: lazyRouteComponent(() => import('../../features/company/messages-page.tsx'), 'MessagesPage'),
})

export const companyRoutes = [settings, aiUse, jobs, messages]
