import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isCrossSite, isSameOrigin, originOfPages } from './same-origin.ts'
import { loginCookieOf, sessionCookieOf, setCookies } from './session-cookie.ts'

// proves: SES-01
describe('the cookie of the session', () => {
  it('is for this host alone, over TLS alone, and for no script and no other site', () => {
    assert.deepEqual(setCookies({ session: 'x.y' }), ['__Host-attest=x.y; Path=/; Secure; HttpOnly; SameSite=Strict'])
    assert.deepEqual(setCookies({ session: null }), [
      '__Host-attest=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0',
    ])
  })

  // proves: SSO-01
  it('is not that of a log-in that has begun, which comes back from the provider and ends after ten minutes', () => {
    assert.deepEqual(setCookies({ login: 'x' }), [
      '__Host-attest-login=x; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600',
    ])
    assert.deepEqual(setCookies({ session: 'x', login: null }).at(1)?.endsWith('; Max-Age=0'), true)
    const header = '__Host-attest-login=l; __Host-attest=s'
    assert.deepEqual([loginCookieOf(header), sessionCookieOf(header)], ['l', 's'])
  })

  it('is found among others, and is nothing where it is there twice', () => {
    for (const [header, expected] of [
      [undefined, undefined],
      ['', undefined],
      ['a=b; c', undefined],
      ['__Host-attest=v', 'v'],
      ['a=b;__Host-attest=v ; c=d', 'v'],
      ['x__Host-attest=v; __host-attest=w; __Host-attest2=u', undefined],
      ['__Host-attest=', ''],
      ['__Host-attest=a=b', 'a=b'],
      ['__Host-attest=v; __Host-attest=w', ''],
      ['__Host-attest=v; __Host-attest=v', ''],
    ] as const)
      assert.equal(sessionCookieOf(header), expected, header)
  })
})

// proves: SES-01
describe('a request of our pages', () => {
  const pages = originOfPages('https://qms.example/attest')

  it('is known by what the browser says of its site, and of an old browser by the origin', () => {
    assert.equal(pages, 'https://qms.example')
    for (const [headers, expected] of [
      [{ 'sec-fetch-site': 'same-origin' }, true],
      [{ 'sec-fetch-site': 'same-site' }, false],
      [{ 'sec-fetch-site': 'cross-site' }, false],
      [{ 'sec-fetch-site': 'none' }, false],
      [{ 'sec-fetch-site': '' }, false],
      [{ 'sec-fetch-site': 'same-origin, same-origin' }, false],
      // The newer header decides.
      [{ 'sec-fetch-site': 'cross-site', origin: 'https://qms.example' }, false],
      [{ origin: 'https://qms.example' }, true],
      [{ origin: 'https://qms.example:8443' }, false],
      [{ origin: 'http://qms.example' }, false],
      [{ origin: 'https://qms.example.evil' }, false],
      [{ origin: 'null' }, false],
      [{}, false],
    ] as const) {
      assert.equal(isSameOrigin(headers, pages), expected, JSON.stringify(headers))
      // A program sends neither.
      assert.equal(isCrossSite(headers, pages), !expected && Object.keys(headers).length > 0, JSON.stringify(headers))
    }
  })

  it('is known by no origin where PUBLIC_URL is not set', () => {
    assert.equal(originOfPages(undefined), undefined)
    assert.ok(!isSameOrigin({ origin: 'https://qms.example' }, undefined))
    assert.ok(!isSameOrigin({}, undefined))
    assert.ok(isSameOrigin({ 'sec-fetch-site': 'same-origin' }, undefined))
  })
})
