import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { idTokenFault } from './id-token.ts'

const challenge = createHash('sha256').update('what is signed').digest('hex')
const nonce = Buffer.from(challenge, 'hex').toString('base64url')
const [issuer, client_id] = ['https://id.example', 'attest']
const now = Math.floor(Date.now() / 1000)

async function openSigner(alg: string) {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const key = { ...(await exportJWK(publicKey)), alg, kid: 'k' }
  return {
    key,
    sign: (claims: JWTPayload = {}) =>
      new SignJWT({ iss: issuer, aud: client_id, nonce, auth_time: now, iat: now, ...claims })
        .setProtectedHeader({ alg })
        .sign(privateKey),
  }
}

// proves: SSO-05
describe('an ID token as evidence', () => {
  for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA'])
    it(`verifies by ${alg} with its key alone`, async () => {
      const { key, sign } = await openSigner(alg)
      const id_token = await sign()
      const kept = { id_token, issuer, client_id }
      assert.equal(idTokenFault(kept, key, challenge), undefined)
      const other = await openSigner(alg)
      assert.match(idTokenFault(kept, other.key, challenge)!, /signature does not verify/)
      for (const wrong of ['none', 'HS256', alg === 'RS256' ? 'PS256' : 'RS256'])
        assert.match(idTokenFault(kept, { ...key, alg: wrong }, challenge)!, /signature does not verify/)
    })

  it('is none of another challenge, provider or client, or of a log-in that is not for it', async () => {
    const { key, sign } = await openSigner('ES256')
    const faultOf = async (claims: JWTPayload, more: object = {}) =>
      idTokenFault({ id_token: await sign(claims), issuer, client_id, ...more }, key, challenge)
    assert.equal(await faultOf({ aud: ['another', client_id] }), undefined)
    // Entra ID sets iat five minutes back.
    assert.equal(await faultOf({ iat: now - 300 }), undefined)
    assert.equal(await faultOf({ iat: now + 601 }), undefined)
    assert.match((await faultOf({ iat: now + 602 }))!, /did not log in for it/)
    assert.match((await faultOf({ nonce: 'another' }))!, /another challenge/)
    assert.match((await faultOf({ aud: 'another' }))!, /another provider or client/)
    assert.match((await faultOf({ iss: 'https://another.example' }))!, /another provider or client/)
    assert.match((await faultOf({}, { issuer: 'https://another.example' }))!, /another provider or client/)
    for (const auth_time of [undefined, null, '1', 1.5])
      assert.match((await faultOf({ auth_time }))!, /when the person logged in/)
  })

  it('that is none is refused, and never throws', async () => {
    const { key, sign } = await openSigner('ES256')
    const id_token = await sign()
    for (const text of ['', 'a.b.c', '..', `${id_token}.more`, id_token.slice(0, -4)])
      assert.notEqual(idTokenFault({ id_token: text, issuer, client_id }, key, challenge), undefined, text)
    assert.notEqual(idTokenFault({ id_token, issuer, client_id }, { kty: 'EC' }, challenge), undefined)
  })
})
