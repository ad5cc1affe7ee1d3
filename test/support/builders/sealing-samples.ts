import type { World } from '../world/world.ts'

/** Entries so far are sealed, and later ones wait. A tile is full after 256 entries only: one stands for it. */
export async function addSealed(world: World) {
  await world.seal()
  await world.superuser.query(
    `insert into audit_tiles (tenant_id, epoch, level, tile, hashes, root)
     select tenant_id, epoch, 7, 0, decode(repeat('00', 256 * 32), 'hex'), decode(repeat('00', 32), 'hex') from audit_logs`,
  )
}
