// Whatever is sent: a refusal that says what is wrong, or exactly what was sent is kept. Never an error on our side.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import type { Route } from '#http'
import { validate } from '#http/validation.ts'
import {
  addRecords,
  callerOf,
  checkAnswer,
  digestOfTables,
  giveSecondFactor,
  inputOf,
  pathOf,
  type Records,
  type Schema,
  sampleRequest,
  send,
} from '#test/builders/samples.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

/** Texts as JavaScript has them, among them those that no database can keep. */
const texts = [
  '',
  ' ',
  '\t\n',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\u202egpj.exe',
  'e\u0301\u0323\u200b\ufeff',
  '👩‍🔬 "quoted" \\back\\slash\\',
  "'; drop table users; --",
  '%_\\',
  '<script>alert(1)</script>',
  '{{7*7}}#{7*7}',
  '=1+1',
  '__proto__',
  'constructor',
  'null',
  '1e3',
  '0x10',
  '-0',
  '٣',
  '2026-02-30',
  '0000-01-01',
  'infinity',
  '294277-01-01',
  '2026-12-31T23:59:60Z',
  '2026-01-01T00:00:00+23:59',
  '2026-01-01T99:00:00Z',
  'x'.repeat(2_000),
  'x'.repeat(200_000),
]

/** Values as JSON, because JavaScript has no way to write some of them. */
const values = [
  ...texts.map(text => JSON.stringify(text)),
  ...['0', '-1', '-0', '1.5', '1e400', '-1e400', '1e300', '2147483647', '2147483648', '9007199254740992'],
  ...['9223372036854775808', '123456789012345678901234567890', 'true', 'null', '[]', '{}', '["x"]', '[null]', '[[[]]]'],
  ...['{"constructor":{"prototype":{}}}', '{"toString":1}', '{"length":9}'],
  '['.repeat(10_000) + ']'.repeat(10_000),
  `[${'1,'.repeat(5_000)}1]`,
]

/** For fields of which each text that is well-formed is hashed, which takes long on purpose. */
const hashed = /^(username|current_password|password|otp)$/
const fewValues = ['""', '"a\\u0000b"', '"\\ud800"', JSON.stringify('x'.repeat(1_025)), '-1', '1e400', 'null', '["x"]']

/** Each accepted text of these routes is a question to a model, so all strange ones are asked as one. */
const asksModel = ({ url }: Pick<Route, 'url'>) => /^\/api\/ai\/(chat|generate|analyze)$/.test(url)
const strange = texts.filter(text => text.isWellFormed() && !text.includes('\0') && text.length < 1000).join(' ')
const fewQuestions = [...fewValues, JSON.stringify(strange)]
/** The strange texts that a title has room for, several in one. */
const joined: string[] = []
for (const text of texts) {
  if (!text.isWellFormed() || text.includes('\0') || text.trim() === '' || text.length > 99) continue
  const last = joined.at(-1)
  if (last === undefined || last.length + text.length > 99) joined.push(text)
  else joined[joined.length - 1] = `${last} ${text}`
}
const joinedValues = joined.map(text => JSON.stringify(text))

/** The schema of a place in a body; undefined if it is one of several. */
function schemaAt(schema: Schema | undefined, way: string[]): Schema | undefined {
  if (way.length === 0) return undefined
  return way.reduce<Schema | undefined>((each, step) => each?.properties?.[step] ?? each?.items, schema)
}

const makesFile = /\/(dossier|record\.pdf|export|report)$/

const nameOf = ({ method, url }: Pick<Route, 'method' | 'url'>) => `${method} ${url}`

