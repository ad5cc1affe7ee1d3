import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { changesSearch } from '../../features/changes/search.ts'
import { newWorkflowSearch, workflowSearch, workflowsSearch } from '../../features/workflows/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'
import { idInPath } from './root.tsx'

const workflows = createRoute({
  getParentRoute: () => admin,
  path: paths.workflows,
  validateSearch: strictly(workflowsSearch),
  component: lazyRouteComponent(() => import('../../features/workflows/workflows-page.tsx'), 'WorkflowsPage'),
})

const newWorkflow = createRoute({
  getParentRoute: () => admin,
  path: paths.newWorkflow,
  validateSearch: strictly(newWorkflowSearch),
  component: lazyRouteComponent(() => import('../../features/workflows/new-workflow-page.tsx'), 'NewWorkflowPage'),
})

const workflow = createRoute({
  getParentRoute: () => admin,
  path: paths.workflow,
  params: idInPath,
  validateSearch: strictly(workflowSearch),
  component: lazyRouteComponent(() => import('../../features/workflows/workflow-page.tsx'), 'WorkflowPage'),
})

const changes = createRoute({
  getParentRoute: () => admin,
  path: paths.changes,
  validateSearch: strictly(changesSearch),
  component: lazyRouteComponent(() => import('../../features/changes/changes-page.tsx'), 'ChangesPage'),
})

const change = createRoute({
  getParentRoute: () => admin,
  path: paths.change,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/changes/change-page.tsx'), 'ChangePage'),
})

/** Workflows, and the changes of rules that a second person approves. */
export const workflowsRoutes = [workflows, newWorkflow, workflow, changes, change]
