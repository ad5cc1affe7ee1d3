import assert from 'node:assert/strict'
import { createHmac, createSecretKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { AppError } from '#kernel/errors.ts'
import { issueToken, readToken, type TokenClaims, tokenReader } from './jwt.ts'

const key = createSecretKey(randomBytes(32))
const now = new Date('2026-11-21T08:00:00.500Z')
const seconds = Math.floor(now.getTime() / 1000)
const later = (by: number) => new Date(now.getTime() + by * 1000)
const claims: TokenClaims = { sub: '42', tid: 7, auth_time: seconds, amr: ['pwd', 'otp'], ver: 3 }
const issue = (lifetime_seconds = 28_800) => issueToken(key, claims, { lifetime_seconds, now })

const refused = (error: AppError) =>
  error instanceof AppError &&
  error.status === 401 &&
  error.headers['www-authenticate'] === 'Bearer error="invalid_token"'
const refuses = (token: string, at = now, message?: string) =>
  assert.rejects(readToken(key, token, at), refused, message ?? token.slice(0, 200))

/** A token as an attacker makes it, or one who has the key: any header, any claims as JSON text, any algorithm. */
const good = {
  sub: '42',
  tid: 7,
  auth_time: seconds,
  amr: ['pwd'],
  ver: 3,
  iat: seconds,
  exp: seconds + 60,
  iss: 'attest',
  aud: 'attest-api',
}
const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
function forge({
  header = { alg: 'HS256', typ: 'JWT' } as unknown,
  payload = good as unknown,
  hash = 'sha256',
  secret = key,
} = {}) {
  const signed = `${part(header)}.${part(payload)}`
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}
const withClaims = (changed: Record<string, unknown>) => forge({ payload: { ...good, ...changed } })
const withHeader = (changed: Record<string, unknown>) => forge({ header: { alg: 'HS256', typ: 'JWT', ...changed } })

describe('an access token (proves: AUTH-04)', () => {
  it('says who it was issued to, and until when', async () => {
    assert.deepEqual(await readToken(key, await issue(), now), { ...claims, iat: seconds, exp: seconds + 28_800 })
  })

  it('names no tenant for a platform user', async () => {
    const { tid: _, ...platform } = claims
    const token = await issueToken(key, platform, { lifetime_seconds: 60, now })
    assert.ok(!('tid' in (await readToken(key, token, now))))
  })

  it('is good to its last second, and not one longer', async () => {
    const token = await issue(60)
    await readToken(key, token, later(59))
    await refuses(token, later(60))
    await refuses(token, later(61))
  })

  it('is good on a machine whose clock is a little behind, and not far ahead of its time', async () => {
    const token = await issue()
    await readToken(key, token, later(-5))
    await refuses(token, later(-7))
  })

  it('cannot be issued for ever', async () => {
    for (const lifetime_seconds of [0, -1, 32 * 86_400, Number.NaN, Number.POSITIVE_INFINITY]) {
      await assert.rejects(async () => issueToken(key, claims, { lifetime_seconds, now }), RangeError)
    }
  })

  it('is what the forgeries below differ from by one thing each', async () => {
    assert.equal((await readToken(key, forge(), now)).sub, '42')
  })
})

describe('a forged token is a 401 (proves: AUTH-05)', () => {
  it('with no algorithm, in any case, with and without a signature', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, 0, [], ['HS256'], {}, undefined]) {
      await refuses(withHeader({ alg }))
      await refuses(`${part({ alg, typ: 'JWT' })}.${part(good)}.`)
    }
  })

  it('with another algorithm of the same key', async () => {
    for (const [alg, hash] of [
      ['HS384', 'sha384'],
      ['HS512', 'sha512'],
    ])
      await refuses(forge({ header: { alg, typ: 'JWT' }, hash: hash! }))
    for (const alg of ['hs256', 'HS256 ', 'dir']) await refuses(withHeader({ alg }))
  })

  it('with a public key of its own, embedded or named', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = publicKey.export({ format: 'jwk' })
    for (const header of [
      { alg: 'RS256', typ: 'JWT' },
      { alg: 'RS256', typ: 'JWT', jwk },
      { alg: 'HS256', typ: 'JWT', jwk },
    ]) {
      const signed = `${part(header)}.${part(good)}`
      await refuses(`${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`)
    }
    for (const secret of [createSecretKey(Buffer.alloc(1)), createSecretKey(randomBytes(32))])
      await refuses(forge({ secret }))
  })

  it('with any field in its header that ours do not have, even under the right key', async () => {
    const extra = {
      jwk: { kty: 'oct', k: '' },
      jku: 'http://127.0.0.1/',
      x5u: 'http://127.0.0.1/',
      kid: '../../dev/null',
      x5c: [],
      cty: 'JWT',
      zip: 'DEF',
    }
    for (const [name, value] of Object.entries(extra)) await refuses(withHeader({ [name]: value }))
    for (const header of [
      { crit: ['exp'] },
      { crit: [] },
      { crit: ['b64'], b64: true },
      { crit: ['b64'], b64: false },
      { b64: false },
    ])
      await refuses(withHeader(header))
    for (const typ of ['at+jwt', 'JWS', '', null, 1]) await refuses(withHeader({ typ }))
  })

  it('for another issuer or audience', async () => {
    for (const iss of ['', 'Attest', 'attest ', null, ['attest'], undefined]) await refuses(withClaims({ iss }))
    for (const aud of ['', 'attest', 'attest-api ', null, [], ['other'], {}, undefined])
      await refuses(withClaims({ aud }))
  })

  it('without an expiry, or with one that is none', async () => {
    for (const exp of [
      undefined,
      null,
      String(seconds + 60),
      seconds + 60.5,
      seconds,
      seconds - 1,
      0,
      -1,
      true,
      [seconds + 60],
      seconds + 10 * 365 * 86_400,
      2 ** 53,
    ]) {
      await refuses(withClaims({ exp }))
    }
    for (const exp of ['1e400', '1e308', '-1e400'])
      await refuses(forge({ payload: JSON.stringify(good).replace(`"exp":${seconds + 60}`, `"exp":${exp}`) }))
  })

  it('from the future, or from long ago', async () => {
    for (const moment of [seconds + 10, seconds + 86_400, String(seconds), null]) {
      await refuses(withClaims({ nbf: moment }))
      await refuses(withClaims({ iat: moment }))
    }
    for (const iat of [undefined, 0, seconds + 0.5, seconds - 32 * 86_400]) await refuses(withClaims({ iat }))
  })

  it('about nobody, or about somebody whom no id names', async () => {
    for (const sub of [undefined, null, '', '0', '-1', '042', '4 2', '42\0', 'ada', '1e3', 42, '9'.repeat(17)])
      await refuses(withClaims({ sub }))
    for (const tid of [null, 0, -1, 1.5, '7', 2 ** 53, [7]]) await refuses(withClaims({ tid }))
    for (const wrong of [
      { ver: undefined },
      { ver: '3' },
      { ver: 1.5 },
      { auth_time: undefined },
      { auth_time: 'now' },
      { amr: undefined },
      { amr: 'pwd' },
      { amr: [1] },
    ]) {
      await refuses(withClaims(wrong))
    }
  })

  it('in any other spelling of the same bytes', async () => {
    const token = await issue()
    const [header, payload, signature] = token.split('.') as [string, string, string]
    const sameBytes = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
      .map(last => signature.slice(0, -1) + last)
      .filter(each => each !== signature && Buffer.from(each, 'base64url').equals(Buffer.from(signature, 'base64url')))
    assert.ok(sameBytes.length > 0)
    for (const each of sameBytes) await refuses(`${header}.${payload}.${each}`)
    for (const end of ['=', '==', ' ', '\n', '\0', '.', 'A', '.x', '%00', '\u00e9']) await refuses(token + end)
    for (const start of [' ', '.', '=', 'Bearer ']) await refuses(start + token)
    await refuses(`${header}=.${payload}.${signature}`)
    await refuses(`${header}.${payload}=.${signature}`)
    await refuses(token.replaceAll('-', '+').replaceAll('_', '/') + '=')
  })

  it('that is not JSON, not an object, or no text at all', async () => {
    for (const payload of ['', 'null', '[]', '"x"', '1', '{', '\xff', `${JSON.stringify(good)} x`])
      await refuses(forge({ payload }))
    for (const header of ['', 'null', '[]', '{', '"HS256"']) await refuses(forge({ header }))
    for (const token of ['', '.', '..', '...', 'null', 'undefined', 'a.b', 'a.b.c', 'a.b.c.d.e']) await refuses(token)
  })

  it('of a megabyte, without being looked at', async () => {
    await refuses('a'.repeat(1_000_000))
    await refuses(withClaims({ padding: 'a'.repeat(1_000_000) }), now, 'signed with the right key')
    await refuses(withClaims({ padding: 'a'.repeat(4_000) }), now, 'signed with the right key')
  })

  it('with any one character changed', async () => {
    const token = await issue()
    for (let index = 0; index < token.length; index++) {
      const other = token[index] === 'B' ? 'C' : 'B'
      await refuses(token.slice(0, index) + other + token.slice(index + 1))
    }
  })

  it('of random parts, and never a failure of the service', async () => {
    const anyPart = fc.oneof(
      fc.base64String(),
      fc.json().map(part),
      fc.string({ unit: 'binary' }),
      fc.constant(part({ alg: 'HS256', typ: 'JWT' })),
    )
    await fc.assert(
      fc.asyncProperty(anyPart, anyPart, anyPart, (...parts) => refuses(parts.join('.'))),
      { numRuns: 2_000 },
    )
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), (header, payload) => refuses(forge({ header, payload }))),
      { numRuns: 1_000 },
    )
  })
})

describe('a token that was read before', () => {
  it('says the same again, and is refused from its end on, before its beginning and with any change', async () => {
    const read = tokenReader(key)
    const token = await issue(60)
    const first = await read(token, now)
    assert.deepEqual(first, await readToken(key, token, now))
    assert.deepEqual(await read(token, later(59)), first)
    await assert.rejects(read(token, later(60)), refused)
    await assert.rejects(read(token, later(-6)), refused)
    await assert.rejects(read(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, now), refused)
    await assert.rejects(read(`${token}=`, now), refused)
    await assert.rejects(read('x'.repeat(10_000), now), refused)
    assert.deepEqual(await read(token, now), first)
  })

  it('is good for one key alone', async () => {
    const token = await issue()
    await tokenReader(key)(token, now)
    await assert.rejects(tokenReader(createSecretKey(randomBytes(32)))(token, now), refused)
  })
})
