import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSecretKey, scrubEvent, scrubText } from './scrub.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks wherever it likes
const scrubbed = (event: object) => JSON.parse(JSON.stringify(scrubEvent(event))) as any
const extra = (value: object) => scrubbed({ extra: value }).extra
const headers = (value: object) => scrubbed({ request: { headers: value } }).request.headers

// proves: TRK-07
describe('a key', () => {
  it('that tells of a secret loses its value, however deep, in lists, in any case', () => {
    assert.deepEqual(extra({ a: { b: [{ Password: 'x' }] } }), { a: { b: [{ Password: '[Filtered]' }] } })
    const names = ['password', 'newPassword', 'TOKEN', 'client_secret', 'otp', 'totp', 'apiKey', 'api-key', 'API_KEY']
    for (const name of [...names, 'api.key', 'x_api_key', 'e-mail', 'Email', 'cookies', 'authorization', 'ｐassword'])
      assert.equal(extra({ [name]: 'x' })[name.normalize('NFC')], '[Filtered]', name)
  })

  it('with "code" in it does too, except status_code', () => {
    const codes = { status_code: 500, code: 1, error_code: 2, zip_code: 3, encoded: 4, decoder: 5, statusCode: 6 }
    const { status_code, ...others } = extra(codes)
    assert.equal(status_code, 500)
    assert.deepEqual(new Set(Object.values(others)), new Set(['[Filtered]']))
    assert.deepEqual(extra({ 'http.response.status_code': 1, STATUS_CODE: 2, 'http.code': 3 }), {
      'http.response.status_code': 1,
      STATUS_CODE: 2,
      'http.code': '[Filtered]',
    })
    assert.ok(isSecretKey('my_status_code'))
  })

  it('loses it whatever its type', () => {
    const given = { token: { a: 1, b: [2] }, secret: null, otp: 123456, email: ['a@b'], password: false }
    assert.deepEqual(new Set(Object.values(extra(given))), new Set(['[Filtered]']))
  })

  it('of a user too: the id stays', () => {
    const { user } = scrubbed({ user: { id: 1, email: 'a@b', ip_address: '10.0.0.1' } })
    assert.equal(user.id, 1)
    assert.equal(user.email, '[Filtered]')
  })

  it('in tags, contexts and breadcrumbs as well', () => {
    const event = { tags: { token: 'x1' }, contexts: { a: { otp: 'x2' } }, breadcrumbs: [{ data: { email: 'x3' } }] }
    assert.doesNotMatch(JSON.stringify(scrubbed(event)), /x\d/)
  })

  it('that is itself a query is scrubbed', () => {
    assert.doesNotMatch(JSON.stringify(extra({ '/x?token=abc': 1, 'a=1&otp=abc': {} })), /abc/)
  })
})

// proves: TRK-04
describe('headers', () => {
  const dropped = {
    Authorization: 'x',
    cookie: 'x',
    'Set-Cookie': ['x', 'y'],
    'X-API-Key': 'x',
    'x-amz-security-token': 'x',
    'X-CSRF-Token': 'x',
    'Client-Secret': 'x',
    apikey: 'x',
    'Proxy-Authorization': 'x',
    'X-Session-Id': 'x',
    'X-Auth': 'x',
  }
  const kept = { 'X-Request-ID': 'abcdefgh', 'Content-Type': 'application/json', 'User-Agent': 'curl' }

  it('that identify somebody are gone with their names, in any case; others stay', () => {
    assert.deepEqual(headers({ ...dropped, ...kept }), kept)
    assert.deepEqual(headers(Object.entries({ ...dropped, ...kept })), Object.entries(kept))
  })

  it('are those wherever they are found', () => {
    const given = { request_headers: { 'X-Auth': 'x', a: 'b' }, deep: { response: { headers: { 'set-cookie': 'x' } } } }
    assert.deepEqual(extra(given), { request_headers: { a: 'b' }, deep: { response: { headers: {} } } })
  })

  it('that hold a URL have it scrubbed', () => {
    assert.deepEqual(headers({ referer: 'https://h/p?a=1&token=x' }), {
      referer: 'https://h/p?a=1&token=[Filtered]',
    })
  })
})

