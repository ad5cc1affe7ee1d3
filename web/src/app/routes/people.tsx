import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { groupsSearch } from '../../features/people/groups/search.ts'
import { providerSearch } from '../../features/people/identity-providers/search.ts'
import { newRoleSearch } from '../../features/people/roles/search.ts'
import { accountsSearch } from '../../features/people/service-accounts/search.ts'
import { userSearch, usersSearch } from '../../features/people/users/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'
import { idInPath } from './root.tsx'

const users = createRoute({
  getParentRoute: () => admin,
  path: paths.users,
  validateSearch: strictly(usersSearch),
  component: lazyRouteComponent(() => import('../../features/people/users/users-page.tsx'), 'UsersPage'),
})

const newUser = createRoute({
  getParentRoute: () => admin,
  path: paths.newUser,
  component: lazyRouteComponent(() => import('../../features/people/users/new-user-page.tsx'), 'NewUserPage'),
})

const user = createRoute({
  getParentRoute: () => admin,
  path: paths.user,
  params: idInPath,
  validateSearch: strictly(userSearch),
  component: lazyRouteComponent(() => import('../../features/people/users/user-page.tsx'), 'UserPage'),
})

const roles = createRoute({
  getParentRoute: () => admin,
  path: paths.roles,
  component: lazyRouteComponent(() => import('../../features/people/roles/roles-page.tsx'), 'RolesPage'),
})

const newRole = createRoute({
  getParentRoute: () => admin,
  path: paths.newRole,
  validateSearch: strictly(newRoleSearch),
  component: lazyRouteComponent(() => import('../../features/people/roles/role-page.tsx'), 'NewRolePage'),
})

const role = createRoute({
  getParentRoute: () => admin,
  path: paths.role,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/people/roles/role-page.tsx'), 'RolePage'),
})

const groups = createRoute({
  getParentRoute: () => admin,
  path: paths.groups,
  validateSearch: strictly(groupsSearch),
  component: lazyRouteComponent(() => import('../../features/people/groups/groups-page.tsx'), 'GroupsPage'),
})

const group = createRoute({
  getParentRoute: () => admin,
  path: paths.group,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/people/groups/group-page.tsx'), 'GroupPage'),
})

const serviceAccounts = createRoute({
  getParentRoute: () => admin,
  path: paths.serviceAccounts,
  validateSearch: strictly(accountsSearch),
  component: lazyRouteComponent(
    () => import('../../features/people/service-accounts/accounts-page.tsx'),
    'ServiceAccountsPage',
  ),
})

const serviceAccount = createRoute({
  getParentRoute: () => admin,
  path: paths.serviceAccount,
  params: idInPath,
  component: lazyRouteComponent(
    () => import('../../features/people/service-accounts/account-page.tsx'),
    'ServiceAccountPage',
  ),
})

const identityProviders = createRoute({
  getParentRoute: () => admin,
  path: paths.identityProviders,
  component: lazyRouteComponent(
    () => import('../../features/people/identity-providers/providers-page.tsx'),
    'IdentityProvidersPage',
  ),
})

const newIdentityProvider = createRoute({
  getParentRoute: () => admin,
  path: paths.newIdentityProvider,
  component: lazyRouteComponent(
    () => import('../../features/people/identity-providers/provider-page.tsx'),
    'NewIdentityProviderPage',
  ),
})

const identityProvider = createRoute({
  getParentRoute: () => admin,
  path: paths.identityProvider,
  params: idInPath,
  validateSearch: strictly(providerSearch),
  component: lazyRouteComponent(
    () => import('../../features/people/identity-providers/provider-page.tsx'),
    'IdentityProviderPage',
  ),
})

export const peopleRoutes = [
  users,
  newUser,
  user,
  roles,
  newRole,
  role,
  groups,
  group,
  serviceAccounts,
  serviceAccount,
  identityProviders,
  newIdentityProvider,
  identityProvider,
]
