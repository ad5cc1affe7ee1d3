import { activeTenants } from '#modules/accounts'
import { projections } from '#modules/projections'
import type { Tx } from '#platform/db/database.ts'
import type { World } from '../world/world.ts'

type Bound = Pick<World, 'database'>

const bound = <T>(
  { database }: Bound,
  tenantId: number,
  access: 'read only' | 'read write',
  work: (tx: Tx) => Promise<T>,
) => database.transaction({ tenantId, userId: null }, access, work)

/** Makes the derived rows of a tenant again, after its records were changed by SQL and not by commands. */
export async function rebuildProjections(world: Bound, tenantId: number, names?: readonly string[]) {
  for (const { name, rebuild } of projections)
    if (names === undefined || names.includes(name)) await bound(world, tenantId, 'read write', rebuild)
}

/** The derived rows of a tenant that differ from its records, each after the name of its projection. */
export const findDrift = (world: Bound, tenantId: number): Promise<string[]> =>
  bound(world, tenantId, 'read only', async tx => {
    const found: string[] = []
    for (const { name, findDrift } of projections)
      for (const each of await findDrift(tx)) found.push(`${name}: ${each}`)
    return found
  })

/** The same for every tenant. */
export async function findDriftAnywhere(world: Bound): Promise<string[]> {
  const found: string[] = []
  for (const tenantId of await activeTenants(world.database))
    for (const each of await findDrift(world, tenantId)) found.push(`tenant ${tenantId}: ${each}`)
  return found
}