// proves: TRK-05
describe('the query of a request', () => {
  it('below /api/auth is removed, however the path is written', () => {
    const paths = ['/api/auth/token?x=1', '/API/auth/x?x=1', '/api/auth?x=1', '/api//auth/token?x', '/api/%61uth/t?x=1']
    for (const path of [...paths, '/api/./auth/t?x', '/api/a/../auth/t?x', '/api/%2561uth/t?x', '\\api\\auth\\t?x#x'])
      for (const before of ['', 'http://h:8000'])
        assert.equal(scrubText(before + path), before + path.split('?')[0], path)
    assert.equal(scrubText('/api/auth/x;token=abc?y'), '/api/auth/x;token=[Filtered]')
  })

  it('of anything else stays', () => {
    for (const path of ['/api/authors?x=1', '/api/x?auth=1', '/authentic/?x=1']) assert.equal(scrubText(path), path)
  })

  it('is removed from every part of the event', () => {
    const event = scrubbed({
      transaction: 'POST /api/auth/token',
      request: { url: 'http://h/api/auth/token?x=VALUE', query_string: 'x=VALUE' },
      spans: [{ description: 'POST /api/auth/token', data: { 'url.path': '/api/auth/token', 'url.query': 'x=VALUE' } }],
      breadcrumbs: [{ message: 'GET /api/auth/me?x=VALUE', data: { 'http.query': '?x=VALUE' } }],
    })
    assert.doesNotMatch(JSON.stringify(event), /VALUE/)
    const one = scrubbed({ spans: [{ description: 'POST /api/auth/x', data: { 'http.query': 'x=VALUE' } }] })
    assert.doesNotMatch(JSON.stringify(one), /VALUE/)
  })

  for (const [given, expected] of Object.entries({
    '/p?access_token=1&q=ok': '/p?access_token=[Filtered]&q=ok',
    '/p?ACCESS_TOKEN=1': '/p?ACCESS_TOKEN=[Filtered]',
    '/p?user[email]=a': '/p?user[email]=[Filtered]',
    '/p?a=1;token=2': '/p?a=1;token=[Filtered]',
    '/p?%74oken=abc': '/p?%74oken=[Filtered]',
    '/p?to%6Ben=abc': '/p?to%6Ben=[Filtered]',
    '/p?%2574oken=abc': '/p?%2574oken=[Filtered]',
    '/p?token%5B%5D=x': '/p?token%5B%5D=[Filtered]',
    '/p?+token=x': '/p?+token=[Filtered]',
    '/p?status_code=404': '/p?status_code=404',
    '/p?token': '/p?[Filtered]',
    '/p?token=': '/p?token=[Filtered]',
    '/p?token=a&token=b': '/p?token=[Filtered]&token=[Filtered]',
    '/p?token=%': '/p?token=[Filtered]',
    '/p?%zz=abc&a=1': '/p?[Filtered]&a=1',
    '/p?token%3Dabc': '/p?[Filtered]',
    '/p?q=100%': '/p?q=100%',
    '/p?token=a"b': '/p?token=[Filtered]',
    '/p?token=a\u00a0b': '/p?token=[Filtered]',
    '/p?next=%2Fx%3Ftoken%3Dabc': '/p?next=[Filtered]',
    '/x?code=1': '/x?code=[Filtered]',
    '//h/p?otp=1': '//h/p?otp=[Filtered]',
    'https://h/#access_token=abc&a=1': 'https://h/#access_token=[Filtered]&a=1',
    'https://h/#/route?token=abc': 'https://h/#/route?token=[Filtered]',
    'https://u:p@h/': 'https://h/',
    'postgres://attest_app:hunter2@db:5432/attest': 'postgres://db:5432/attest',
    'GET https://h/p?token=a 200': 'GET https://h/p?token=[Filtered] 200',
    'a=1&token=2': 'a=1&token=[Filtered]',
    '?token=2': '?token=[Filtered]',
  })) {
    it(`${given} becomes ${expected}`, () => assert.equal(scrubText(given), expected))
  }

  it('is scrubbed as a text, as pairs and as an object', () => {
    const query = (query_string: unknown) => scrubbed({ request: { query_string } }).request.query_string
    assert.equal(query('a=1&token=2'), 'a=1&token=[Filtered]')
    const pairs = [
      ['a', '1'],
      ['%74oken', '2'],
    ]
    assert.deepEqual(query(pairs), [
      ['a', '1'],
      ['%74oken', '[Filtered]'],
    ])
    assert.deepEqual(query({ a: '1', token: ['2'] }), { a: '1', token: '[Filtered]' })
  })

  it('is scrubbed in breadcrumbs, spans and the name of a transaction', () => {
    const url = 'https://h/p?token=VALUE&a=1'
    const event = scrubbed({
      transaction: `GET ${url}`,
      breadcrumbs: [{ message: `GET ${url}`, data: { url, to: '/b?otp=VALUE', from: '/a?code=VALUE' } }],
      spans: [
        {
          description: `GET ${url}`,
          data: { 'http.url': url, 'url.full': url, 'http.query': '?token=VALUE', 'url.query': 'a=1&token=VALUE' },
        },
      ],
    })
    assert.doesNotMatch(JSON.stringify(event), /VALUE/)
    assert.equal(event.transaction, 'GET https://h/p?token=[Filtered]&a=1')
    assert.equal(event.spans[0].data['url.query'], 'a=1&token=[Filtered]')
  })
})

