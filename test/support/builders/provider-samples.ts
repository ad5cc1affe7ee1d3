import { createHash, randomBytes } from 'node:crypto'
import { findProvider, sealIdentity, sealKey, sealProvider } from '#modules/identity-providers'
import { sealText } from '#platform/crypto/sealed-text.ts'
import type { World } from '../world/world.ts'

/**
 * A provider with a mapping, a link of a user, a log-in that has begun, and a mail domain. Nobody is asked for its metadata: the provider
 * is not there.
 */
export async function addProviderRecords(
  world: World,
  { word, user, role, group }: { word: string; user: string; role: number; group: number },
) {
  const { id: user_id, tenant_id } = world.people[user]!
  const issuer = `https://${word}.invalid`
  const claims = { username: word, email: word, full_name: word, groups: word }
  const insert = async (table: string, values: Record<string, unknown>) => {
    const names = Object.keys(values)
    const places = names.map((_, place) => `$${place + 2}`)
    const [row] = (
      await world.superuser.query<{ id: string }>(
        `insert into ${table} (tenant_id, ${names.join(', ')}) values ($1, ${places.join(', ')}) returning id`,
        [tenant_id, ...Object.values(values)],
      )
    ).rows
    return Number(row!.id)
  }
  await world.superuser.query('begin; set local session_replication_role = replica')
  const identity_provider = await insert('identity_providers', {
    ...{ slug: word, name: word, issuer, client_id: word, token_auth: 'client_secret_basic', scopes: ['openid'] },
    ...{ claims: JSON.stringify(claims), subject_claim: 'sub', provisioning: 'linked', roles_from: 'service' },
    ...{ is_active: false, provider_mfa_values: [word] },
  })
  const place = {
    ...{ table: 'identity_providers', column: 'client_secret', tenantId: tenant_id, id: identity_provider },
    bound: [issuer, word],
  }
  await world.superuser.query('update identity_providers set client_secret = $1, is_active = true where id = $2', [
    sealText(world.services.keys.secrets, place, word),
    identity_provider,
  ])
  const sealed = { tenant_id, id: identity_provider, issuer, client_id: word }
  const user_identity = await insert('user_identities', {
    ...{ user_id, provider_id: identity_provider, subject: word, linked_at: new Date() },
  })
  await world.superuser.query('update user_identities set seal = $1 where id = $2', [
    sealIdentity(world.services.keys, sealed, { id: user_identity, user_id, subject: word }),
    user_identity,
  ])
  await insert('identity_provider_mappings', {
    ...{ provider_id: identity_provider, claim_value: word, role_id: role, priority: 1 },
  })
  await insert('identity_provider_mappings', {
    ...{ provider_id: identity_provider, claim_value: word, group_id: group, priority: 1 },
  })
  await world.superuser.query('commit; begin; set local session_replication_role = replica')
  const provider = await world.services.database.transaction({ tenantId: tenant_id, userId: null }, 'read only', tx =>
    findProvider(tx, identity_provider),
  )
  await world.superuser.query('update identity_providers set seal = $1 where id = $2', [
    sealProvider(world.services.keys, provider!),
    identity_provider,
  ])
  const now = Date.now()
  await insert('login_attempts', {
    ...{ kind: 'login', provider_id: identity_provider, state_hash: randomBytes(32), browser_hash: randomBytes(32) },
    ...{ return_to: `/${word}`, begun_at: new Date(now), expires_at: new Date(now + 600_000) },
  })
  await insert('login_attempts', {
    ...{ kind: 'test_signing', provider_id: identity_provider, user_id, state_hash: randomBytes(32) },
    ...{ browser_hash: randomBytes(32), return_to: '/', tested_subject: word, tested_auth_time: 1 },
    ...{ begun_at: new Date(now), expires_at: new Date(now + 600_000) },
  })
  const sso_domain = await insert('sso_domains', { domain: `${word}.example`, challenge: word })
  await world.superuser.query(
    'insert into logout_tokens (tenant_id, provider_id, jti_hash, expires_at) values ($1, $2, $3, $4)',
    [tenant_id, identity_provider, randomBytes(32), new Date(now + 600_000)],
  )
  const jwk_sha256 = createHash('sha256').update(word).digest('hex')
  await insert('identity_provider_keys', {
    ...{ provider_id: identity_provider, issuer, kid: word, jwk: JSON.stringify({ kty: word }), jwk_sha256 },
    seal: sealKey(world.services.keys, { tenant_id, provider_id: identity_provider, issuer, jwk_sha256 }),
  })
  await world.superuser.query('commit')
  return { identity_provider, user_identity, sso_domain, provider: identity_provider }
}