describe('bad input', () => {
  let world: World
  let model: Openai
  let records: Records
  let spool: string
  let address: { port: number }
  before(async () => {
    model = await openOpenai()
    world = await openWorld({
      REGISTRATION_ENABLED: 'true',
      REGISTRATION_TENANT: 'acme',
      LOG_LEVEL: 'error',
      LOGIN_FAILURES_PER_ADDRESS: '1000000',
      PUBLIC_URL: 'https://qms.example',
      ...model.environment,
    })
    records = await addRecords(world)
    await giveSecondFactor(world, 'pat')
    spool = join(world.services.config.upload_dir, '.tmp')
    await world.server.listen({ host: '127.0.0.1', port: 0 })
    address = world.server.server.address() as { port: number }
  })
  after(async () => {
    console.log(`one in ${one_kept_in} was tried: BAD_INPUT_TURN=${first_turn % one_kept_in}`)
    await world.close()
    await model.close()
  })

  interface Raw {
    path: string
    payload?: string | Buffer
    type?: string
  }
  /** As the route's caller, whose token some of what is tried here ends. */
  async function ask(
    route: Pick<Route, 'method' | 'url' | 'action'>,
    { path, payload, type = 'application/json' }: Raw,
  ) {
    const caller = callerOf(route as Route)
    const attempt = async () =>
      world.server.inject({
        method: route.method as 'POST',
        url: path,
        headers: {
          authorization: `Bearer ${await world.tokenOf(caller)}`,
          ...(payload !== undefined && type && { 'content-type': type }),
        },
        ...(payload !== undefined && { payload }),
      })
    let reply = await attempt()
    if (reply.statusCode === 401) {
      const { id } = world.people[caller]!
      const [row] = await world.rows<{ session_version: number }>(
        'select session_version from credentials where user_id = $1',
        [id],
      )
      world.people[caller]!.session_version = row!.session_version
      reply = await attempt()
    }
    return checkAnswer(reply, `${nameOf(route)} ${path.slice(0, 300)} ${String(payload?.slice(0, 500) ?? '')}`)
  }

  /** Every place in a request's JSON that a value can stand in. */
  function placesOf(value: unknown, way: string[] = []): string[][] {
    const inner =
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([step, each]) => placesOf(each, [...way, step]))
        : []
    return [way, ...inner]
  }
  const marker = 'the value that is tried'
  function jsonWith(body: unknown, way: string[], json: string) {
    if (way.length === 0) return json
    const changed = structuredClone(body) as Record<string, unknown>
    const last = way.at(-1)!
    const at = way.slice(0, -1).reduce((each, step) => each[step] as Record<string, unknown>, changed)
    at[last] = marker
    // As a function, because a replacement has letters with a meaning of their own.
    return JSON.stringify(changed).replace(JSON.stringify(marker), () => json)
  }

  const one_in = 10
  /**
   * Every field is tried with all strange texts in a few; of each alone, a part is tried, each day the next one: BAD_INPUT_TURN says
   * which, and BAD_INPUT_ONE_IN=1 tries all. But the settings of the assistant are tried whole: the last of their values is what its
   * other routes go by.
   */
  const one_kept_in = roundsOf('BAD_INPUT_ONE_IN', 32)
  const first_turn = Number(process.env.BAD_INPUT_TURN || Math.floor(Date.now() / 86_400_000))
  let turn = first_turn
  const isLeftOut = ({ url }: Route) => !url.startsWith('/api/ai/') && turn++ % one_kept_in > 0
  /** By schema and value: how often it was refused, or that it is accepted. Only a second one asks which. */
  interface Known {
    schema: Schema
    values: Map<string, number | 'once' | 'accepted'>
  }
  const knownByText = new Map<string, Known>()
  /**
   * One function checks all schemas. Where the same schema occurs again, one in ten of its refused values is tried, and
   * all of its accepted ones.
   */
  function isMoreOfTheSame(schema: Schema | undefined, part: 'body' | 'query' | 'path', json: string) {
    if (!schema || json === 'null') return false
    const known = knownOf(schema)
    let before = known.values.get(json)
    if (before === undefined) {
      known.values.set(json, 'once')
      return false
    }
    if (before === 'once') before = isAccepted(known.schema, part, json) ? 'accepted' : 1
    known.values.set(json, before === 'accepted' ? before : before + 1)
    return before !== 'accepted' && before % one_in !== 0
  }
  const knownBySchema = new WeakMap<Schema, Known>()
  /** To write a schema takes longer than to validate by it, and to compile it much longer: one of those that are equal is compiled. */
  function knownOf(schema: Schema) {
    const before = knownBySchema.get(schema)
    if (before) return before
    const text = JSON.stringify(schema)
    const known = knownByText.get(text) ?? { schema, values: new Map() }
    knownByText.set(text, known)
    knownBySchema.set(schema, known)
    return known
  }
  function isAccepted(schema: Schema, part: 'body' | 'query' | 'path', json: string) {
    try {
      validate(schema as unknown as TSchema, part, JSON.parse(json))
      return true
    } catch {
      return false
    }
  }
  const objectOf = (name: string, schema: Schema): Schema => ({ type: 'object', properties: { [name]: schema } })

  const withBody = () => world.app.routes.filter(route => inputOf(route).body)
  const ownPath = (route: Route, id: string | number) => pathOf(route.url, id)

  // proves: ERR-01, ERR-02, SVC-03
  it('in any field of any body is refused in the one shape, or kept as it was sent', async () => {
    let tried = 0
    let kept = 0
    for (const route of withBody()) {
      const { path, body } = sampleRequest(route, records, { whole: true })
      const least = sampleRequest(route, records).body!
      const places = placesOf(body)
      for (const way of places) {
        // Beside what must be there, the one field that is tried: what is optional must not hide it by being wrong itself.
        const beside = way.length === 1 ? { ...least, [way[0]!]: null } : body
        const few = hashed.test(way.at(-1) ?? '') ? fewValues : asksModel(route) ? fewQuestions : undefined
        const schema = schemaAt(inputOf(route).body, way)
        for (const value of few ?? [...joinedValues, ...values]) {
          if (isMoreOfTheSame(schema, 'body', value)) continue
          if (!joinedValues.includes(value) && isLeftOut(route)) continue
          // How large a value may be is decided for the request as a whole; deeper inside it is one more of the same.
          if (way.length > 1 && value.length > 5_000) continue
          const reply = await ask(route, { path, payload: jsonWith(beside, way, value) })
          tried += 1
          if (reply.statusCode < 300 && way.length === 1) kept += await assertKept(route, reply, way[0]!, value)
        }
      }
    }
    assert.ok(tried > 800 && kept > 15, `${tried} tried, ${kept} kept`)
  })

  /** The answer, and a later read, return what was sent. Fields that are not shown (a password) are skipped. */
  async function assertKept(route: Route, reply: Awaited<ReturnType<typeof ask>>, field: string, json: string) {
    if (!String(reply.headers['content-type']).startsWith('application/json')) return 0
    const answered = reply.json() as Record<string, unknown>
    if (!Object.hasOwn(answered, field) || field === 'revision') return 0
    // -0 is 0 in JSON, and a text of nothing but blanks may be the absence of one. Of an object that is sent in part, the rest stays as it was.
    const sent = JSON.parse(json) === 0 ? 0 : JSON.parse(json)
    if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return 0
    const what = `${nameOf(route)} ${field} = ${json.slice(0, 100)}`
    const isBlank = typeof sent === 'string' && sent.trim() === ''
    const expected = isBlank && answered[field] === null ? null : sent
    assert.deepEqual(answered[field], expected, what)
    const details = world.app.routes.find(
      ({ method, url }) => method === 'GET' && url === `${route.url.replace(':id', '')}:id`,
    )
    if (details && typeof answered.id === 'number') {
      const again = await ask(details, { path: ownPath(details, answered.id) })
      assert.deepEqual(again.json()[field], expected, what)
    }
    return 1
  }

  // proves: ERR-01, SVC-04
  it('in any part of a query or a path is refused in the one shape, or read for what it is', async () => {
    const hostile = [...texts.filter(text => text.isWellFormed()), '0', '-1', '1.5', '2147483648', '9007199254740992']
    for (const route of world.app.routes) {
      const { params, query, body } = inputOf(route)
      const { path } = sampleRequest(route, records)
      const payload = body && { payload: JSON.stringify(sampleRequest(route, records).body) }
      for (const [index, name] of [...Object.keys(query?.properties ?? {}), 'page', '__proto__'].entries()) {
        if (route.method !== 'GET') continue
        const isKnown = Object.hasOwn(query?.properties ?? {}, name)
        // An unknown parameter is never read, whatever its value; some routes make a whole file for each answer.
        const schema = isKnown ? objectOf(name, query!.properties![name]!) : undefined
        for (const text of isKnown ? hostile : ['', "'; drop table users; --", '-1']) {
          if (isMoreOfTheSame(schema, 'query', JSON.stringify({ [name]: text })) || isLeftOut(route)) continue
          const search = `${encodeURIComponent(name)}=${encodeURIComponent(text.slice(0, 4_000))}`
          await ask(route, { path: `${path}?${search}` })
        }
        const twice = await ask(route, { path: `${path}?${name}=1&${name}=2` })
        if (isKnown && (query!.properties![name] as { type?: string }).type !== 'array')
          assert.equal(twice.statusCode, 422, `${nameOf(route)} ?${name} twice`)
        // A query is parsed before anybody looks for its names: two of a route are enough, and none of a route that makes a file.
        for (const search of [
          `${name}[]=1`,
          `${name}[a]=1`,
          `${name}=%ff`,
          `${name}=%00`,
          `${name}`,
          '&&=&',
          `;${name}`,
          'constructor=1',
        ])
          if (index < 2 && !makesFile.test(route.url)) await ask(route, { path: `${path}?${search}` })
      }
      if (!route.url.includes(':id')) continue
      const idSchema = objectOf('id', params!.properties!.id!)
      for (const id of [
        ...hostile.filter(text => text !== ''),
        '9223372036854775808',
        '1e3',
        '1,2',
        '../1',
        '1/',
        'null',
      ]) {
        if (isMoreOfTheSame(idSchema, 'path', JSON.stringify({ id }))) continue
        const reply = await ask(route, { path: ownPath(route, encodeURIComponent(id.slice(0, 150))), ...payload })
        assert.ok(reply.statusCode >= 400, `${nameOf(route)} ${id}`)
      }
      for (const id of ['%', '%zz', '%ff', '%00', '%c0%80', '%ed%a0%80', '..%2f..%2fetc', 'x'.repeat(5_000)]) {
        const reply = await ask(route, { path: ownPath(route, id), ...payload })
        assert.ok(reply.statusCode >= 400, `${nameOf(route)} ${id}`)
      }
    }
  })

  // proves: ERR-01
  it('of no meaning, too deep, too long or with names that would harm is refused as a whole', async () => {
    const before = await digestOfTables(world, { without: ['audit_entries', 'credentials'] })
    for (const [index, route] of withBody().entries()) {
      const { path, body } = sampleRequest(route, records)
      const inner = JSON.stringify(body).slice(1, -1)
      const also = inner && `,${inner}`
      // A person who has not logged in yet may send less.
      const large = route.url.startsWith('/api/auth/') ? 413 : 422
      const refused: [string, number[]][] = [
        ['', [400]],
        ['{', [400]],
        ['NaN', [400]],
        ['{"a":NaN}', [400]],
        ["{'a':1}", [400]],
        ['{"a":1,}', [400]],
        ['\ufeff\ufeff{}', [400]],
        ['1', [422]],
        ['"text"', [422]],
        ['[]', [422]],
        [`{"__proto__":{"a":1}${also}}`, [400]],
        [`{"constructor":{"prototype":{"a":1}}${also}}`, [400]],
        [`{"a":{"__proto__":1}${also}}`, [400, 422]],
      ]
      // How large a body may be is decided before its route is asked.
      if (index % one_in === 0)
        refused.push(
          [`{"nonsense":${'['.repeat(100_000)}${']'.repeat(100_000)}${also}}`, [large]],
          [`{"nonsense":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}${also}}`, [large]],
          [`{${Array.from({ length: 80_000 }, (_, i) => `"k${i}":1`).join()}${also}}`, [413, 422]],
          [`{"nonsense":"${'x'.repeat(index === 0 ? 10_000_000 : 2_000_000)}"}`, [413]],
        )
      for (const [payload, expected] of refused) {
        const reply = await ask(route, { path, payload })
        assert.ok(
          expected.includes(reply.statusCode),
          `${nameOf(route)} ${payload.slice(0, 60)}: ${reply.body.slice(0, 300)}`,
        )
        assert.ok(reply.body.length < 100_000, 'a refusal is shorter than what it refuses')
      }
    }
    assert.deepEqual(await digestOfTables(world, { without: ['audit_entries', 'credentials'] }), before)
    assert.equal(({} as { a?: number }).a, undefined, 'no prototype was harmed')
  })

  it('in the path of a form is refused before anything of the form is read', async () => {
    const forms = world.app.routes.filter(route => inputOf(route).form && route.url.includes(':id'))
    assert.ok(forms.length > 2)
    for (const route of forms)
      for (const id of ['[]', '1.5', '-1', '9223372036854775808']) {
        const asked = { ...sampleRequest(route, records), path: ownPath(route, encodeURIComponent(id)) }
        const reply = await send(world, route, asked, { token: await world.tokenOf('ada') })
        assert.equal(reply.statusCode, 422, `${nameOf(route)} ${id}: ${reply.body}`)
        assert.equal(reply.json().detail[0].loc[0], 'path')
      }
  })

  it('takes the last of two values under one name, and says so by its answer', async () => {
    const payload = '{"name":"first of two","name":"second of two"}'
    const reply = await world.server.inject({
      method: 'POST',
      url: '/api/roles/',
      headers: { authorization: `Bearer ${await world.tokenOf('ada')}`, 'content-type': 'application/json' },
      payload,
    })
    if (reply.statusCode === 201) assert.equal(reply.json().name, 'second of two')
    checkAnswer(reply, payload)
  })

  it('is refused in no time, however many items a list has', async () => {
    const items = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i))
    const started = performance.now()
    const route = world.app.routes.find(each => nameOf(each) === 'POST /api/roles/')!
    const reply = await ask(route, { path: route.url, payload: `{"name":"x","granted":${items}}` })
    assert.equal(reply.statusCode, 422)
    // Compared each with each, they take minutes.
    assert.ok(performance.now() - started < 30_000, `${performance.now() - started} ms`)
    assert.ok(reply.json().detail.length <= 100)
  })

  // proves: SVC-03
  it('is not let through by another content type', async () => {
    const before = await digestOfTables(world, { without: ['audit_entries', 'credentials'] })
    const types = ['text/plain', 'text/plain;application/json', 'application/x-www-form-urlencoded', 'application/xml']
    types.push('multipart/form-data; boundary=x', 'application/json\t', 'application/json ;x', 'APPLICATION/JSON', '')
    types.push('application/json; charset=utf-16', 'application/jsonx', 'application/vnd.api+json', 'json', '*/*', '/')
    for (const [index, route] of withBody().entries()) {
      const { path, body } = sampleRequest(route, records)
      const payload = JSON.stringify({ ...body, nonsense: 1 })
      // Which parser a type has is decided before the route is asked.
      const some = index % one_in === 0 ? types : [types[index % types.length]!, 'text/plain']
      for (const type of some) {
        const reply = await ask(route, { path, payload, type })
        // A provider may send more fields than we know, and the sample names none that exists.
        const refusals = route.url.endsWith('/back-channel-logout') ? [400, 404, 415, 422] : [400, 415, 422]
        assert.ok(refusals.includes(reply.statusCode), `${nameOf(route)} ${type}: ${reply.statusCode}`)
      }
    }
    assert.deepEqual(await digestOfTables(world, { without: ['audit_entries', 'credentials'] }), before)
  })

  // proves: ERR-02
  it('by chance is none either', async () => {
    const places = withBody().flatMap(route => {
      const { path, body } = sampleRequest(route, records, { whole: true })
      // Each password that is accepted is hashed, which takes long on purpose.
      const ways = placesOf(body).filter(way => !/password/.test(way.at(-1) ?? ''))
      return ways.map(way => ({ route, path, body, way }))
    })
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 50 }))
    const value = fc.oneof(
      text,
      fc.jsonValue({ maxDepth: 3 }),
      fc.integer(),
      fc.double(),
      fc.constantFrom(...texts.slice(0, 24)),
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), value, async ({ route, path, body, way }, tried) => {
        await ask(route, { path, payload: jsonWith(body, way, JSON.stringify(tried)) })
      }),
      { numRuns: 1_500 },
    )
  })

  describe('in a form', () => {
    const boundary = 'a-boundary'
    const type = `multipart/form-data; boundary=${boundary}`
    const part = (head: string, content: string | Buffer) =>
      Buffer.concat([Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')])
    const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value)
    const file = (name = 'a.pdf', content: string | Buffer = pdf()) =>
      part(`Content-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/pdf`, content)
    const end = Buffer.from(`--${boundary}--\r\n`)
    const fieldsOf = (form: Record<string, unknown>) =>
      Object.entries(form).map(([name, value]) => field(name, String(value)))

    const forms = () => world.app.routes.filter(route => inputOf(route).form)
    const stateOf = async () => ({
      tables: await digestOfTables(world, { without: ['audit_entries'] }),
      files: readdirSync(world.services.config.upload_dir, { recursive: true }).map(String).sort(),
    })

    // proves: DOC-07
    it('is refused with nothing of it kept', async () => {
      for (const route of forms()) {
        const { path, form } = sampleRequest(route, records)
        const fields = fieldsOf(form!)
        const cases: Record<string, [Buffer[], string?]> = {
          'no boundary in the type': [[...fields, file(), end], 'multipart/form-data'],
          'an empty boundary': [[...fields, file(), end], 'multipart/form-data; boundary='],
          'another boundary': [[...fields, file(), end], 'multipart/form-data; boundary=other'],
          'no end': [[...fields, file()]],
          'half a file': [[...fields, file().subarray(0, 120)]],
          'half a head': [[...fields, Buffer.from(`--${boundary}\r\nContent-Disposition: form-da`)]],
          nothing: [[]],
          'an end alone': [[end]],
          'no file': [[...fields, end]],
          ...(fields.length > 0 && { 'no fields': [[file(), end]] }),
          'a file without a name': [[...fields, part('Content-Disposition: form-data; name="file"', pdf()), end]],
          'a file with an empty name': [[...fields, file(''), end]],
          'two files': [[...fields, file(), file(), end]],
          'a file under another name': [
            [...fields, part('Content-Disposition: form-data; name="other"; filename="a.pdf"', pdf()), end],
          ],
          'two files, one under another name': [
            [...fields, file(), part('Content-Disposition: form-data; name="other"; filename="a.pdf"', pdf()), end],
          ],
          'a file of 0 bytes': [[...fields, file('a.pdf', ''), end]],
          'a program that calls itself a document': [
            [...fields, file('a.pdf', Buffer.from('MZ\x90\0\x03\0'.repeat(50), 'latin1')), end],
          ],
          'a document that calls itself a picture': [[...fields, file('a.png'), end]],
          'a page': [[...fields, file('a.html', '<html><script>1</script></html>'), end]],
          'a picture with a script': [[...fields, file('a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'), end]],
          'an unknown field': [[...fields, field('nonsense', '1'), file(), end]],
          'a field of the object itself': [[...fields, field('__proto__', '1'), file(), end]],
          'a field twice': [[...fields, field('description', 'x'), field('description', 'x'), file(), end]],
          'a field of 100,000 letters': [[...fields, field('description', 'x'.repeat(100_000)), file(), end]],
          'fifty fields': [[...fields, ...Array.from({ length: 50 }, (_, i) => field(`f${i}`, '1')), file(), end]],
          'a thousand parts': [[...fields, ...Array.from({ length: 1_000 }, () => file()), end]],
          'NUL in a text': [[...fields, field('description', 'a\0b'), file(), end]],
          'bytes that are no text': [
            [
              ...fields,
              part('Content-Disposition: form-data; name="document_type"', Buffer.from([0xff, 0xfe])),
              file(),
              end,
            ],
          ],
          'JSON instead': [[Buffer.from(JSON.stringify(form))], 'application/json'],
          'a form without parts instead': [[Buffer.from('title=a')], 'application/x-www-form-urlencoded'],
        }
        const before = await stateOf()
        for (const [what, [parts, sentType = type]] of Object.entries(cases)) {
          const reply = await ask(route, { path, payload: Buffer.concat(parts), type: sentType })
          assert.ok(reply.statusCode >= 400, `${nameOf(route)}, ${what}: ${reply.statusCode}`)
          assert.deepEqual(readdirSync(spool), [], `${nameOf(route)}, ${what}, left something in the spool`)
        }
        assert.deepEqual(await stateOf(), before, nameOf(route))
      }
    })

    // proves: DOC-07, SVC-03
    it('in any of its fields is refused, or kept as it was sent', async () => {
      const hostile = [...texts, '0', '-1', '1.5', '2147483648', '9007199254740992', '9223372036854775808']
      for (const route of forms()) {
        const { path, form } = sampleRequest(route, records)
        const { form: whole } = sampleRequest(route, records, { whole: true })
        for (const name of Object.keys(whole!)) {
          for (const text of [...joined, ...hostile]) {
            if (!joined.includes(text) && isLeftOut(route)) continue
            const payload = Buffer.concat([...fieldsOf({ ...form, [name]: text }), file(), end])
            const reply = await ask(route, { path, payload, type })
            if (reply.statusCode >= 300 || !['title', 'category', 'description'].includes(name)) continue
            // Nothing is the absence of a text. Half characters have become others on their way here.
            const sent = Buffer.from(text).toString() || null
            assert.equal(reply.json()[name], sent, `${nameOf(route)} ${name}`)
            const { version } = reply.json() as { version?: string }
            const again = await ask(
              { ...route, method: 'GET' },
              { path: `${reply.headers.location}${version ? `?version=${version}` : ''}` },
            )
            assert.equal(again.json()[name], sent, `${nameOf(route)} ${name}`)
          }
        }
      }
      assert.deepEqual(readdirSync(spool), [])
    })

    // proves: DOC-07
    it('is taken with its fields behind the file, and stays in its folder whatever the file is called', async () => {
      const route = forms().find(({ url }) => url === '/api/documents/upload')!
      const { path, form } = sampleRequest(route, records)
      const outside = () => readdirSync(world.folder).sort()
      const before = outside()
      for (const name of [
        '../../x.pdf',
        '..\\\\..\\\\x.pdf',
        '/etc/passwd.pdf',
        'C:\\\\x.pdf',
        '%2e%2e%2fx.pdf',
        '\u202egpj.pdf',
        `${'x'.repeat(300)}.pdf`,
      ]) {
        const reply = await ask(route, { path, payload: Buffer.concat([file(name), ...fieldsOf(form!), end]), type })
        assert.equal(reply.statusCode, 201, `${name}: ${reply.body}`)
        const { file: stored, file_path } = reply.json()
        assert.doesNotMatch(stored.name, /[/\\\0\u202e]/, name)
        assert.ok(!file_path.includes('..') && !file_path.startsWith('/'), file_path)
      }
      assert.deepEqual(outside(), before)
    })

    // proves: DOC-07
    it('that breaks off half way leaves nothing', async () => {
      for (const route of forms()) {
        const { path, form, file: sampled } = sampleRequest(route, records)
        const before = await stateOf()
        const long = Buffer.concat([sampled!.bytes, Buffer.alloc(500_000, 'x')])
        const payload = Buffer.concat([...fieldsOf(form!), file(sampled!.name, long), end])
        const socket = connect(address.port, '127.0.0.1')
        socket.on('error', () => {})
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${await world.tokenOf('ada')}\r\nContent-Type: ${type}\r\nContent-Length: ${payload.length}\r\n\r\n`,
        )
        socket.write(payload.subarray(0, payload.length / 2))
        await until(() => readdirSync(spool).length === 1, 'the file is being received')
        socket.destroy()
        await until(() => readdirSync(spool).length === 0, 'the spool is empty again')
        assert.deepEqual(await stateOf(), before, nameOf(route))
      }
    })
  })

  /** A folder says nothing when it changes for another's work: it is looked at, for a minute at most. */
  async function until(isSo: () => boolean, what: string) {
    for (let tries = 0; !isSo(); tries++) {
      assert.ok(tries < 3_000, what)
      await setTimeout(20)
    }
  }
})
