// Tokens as an attacker makes, takes, mixes or keeps them, sent to the running service. What a token says, byte by byte, is tried in
// src/platform/crypto/jwt.test.ts; here it is who one is by it.
import assert from 'node:assert/strict'
import { createHmac, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { issueToken } from '#platform/crypto/jwt.ts'
import { accepted, checkAnswer, giveSecondFactor } from '#test/builders/samples.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

describe('a token', () => {
  let world: World
  before(async () => {
    world = await openWorld()
    await giveSecondFactor(world, 'pat')
  })
  after(() => world.close())

  const ask = async (headers: Record<string, string | string[]>, url = '/api/auth/me') =>
    checkAnswer(await world.server.inject({ method: 'GET', url, headers }), JSON.stringify(headers).slice(0, 300))
  const by = (token: string) => ask({ authorization: `Bearer ${token}` })

  const claimsOf = (name: string, lifetime = 3_600) => {
    const { id, tenant_id, session_version } = world.people[name]!
    const iat = Math.floor(Date.now() / 1000)
    return {
      ...{ sub: String(id), tid: tenant_id, auth_time: iat, amr: ['pwd'], ver: session_version },
      ...{ iat, exp: iat + lifetime, iss: 'attest', aud: 'attest-api' },
    }
  }
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = (header: object, claims: object, key: KeyObject) => {
    const text = `${part(header)}.${part(claims)}`
    return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
  }
  const header = { alg: 'HS256', typ: 'JWT' }

  // proves: AUTH-04, AUTH-05
  it('that the service did not make is a 401, however much of it is right', async () => {
    const { jwt, totp } = world.services.keys
    const [ada, uma, rex] = [await world.tokenOf('ada'), await world.tokenOf('uma'), await world.tokenOf('rex')]
    const parts = (token: string) => token.split('.') as [string, string, string]
    const [head, claims, seal] = parts(ada)
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const jwk = publicKey.export({ format: 'jwk' })
    const edText = `${part({ alg: 'EdDSA', typ: 'JWT', jwk })}.${claims}`
    const secret = (text: string) => createSecretKey(Buffer.from(text))
    const now = Math.floor(Date.now() / 1000)
    // Only the forgery differs.
    assert.equal((await by(signed(header, claimsOf('ada'), jwt))).statusCode, 200)
    const forged: Record<string, string> = {
      'without an algorithm': `${part({ alg: 'none', typ: 'JWT' })}.${claims}.`,
      'without an algorithm, spelt otherwise': `${part({ alg: 'NonE', typ: 'JWT' })}.${claims}.${seal}`,
      'without a seal': `${head}.${claims}.`,
      'of two parts': `${head}.${claims}`,
      'of four parts': `${ada}.${seal}`,
      'under the name of the service': signed(header, claimsOf('ada'), secret('attest')),
      'under an empty key': signed(header, claimsOf('ada'), secret('')),
      'under the key of second factors': signed(header, claimsOf('ada'), totp[0]),
      'under the public key of the audit trail': signed(
        header,
        claimsOf('ada'),
        secret(world.services.auditKey.public_key),
      ),
      'under a key that it brings along': `${edText}.${sign(null, Buffer.from(edText), privateKey).toString('base64url')}`,
      'under a key of a file': signed({ ...header, kid: '../../dev/null' }, claimsOf('ada'), secret('')),
      'of another kind': signed({ ...header, typ: 'at+jwt' }, claimsOf('ada'), jwt),
      "with another's seal": `${head}.${claims}.${parts(uma)[2]}`,
      "with another's claims": `${head}.${parts(rex)[1]}.${seal}`,
      'for another service': signed(header, { ...claimsOf('ada'), aud: 'other' }, jwt),
      'that has ended': signed(header, { ...claimsOf('ada'), iat: now - 100, exp: now - 1 }, jwt),
      'that never ends': signed(header, { ...claimsOf('ada'), exp: now + 3_600 * 24 * 365 }, jwt),
      'about the user of another tenant': signed(header, { ...claimsOf('ada'), tid: world.people.rex!.tenant_id }, jwt),
      'about nobody': signed(header, { ...claimsOf('ada'), sub: '999999999' }, jwt),
      'about an operator of the platform': signed(header, { ...claimsOf('ada'), tid: 1 }, jwt),
      'of an earlier session': signed(header, { ...claimsOf('ada'), ver: world.people.ada!.session_version - 1 }, jwt),
      'of a later session': signed(header, { ...claimsOf('ada'), ver: world.people.ada!.session_version + 1 }, jwt),
      'of a megabyte': `${head}.${'a'.repeat(1_000_000)}.${seal}`,
    }
    for (const [what, token] of Object.entries(forged)) {
      const reply = await by(token)
      assert.equal(reply.statusCode, 401, what)
      assert.equal(reply.headers['www-authenticate'], 'Bearer error="invalid_token"', what)
      assert.match(reply.json().detail, /^The token is (not|no longer) valid/)
    }
  })

  // proves: AUTH-05
  it('is read in one place: one header, by one name', async () => {
    const token = await world.tokenOf('ada')
    assert.equal((await ask({ authorization: `bearer ${token}` })).statusCode, 200)
    const places: Record<string, [Record<string, string | string[]>, string?]> = {
      'the query': [{}, `?access_token=${token}&token=${token}&authorization=Bearer%20${token}`],
      'a cookie': [{ cookie: `token=${token}; access_token=${token}; Authorization=Bearer ${token}` }],
      'headers of other names': [{ 'x-access-token': token, 'x-authorization': `Bearer ${token}`, token }],
      'the header of a proxy': [{ 'proxy-authorization': `Bearer ${token}`, 'x-forwarded-user': 'ada' }],
      'two in one header': [{ authorization: `Bearer ${token}, Bearer ${token}` }],
      'another scheme': [{ authorization: `Basic ${token}` }],
      'no scheme': [{ authorization: token }],
      'two blanks': [{ authorization: `Bearer  ${token}` }],
      quotes: [{ authorization: `Bearer "${token}"` }],
      'a user name': [{ authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` }],
    }
    for (const [what, [headers, query = '']] of Object.entries(places))
      assert.equal((await ask(headers, `/api/auth/me${query}`)).statusCode, 401, what)
  })

  // proves: AUTH-05, AUTH-07, ROLE-04
  it('is no longer good from the next request on after whatever ends the session', async () => {
    const idOf = (name: string) => world.people[name]!.id
    const role = async (name: string) =>
      Number(
        (
          await world.rows<{ id: string }>('select id from roles where name = $1 and tenant_id = $2', [
            name,
            world.people.ada!.tenant_id,
          ])
        )[0]!.id,
      )
    const acme = `/api/platform/tenants/${world.people.rex!.tenant_id}`
    const enrolled = (await accepted(world.as('petra').post('/api/auth/totp/enroll', { password }))).json()
      .secret as string
    const endings: [string, string, () => Promise<{ statusCode: number; body: string }>][] = [
      [
        'the own change of the password',
        'alan',
        () =>
          world
            .as('alan')
            .post('/api/auth/change-password', { current_password: password, new_password: 'Giraffe 4 umbrella' }),
      ],
      [
        'a temporary password',
        'anna',
        () =>
          world.as('ada').post(`/api/users/${idOf('anna')}/reset-password`, {
            temporary_password: 'Temporary staple 7',
            change_reason: 'Lost',
          }),
      ],
      [
        'another role',
        'uma',
        async () => world.as('ada').put(`/api/users/${idOf('uma')}/role`, { role_id: await role('Author') }),
      ],
      [
        'a deactivation',
        'otto',
        () => world.as('ada').post(`/api/users/${idOf('otto')}/deactivate`, { change_reason: 'Left' }),
      ],
      [
        'a second factor',
        'petra',
        () => world.as('petra').post('/api/auth/totp/confirm', { otp: new TOTP({ secret: enrolled }).generate() }),
      ],
      ['the end of the company', 'rita', () => world.as('pat').put(acme, { is_active: false, change_reason: 'Ended' })],
    ]
    for (const [what, name, end] of endings) {
      const token = await world.tokenOf(name)
      assert.equal((await by(token)).statusCode, 200, what)
      await accepted(end())
      assert.equal((await by(token)).statusCode, 401, what)
    }
    // Whoever is let in again begins anew.
    const token = await world.tokenOf('otto')
    await accepted(world.as('ada').post(`/api/users/${idOf('otto')}/reactivate`, { change_reason: 'Came back' }))
    assert.equal((await by(token)).statusCode, 401)
  })

  it('of the service itself is what all of this is compared with', async () => {
    const { id, tenant_id, session_version } = world.people.quinn!
    const auth_time = Math.floor(Date.now() / 1000)
    const claims = { sub: String(id), tid: tenant_id, auth_time, amr: ['pwd'], ver: session_version }
    const token = await issueToken(world.services.keys.jwt, claims, { lifetime_seconds: 60, now: new Date() })
    assert.equal((await by(token)).json().username, 'quinn')
  })
})
