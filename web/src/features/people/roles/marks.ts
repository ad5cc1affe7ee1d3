import type { Answer } from '../../../api/client.ts'

type Role = Answer<'GET /api/roles/'>['items'][number]
export type Mark = 'own' | 'inherited' | 'denied' | 'none'

/** The role, and those that it inherits from, the nearest first. The service lets none come back to itself. */
export function chainOf(role: Role, roles: readonly Role[]): Role[] {
  const chain: Role[] = []
  for (let each: Role | undefined = role; each && !chain.includes(each); ) {
    chain.push(each)
    const parent: number | undefined = each.inherits?.id
    each = roles.find(({ id }) => id === parent)
  }
  return chain
}

/** How a role comes to a permission: the nearest that says something decides. */
export function markOf(permission: string, chain: readonly Role[]): { mark: Mark; from?: string } {
  for (const [distance, { name, granted, denied }] of chain.entries()) {
    if (denied.includes(permission)) return distance === 0 ? { mark: 'denied' } : { mark: 'none' }
    if (granted.includes(permission)) return distance === 0 ? { mark: 'own' } : { mark: 'inherited', from: name }
  }
  return { mark: 'none' }
}
