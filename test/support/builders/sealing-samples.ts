import { generateKeyPairSync } from 'node:crypto'
import { vouchForImported } from '#platform/crypto/key-succession.ts'
import { keyIdOf } from '#platform/crypto/signing-key.ts'
import type { World } from '../world/world.ts'

/** Entries so far are sealed, and later ones wait. A tile is full after 256 entries only: one stands for it. */
export async function addSealed(world: World) {
  await world.seal()
  await world.superuser.query(
    `insert into audit_tiles (tenant_id, epoch, level, tile, hashes, root)
     select tenant_id, epoch, 7, 0, decode(repeat('00', 256 * 32), 'hex'), decode(repeat('00', 32), 'hex') from audit_logs`,
  )
}

/** A key of an installation that the tenant was in before. */
export async function addImportedKey(world: World, tenantId: number) {
  const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const public_key = Buffer.from(jwk.x!, 'base64url').toString('base64')
  const key = { key_id: keyIdOf(Buffer.from(public_key, 'base64')), public_key }
  const export_sha256 = 'e'.repeat(64)
  const { seal, voucher } = vouchForImported(
    { tenant: String(tenantId), key, export_sha256 },
    world.services.signingKey,
  )
  await world.rows('insert into signing_keys (key_id, public_key, imported_at) values ($1, $2, now())', [
    key.key_id,
    public_key,
  ])
  await world.rows(
    'insert into imported_signing_keys (tenant_id, key_id, vouched_by, export_sha256, seal) values ($1, $2, $3, $4, $5)',
    [tenantId, key.key_id, voucher.key_id, export_sha256, seal],
  )
  return key
}