// proves: TRK-03, TRK-06
describe('an event', () => {
  it('has no body, no cookies, no environment', () => {
    const { request } = scrubbed({ request: { method: 'POST', data: 'x', cookies: { a: 'x' }, env: { PATH: 'x' } } })
    assert.deepEqual(request, { method: 'POST' })
  })

  it('has neither the values of variables nor lines of the source', () => {
    const frame = { filename: 'a.ts', lineno: 1, vars: { a: 'VALUE' }, pre_context: ['VALUE'], context_line: 'VALUE' }
    const event = scrubbed({ exception: { values: [{ type: 'Error', stacktrace: { frames: [frame] } }] } })
    assert.deepEqual(event.exception.values[0].stacktrace.frames, [{ filename: 'a.ts', lineno: 1 }])
  })

  it('has nothing that nobody has looked at', () => {
    assert.deepEqual(scrubbed({ message: 'a', modules: { a: '1' }, threads: [1], anything: 1 }), { message: 'a' })
  })

  it('has no token in its texts, whether a header or a body is quoted', () => {
    const texts = [
      'Bearer abc.VALUE',
      'basic VALUE',
      'eyJhbGciOi.VALUE.VALUE',
      'at "{"password":"VALUE VALUE"',
      'otp=VALUE',
    ]
    for (const message of texts) assert.doesNotMatch(scrubbed({ message }).message, /VALUE/, message)
    assert.equal(scrubText("Cannot read properties of undefined (reading 'code')").includes('Filtered'), false)
  })
})

// proves: TRK-08
describe('what is no plain data', () => {
  it('is not looked into, and calls nothing', () => {
    const secret = 'VALUE'
    const called = () => assert.fail('this is called')
    const given = {
      proxy: new Proxy(
        { secret },
        { get: called, ownKeys: called, getOwnPropertyDescriptor: called, getPrototypeOf: called },
      ),
      headers: new Proxy({ secret }, { get: called, ownKeys: called, getOwnPropertyDescriptor: called }),
      big: 10n,
      symbol: Symbol(secret),
      map: new Map([[secret, secret]]),
      set: new Set([secret]),
      buffer: Buffer.from(secret),
      own: new (class {
        anything = secret
      })(),
      fn: called,
      toJSON: called,
      nan: Number.NaN,
    }
    Object.defineProperty(given, 'getter', { enumerable: true, get: called })
    const result = extra(given)
    assert.doesNotMatch(JSON.stringify(result), /VALUE|"86,65/)
    assert.equal(result.big, '10')
    assert.equal(result.nan, null)
  })

  it('has an end: cycles, depth, number and length', () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle.self = cycle
    assert.deepEqual(extra(cycle), { a: 1, self: '[Circular]' })
    let deep: object = { end: 'VALUE' }
    for (let depth = 0; depth < 5_000; depth++) deep = { deep }
    assert.doesNotMatch(JSON.stringify(extra(deep)), /VALUE/)
    const long = extra({ text: 'x'.repeat(1_000_000) })
    assert.ok(long.text.length < 10_000)
    const wide = {
      texts: Array.from({ length: 100_000 }, () => 'y'.repeat(10_000)),
      more: Array(100_000).fill({ a: 1 }),
    }
    const size = JSON.stringify(scrubEvent({ extra: wide })).length
    assert.ok(size < 2_000_000, `${size} characters`)
    assert.equal(JSON.parse(JSON.stringify(extra(JSON.parse('{"__proto__":{"a":1},"b":2}')))).b, 2)
    assert.equal(({} as { a?: number }).a, undefined)
  })

  it('does not hide what happened behind what is large', () => {
    const event = scrubbed({
      extra: { text: Array(1_000).fill('x'.repeat(8_000)) },
      exception: { values: [{ type: 'Error', value: 'what happened' }] },
    })
    assert.equal(event.exception.values[0].value, 'what happened')
  })

  it('takes no time that somebody outside could choose', () => {
    const hostile = ['eyJ-'.repeat(4_000), '/'.repeat(16_000), 'a='.repeat(8_000), `?${'%25'.repeat(5_000)}=1`]
    const begun = process.cpuUsage()
    for (const text of [...hostile, '//'.repeat(8_000), '"'.repeat(16_000), `"${'a":'.repeat(5_000)}`]) scrubText(text)
    const took = process.cpuUsage(begun).user / 1000
    assert.ok(took < 1_000, `${took} ms`)
  })
})
