import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { withPasskey } from '#test/builders/authenticator.ts'
import { addProviderRecords } from '#test/builders/provider-samples.ts'
import { accepted } from '#test/builders/samples.ts'
import { publicUrl } from '#test/fakes/oidc.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('a new SECRET_KEY (proves: AUTH-04, OPS-02)', () => {
  let world: World
  before(async () => {
    world = await openWorld({ PUBLIC_URL: publicUrl })
  })
  after(async () => {
    await commands.close()
    await world.close()
  })
  const commands = commandsOf(() => world)
  const SECRET_KEY = randomBytes(48).toString('base64')
  const rotating = () => ({ SECRET_KEY, SECRET_KEY_PREVIOUS: world.services.config.secret_key })
  const doctor = async (env: Record<string, string>, about = 'second factors') => {
    const { out } = await commands.run(['doctor'], env)
    return out
      .split('\n')
      .filter(line => line.slice(6).startsWith(`${about}:`))
      .join('\n')
  }
  let secret: string
  /** The service as it is after a restart with these variables, at a later code. */
  const logInWith = async (keys: Parameters<typeof deriveKeys>[0]) => {
    Object.assign(world.services.keys, deriveKeys(keys))
    world.clock.moved_ms += 60_000
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
    return world.server.inject({
      method: 'POST',
      url: '/api/auth/token',
      payload: { username: 'petra', password, otp },
    })
  }

  it('loses no second factor while the previous key is there to open it', async () => {
    const enrolled = await world.as('petra').post('/api/auth/totp/enroll', { password })
    assert.equal(enrolled.statusCode, 200, enrolled.body)
    secret = enrolled.json().secret
    const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: world.clock.now().getTime() })
    assert.equal((await world.as('petra').post('/api/auth/totp/confirm', { otp })).statusCode, 200)

    assert.equal((await logInWith({ secret_key: SECRET_KEY })).statusCode, 401)
    const [entry] = await world.rows<{ reason: string }>(
      `select reason from audit_entries where action = 'auth.login_failed' order by id desc limit 1`,
    )
    assert.match(entry!.reason, /does not open with SECRET_KEY/)
    const [count] = await world.rows('select failed_attempts from credentials where user_id = $1', [
      world.people.petra!.id,
    ])
    assert.deepEqual(count, { failed_attempts: 0 }, 'the person did nothing wrong')

    const { SECRET_KEY: secret_key, SECRET_KEY_PREVIOUS: secret_key_previous } = rotating()
    assert.equal((await logInWith({ secret_key, secret_key_previous })).statusCode, 200)
  })

  it('doctor says how many second factors wait for it, and secret-key reseal seals them', async () => {
    assert.match((await doctor({ SECRET_KEY }))!, /^FAIL .*1 cannot be opened with SECRET_KEY\. Set the key of before/)
    assert.match((await doctor(rotating()))!, /^FAIL .*1 are still sealed with SECRET_KEY_PREVIOUS/)
    const without = await commands.run(['secret-key', 'reseal'], { SECRET_KEY })
    assert.deepEqual([without.code, without.err.split(':')[0]], [1, 'SECRET_KEY_PREVIOUS is not set'])

    const sealed = await commands.run(['secret-key', 'reseal'], rotating())
    assert.equal(sealed.code, 0, sealed.err)
    assert.match(sealed.out, /^Sealed 1 secret with SECRET_KEY\./)
    assert.match((await commands.run(['secret-key', 'reseal'], rotating())).out, /^Sealed 0 secrets/)
    const entries = await world.rows(`select from audit_entries where action = 'user.totp_resealed'`)
    assert.equal(entries.length, 1)
    assert.equal((await doctor({ SECRET_KEY }))!, 'ok    second factors: all 1 open with SECRET_KEY')
    assert.match((await doctor(rotating()))!, /^ok .*SECRET_KEY_PREVIOUS can be removed$/)
    assert.equal((await logInWith({ secret_key: SECRET_KEY })).statusCode, 200)
  })

  it('seals passkeys, and the secrets, settings and links of providers, and doctor counts what does not open', async () => {
    const own = { SECRET_KEY: world.services.config.secret_key }
    Object.assign(world.services.keys, deriveKeys({ secret_key: own.SECRET_KEY }))
    await withPasskey(world, 'uma')
    const [role] = await world.rows<{ id: string }>(`select id from roles where tenant_id = $1 order by id limit 1`, [
      world.people.uma!.tenant_id,
    ])
    const { id: group } = (await accepted(world.as('ada').post('/api/groups/', { name: 'Laboratory' }))).json()
    const { identity_provider, user_identity } = await addProviderRecords(world, {
      ...{ word: 'kept', user: 'uma', role: Number(role!.id), group },
    })
    const [passkeys, providers] = ['passkeys', 'providers for single sign-on']
    assert.equal(await doctor(own, passkeys), 'ok    passkeys: all 1 open with SECRET_KEY')
    assert.match(await doctor(own, providers), /^ok .* all 3 secrets, settings and links open with SECRET_KEY$/)
    assert.match(
      await doctor({ SECRET_KEY }, passkeys),
      /^FAIL .* 1 were altered, or registered with another SECRET_KEY/,
    )
    assert.match(
      await doctor({ SECRET_KEY }, providers),
      /^FAIL .* 1 client secrets cannot be opened .*\nFAIL .* 1 links of users were not made by this service/,
    )
    for (const [about, count] of [
      [passkeys, 1],
      [providers, 3],
    ] as const)
      assert.match(
        await doctor(rotating(), about),
        new RegExp(`^FAIL .* ${count} are still sealed with SECRET_KEY_PREV`),
      )
    // The second factor of petra was sealed with the new key before.
    assert.match((await commands.run(['secret-key', 'reseal'], rotating())).out, /^Sealed 3 secrets/)
    assert.match((await commands.run(['secret-key', 'reseal'], rotating())).out, /^Sealed 0 secrets/)
    for (const about of [passkeys, providers]) assert.match(await doctor({ SECRET_KEY }, about), /^ok /)

    const alter = (statement: string) =>
      world.superuser.query(`begin; set local session_replication_role = replica; ${statement}; commit`)
    await alter(`update identity_providers set subject_claim = 'oid' where id = ${identity_provider}`)
    await alter(`update user_identities set subject = 'mine' where id = ${user_identity}`)
    await alter(`update passkeys set user_id = ${world.people.ada!.id}`)
    assert.match(
      await doctor({ SECRET_KEY }, providers),
      /^FAIL .* 1 links of users were not made by this service.*\nFAIL .* the settings of kept \(acme\) were changed past the service/,
    )
    assert.match(await doctor({ SECRET_KEY }, passkeys), /^FAIL .* 1 were altered/)
  })

  it('refuses a previous key that is weak or the same', async () => {
    for (const [previous, why] of [
      ['short', /^FAIL {2}configuration: SECRET_KEY_PREVIOUS must have at least 32 bytes$/m],
      [SECRET_KEY, /^FAIL {2}configuration: SECRET_KEY_PREVIOUS is SECRET_KEY itself/m],
    ] as const) {
      const { code, out } = await commands.run(['doctor'], { SECRET_KEY, SECRET_KEY_PREVIOUS: previous })
      assert.equal(code, 1)
      assert.match(out, why)
    }
  })
})
