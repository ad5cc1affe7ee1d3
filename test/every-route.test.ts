// Sweeps over the table of routes: what holds of every endpoint is checked of each, the moment that it is mounted.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { TOTP } from 'otpauth'
import type { Route } from '#http'
import { outgoingFormats } from '#http/validation.ts'
import { type Permission, permissions } from '#kernel/catalogue.ts'
import { everybodys } from '#modules/roles'
import { newAuthenticator, originOf, withPasskey } from '#test/builders/authenticator.ts'
import { capas } from '#test/builders/capas.ts'
import { cases, dayFromNow } from '#test/builders/cases.ts'
import { addConfigurationChange } from '#test/builders/configuration-samples.ts'
import { readyExport } from '#test/builders/export-samples.ts'
import { englishIn, readsGerman, sentencesIn } from '#test/builders/languages.ts'
import { failMail } from '#test/builders/mail-samples.ts'
import { filesOf, groups, migrationsOf } from '#test/builders/migrations.ts'
import { pastRetention } from '#test/builders/retention-samples.ts'
import {
  type Asked,
  accepted,
  addRecords,
  callerOf,
  checkAnswer,
  digestOfTables,
  draftDocument,
  effectiveDocument,
  giveSecondFactor,
  idPositions,
  inputOf,
  nobodysId,
  pathOf,
  type Records,
  recordOf,
  resourceOfParameter,
  type Schema,
  sampleRequest,
  send,
} from '#test/builders/samples.ts'
import { openMachine } from '#test/builders/service-samples.ts'
import { addProvider } from '#test/builders/single-sign-on.ts'
import { told } from '#test/builders/told.ts'
import { trainings } from '#test/builders/training.ts'
import { type Dns, openDns } from '#test/fakes/dns.ts'
import { type Forger, openForger, outboundHere } from '#test/fakes/oidc.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openSmtp, partsOf, type Smtp } from '#test/fakes/smtp.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

/** AUTH-06. What is not here asks for a token. */
const openRoutes = [
  ...['GET /api/auth/oidc/:tenant/:provider/start', 'GET /api/auth/oidc/callback', 'GET /api/auth/options'],
  ...['GET /api/health', 'GET /api/status/health', 'POST /api/auth/first-start', 'POST /api/auth/forgot-password'],
  'POST /api/auth/oidc/:tenant/:provider/back-channel-logout',
  ...['POST /api/auth/passkeys/login', 'POST /api/auth/passkeys/login/options'],
  ...['POST /api/auth/register', 'POST /api/auth/reset-password', 'POST /api/auth/session', 'POST /api/auth/token'],
]

/** Refused as soon as there is a company; src/modules/set-up/first-start.test.ts sends it before. */
const ofAnEmptyInstallation = 'POST /api/auth/first-start'

/** A provider sends them, or a browser for it, and may add what the protocol allows. */
const takesMore = ['GET /api/auth/oidc/callback', 'POST /api/auth/oidc/:tenant/:provider/back-channel-logout']
/** Preferences as pages like to store them. */
const ofPages: Record<string, string[]> = {
  'PUT /api/auth/preferences': ['views', 'columns', 'layout'],
  // The headings of a table are its own.
  'POST /api/migrations/': ['settings.columns'],
  'PUT /api/migrations/:id': ['settings.columns'],
}
/** To open it is to log in. */
const logsIn = ({ action }: Route) => 'answer' in action && action.answer === 'redirect'

/** Kinds of record that no tenant owns. */
const ofNoTenant: Record<string, string> = {
  tenant: 'the platform sees every tenant, and nothing that is theirs',
  version: 'counted within its template, which is tried itself',
}

/** The trail, also within a dossier, has grown by reads and refusals meanwhile; a print and the status show the present moment. */
const tellsTheMoment = ({ url }: Route) =>
  url.startsWith('/api/audit') ||
  url === '/api/status' ||
  /^\/api\/platform\/(checks|installation)$/.test(url) ||
  /\/(dossier|record\.pdf)$/.test(url)
/** The same answer but for the moment in which a signature was verified, or a report made. */
const steady = (body: string) => body.replace(/"(verified_at|made_at)":"[^"]*"/, '')

const nameOf = ({ method, url }: Pick<Route, 'method' | 'url'>) => `${method} ${url}`

describe('every route', () => {
  let world: World
  let model: Openai
  let smtp: Smtp
  let forger: Forger
  let dns: Dns
  let records: Records
  let routes: Route[]
  let closed: Route[]
  before(async () => {
    model = await openOpenai()
    smtp = await openSmtp()
    forger = await openForger()
    dns = await openDns()
    const environment = {
      ...{ REGISTRATION_ENABLED: 'true', REGISTRATION_TENANT: 'acme', ...model.environment },
      ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'attest@qms.example' },
      PUBLIC_URL: 'https://qms.example',
    }
    world = await openWorld(environment, { outbound: outboundHere([dns.server]) })
    records = await addRecords(world)
    await giveSecondFactor(world, 'pat')
    routes = world.app.routes
    closed = routes.filter(({ action }) => action.kind !== 'open')
  })
  after(async () => {
    await world.close()
    await model.close()
    await smtp.close()
    await forger.close()
    await dns.close()
  })

  const ask = async (
    route: Route,
    asked: Asked,
    { as, headers }: { as?: string; headers?: Record<string, string> } = {},
  ) => {
    const token = as === undefined ? undefined : await world.tokenOf(as)
    return checkAnswer(await send(world, route, asked, { token, ...(headers && { headers }) }), nameOf(route))
  }
  const rivalId = () => world.people.rex!.tenant_id
  /** Only the audit trail may tell of what was refused. */
  const unaudited = () => digestOfTables(world, { without: ['audit_entries'] })

  it('is one of a table that the tests have seen whole', () => {
    assert.ok(routes.length >= 40, `${routes.length} routes`)
  })

  // proves: AUTH-06
  it('needs a token, but for those that are known to need none', () => {
    assert.deepEqual(
      routes
        .filter(({ action }) => action.kind === 'open')
        .map(nameOf)
        .sort(),
      openRoutes,
    )
  })

  // proves: AUTH-05, RID-01, ERR-01, ERR-04
  it('answers 401 without a token, and with one that is none', async () => {
    const before = await digestOfTables(world)
    for (const route of closed) {
      for (const headers of [
        {},
        { authorization: 'Bearer' },
        { authorization: 'Bearer not-a-token' },
        { authorization: 'Basic YWRhOmFkYQ==' },
      ]) {
        const reply = await ask(route, sampleRequest(route, records), { headers })
        assert.equal(reply.statusCode, 401, nameOf(route))
        assert.match(String(reply.headers['www-authenticate']), /^Bearer/, nameOf(route))
      }
    }
    assert.deepEqual(await digestOfTables(world), before)
  })

  // proves: ROLE-01
  it('names the permission that it needs, one of the catalogue, and a sentence that says what it does', () => {
    assert.ok(Object.keys(permissions).length >= 30)
    for (const route of closed)
      assert.ok(Object.hasOwn(permissions, (route.action as { permission: string }).permission), nameOf(route))
    for (const route of routes) assert.match(route.action.summary, /^[A-Z].{3,}[^.]$/, nameOf(route))
  })

  // proves: AUTH-05, ROLE-01
  it('answers 403 to who has every permission but that one, and keeps an audit entry of it and nothing else', async () => {
    // All tables are read once for all routes, because that takes longer than many refusals.
    const before = await unaudited()
    let last = await lastEntry()
    const needed = (route: Route) => (route.action as { permission: Permission }).permission
    // Nobody can be denied the one of everybody, so nobody is refused for want of it.
    const deniable = closed.filter(route => needed(route) !== everybodys)
    for (const [permission, some] of Map.groupBy(deniable, needed)) {
      const caller = callerOf(some[0]!)
      await deny(caller, [permission])
      for (const route of some) {
        const reply = await ask(route, sampleRequest(route, records), { as: caller })
        assert.equal(reply.statusCode, 403, `${nameOf(route)} ${reply.body}`)
        assert.deepEqual([reply.json().code, reply.json().params], ['permission_required', { permission }])
        const entries = await world.rows<{ id: string }>(
          'select id, tenant_id, user_id, action, outcome, request_id, reason from audit_entries where id > $1',
          [last],
        )
        const { id, tenant_id } = world.people[caller]!
        last = entries[0]?.id ?? last
        assert.deepEqual(
          entries,
          [
            {
              id: last,
              tenant_id: String(tenant_id),
              user_id: String(id),
              action: 'access.denied',
              outcome: 'denied',
              request_id: reply.headers['x-request-id'],
              reason: `${route.action.summary}: ${permission}`,
            },
          ],
          nameOf(route),
        )
      }
      await deny(caller, [])
    }
    assert.deepEqual(await unaudited(), before)
  })

  const lastEntry = async () => (await world.rows<{ id: string }>('select max(id) as id from audit_entries'))[0]!.id

  async function deny(name: string, denied: Permission[]) {
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query('update users set denied = $1 where id = $2', [denied, world.people[name]!.id])
    await world.superuser.query('commit')
    world.services.accounts.changed()
  }

  const withUnknown = (route: Route, asked: Asked): Asked =>
    route.method === 'GET'
      ? { ...asked, query: { ...asked.query, nonsense: 1 } }
      : { ...asked, ...inBody(route, asked) }
  const inBody = (_route: Route, { form, body }: Asked): Partial<Asked> =>
    form ? { form: { ...form, nonsense: 1 } } : { body: { ...body, nonsense: 1 } }

  // proves: SVC-01, ERR-05
  it("answers the same, byte for byte, for a path to another tenant's record and to none", async () => {
    const before = await digestOfTables(world, { tenant: rivalId() })
    for (const route of closed.filter(({ url }) => url.includes(':'))) {
      const asked = sampleRequest(route, records)
      for (const [, parameter] of route.url.matchAll(/:(\w+)/g)) {
        const resource = resourceOfParameter(route.url, parameter!)
        if (ofNoTenant[resource]) continue
        const own = (each: string) => recordOf(records, 'acme', resourceOfParameter(route.url, each))
        const path = (id: number) => pathOf(route.url, each => (each === parameter ? id : own(each)))
        await assertIndistinguishable(route, id => ({ ...asked, path: path(id) }), resource)
      }
      const theirs = pathOf(route.url, each => recordOf(records, 'rival', resourceOfParameter(route.url, each)))
      if (callerOf(route) === 'pat') continue
      const [found, none] = [theirs, pathOf(route.url, nobodysId)].map(path =>
        ask(route, { ...asked, path }, { as: 'ada' }),
      )
      assert.deepEqual(visible(await found!), visible(await none!), `${nameOf(route)}, all of it another tenant's`)
    }
    assert.deepEqual(await digestOfTables(world, { tenant: rivalId() }), before)
  })

  // proves: ERR-05
  it('answers 404 for a part of one record that is asked for as a part of another', async () => {
    const idOf = async (reply: Promise<{ statusCode: number; body: string; json(): { id: number } }>) =>
      (await accepted(reply)).json().id
    const another: Record<string, number> = {
      document: await draftDocument(world, 'alan', records.acme.document_type!, 'Another'),
      deviation: (await cases(world).deviation({ by: 'ada' })).id,
      capa: (await cases(world).capa({ by: 'ada' })).id,
      group: await idOf(world.as('ada').post('/api/groups/', { name: 'Without anybody' })),
      migration_batch: await migrationsOf(world).begin(),
      service_account: (await openMachine(world, { username: 'another-machine' })).id,
      user: world.people.uma!.id,
      training_program: await idOf(world.as('ada').post('/api/training/', { title: 'Of nobody', type: 'classroom' })),
    }
    const before = await unaudited()
    let tried = 0
    for (const route of closed) {
      const [first, second] = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
      // A version is a number within its record, and not an id.
      if (!second || second === 'version') continue
      const parent = another[resourceOfParameter(route.url, first!)]
      assert.ok(parent, `${nameOf(route)}: make another record above`)
      const part = recordOf(records, 'acme', resourceOfParameter(route.url, second))
      const path = pathOf(route.url, each => (each === first ? parent : part))
      const reply = await ask(route, { ...sampleRequest(route, records), path }, { as: 'ada' })
      assert.equal(reply.statusCode, 404, `${nameOf(route)} ${path}: ${reply.body}`)
      tried += 1
    }
    assert.ok(tried > 15, `${tried} routes`)
    assert.deepEqual(await unaudited(), before)
  })

  // proves: SVC-01, ERR-05
  it("answers the same, byte for byte, for another tenant's record in a body or a form and for none", async () => {
    const before = await unaudited()
    let positions = 0
    for (const route of closed) {
      for (const part of ['body', 'form'] as const) {
        const schema = inputOf(route)[part]
        for (const { way, resource } of schema ? idPositions(schema) : []) {
          const what = `${nameOf(route)} ${part}.${way.join('.')}`
          assert.ok(resource, `${what} holds an id of which nothing says whose: declare it with Ref()`)
          // A proof that does not count is a 401, whoever it is of: test/attacks/signing-challenges.test.ts.
          if (way.includes('who') || way.includes('signing_challenge')) continue
          positions += 1
          const asked = sampleRequest(route, records)
          const whole = sampleRequest(route, records, { whole: true })[part]
          await assertIndistinguishable(
            route,
            id => ({ ...asked, [part]: { ...asked[part], [way[0]!]: withAt(whole?.[way[0]!], way.slice(1), id) } }),
            resource,
            what,
          )
        }
      }
    }
    assert.ok(positions >= 8, `${positions} positions`)
    assert.deepEqual(await unaudited(), before)
  })

  /** The sample with another value at a place within it; of a list, its first item. */
  function withAt(around: unknown, [step, ...deeper]: string[], value: unknown): unknown {
    if (step === undefined) return value
    if (step === '0') return [withAt((around as unknown[])[0], deeper, value)]
    const fields = around as Record<string, unknown>
    return { ...fields, [step]: withAt(fields[step], deeper, value) }
  }

  async function assertIndistinguishable(
    route: Route,
    asked: (id: number) => Asked,
    resource: string,
    what = nameOf(route),
  ) {
    const [theirs, nobodys] = [
      await ask(route, asked(recordOf(records, 'rival', resource)), { as: callerOf(route) }),
      await ask(route, asked(nobodysId), { as: callerOf(route) }),
    ]
    assert.equal(nobodys.statusCode, 404, `${what}: ${nobodys.statusCode} ${nobodys.body}`)
    assert.deepEqual(visible(theirs), visible(nobodys), what)
    const own = await ask(route, asked(recordOf(records, 'acme', resource)), { as: 'rex' })
    assert.equal(own.statusCode, 404, `${what} as another tenant: ${own.statusCode} ${own.body}`)
  }
  /** All of an answer that tells anything: its date and its request id differ between any two. */
  function visible({ statusCode, headers, body }: Awaited<ReturnType<typeof ask>>) {
    const { 'x-request-id': _id, date: _date, ...rest } = headers
    return { statusCode, headers: rest, body }
  }

  // proves: SVC-01, FLOW-01
  it("takes another tenant's user for nobody where a workflow names people", async () => {
    const template = (await world.as('ada').get(`/api/workflow-templates/${records.acme.workflow_template}`)).json()
    const definitionWith = (who: number) => {
      const definition = structuredClone(template.definition)
      for (const { approval } of definition.transitions) if (approval) approval.rules = rulesWith(who)
      return definition
    }
    const rulesWith = (who: number) => [{ kind: 'user', who, count: 1 }]
    const rival = recordOf(records, 'rival', 'user')
    const { document, workflow_template } = records.acme
    const attempts: ((who: number) => Promise<{ statusCode: number; body: string }>)[] = [
      who => world.as('ada').post('/api/workflow-templates/', { name: 'x', definition: definitionWith(who) }),
      who => world.as('ada').put(`/api/workflow-templates/${workflow_template}`, { definition: definitionWith(who) }),
      who => world.as('quinn').post(`/api/documents/${document}/configure-approval`, { approvers: rulesWith(who) }),
      who =>
        world
          .as('quinn')
          .post(`/api/documents/${document}/configure-approval`, { approvers: [{ kind: 'user', who: [who] }] }),
    ]
    for (const attempt of attempts) {
      const [theirs, nobodys] = [await attempt(rival), await attempt(nobodysId)]
      assert.equal(nobodys.statusCode, 422, nobodys.body)
      assert.equal(theirs.statusCode, 422, theirs.body)
      assert.equal(theirs.body.replaceAll(String(rival), '#'), nobodys.body.replaceAll(String(nobodysId), '#'))
    }
  })

  /** Where one's own is another record than the usual one of its kind. */
  const ownOf: Record<string, string> = { 'GET /api/controlled-copies/ ?document_id': 'copied_document' }

  // proves: SVC-01
  it("finds nothing by another tenant's record in a filter, as by one that does not exist", async () => {
    let filters = 0
    for (const route of closed) {
      const { query } = inputOf(route)
      for (const { way, resource } of query ? idPositions(query) : []) {
        const what = `${nameOf(route)} ?${way.join()}`
        assert.ok(resource, `${what}: say in test/support/builders/samples.ts whose id it is`)
        filters += 1
        const required = sampleRequest(route, records).query
        const narrowed = way[0] === 'resource_id' ? { resource_type: resource } : {}
        const path = pathOf(route.url, each => recordOf(records, 'acme', resourceOfParameter(route.url, each)))
        const find = (id: number) =>
          ask(route, { path, query: { ...required, ...narrowed, [way[0]!]: id } }, { as: callerOf(route) })
        const [theirs, nobodys] = [await find(recordOf(records, 'rival', resource)), await find(nobodysId)]
        // The headers of a file depend on the moment.
        if (!String(theirs.headers['content-type']).startsWith('application/json')) {
          assert.deepEqual([theirs.statusCode, theirs.body], [nobodys.statusCode, nobodys.body], what)
          const ours = await find(recordOf(records, 'acme', resource))
          assert.ok(ours.body.length > theirs.body.length, `${what} finds nothing of one's own`)
          continue
        }
        assert.deepEqual(visible(theirs), visible(nobodys), what)
        // These parameters are the subject of the question, and not filters.
        if (theirs.statusCode === 404) continue
        const { items, total } = theirs.json()
        assert.deepEqual({ items, total }, { items: [], total: 0 }, what)
        assert.ok(
          (await find(recordOf(records, 'acme', ownOf[`${nameOf(route)} ?${way[0]}`] ?? resource))).json().total > 0,
          `${what} finds nothing of one's own`,
        )
      }
    }
    assert.ok(filters >= 5, `${filters} filters`)
  })

  // proves: ERR-01
  it('refuses a field that it does not know, however deep, in the body, the form and the query', async () => {
    const before = await unaudited()
    for (const route of routes.filter(each => !takesMore.includes(nameOf(each)))) {
      const asked = sampleRequest(route, records)
      const query = await ask(route, { ...asked, query: { ...asked.query, nonsense: 1 } }, { as: callerOf(route) })
      assertUnknown(query, ['query', 'nonsense'], nameOf(route))
      if (route.method === 'GET') continue
      assertUnknown(
        await ask(route, withUnknown(route, asked), { as: callerOf(route) }),
        ['body', 'nonsense'],
        nameOf(route),
      )
      const whole = sampleRequest(route, records, { whole: true }).body
      for (const [way, changed] of whole ? withUnknownWithin(whole) : []) {
        if (ofPages[nameOf(route)]?.some(free => `${way.join('.')}.`.startsWith(`${free}.`))) continue
        const reply = await ask(route, { ...asked, body: changed }, { as: callerOf(route) })
        assertUnknown(reply, ['body', ...way, 'nonsense'], nameOf(route))
      }
    }
    assert.deepEqual(await unaudited(), before)
  })

  function assertUnknown(reply: Awaited<ReturnType<typeof ask>>, loc: (string | number)[], what: string) {
    assert.equal(reply.statusCode, 422, `${what}: ${reply.body}`)
    const found = (reply.json().detail as object[]).find(each => 'type' in each && each.type === 'extra_forbidden')
    assert.deepEqual((found as { loc: unknown } | undefined)?.loc, loc, what)
  }
  /** The value once for each object inside it, with a field too many there. */
  function withUnknownWithin(value: Record<string, unknown>) {
    const found: [(string | number)[], Record<string, unknown>][] = []
    const walk = (node: unknown, way: (string | number)[]) => {
      if (typeof node !== 'object' || node === null) return
      if (!Array.isArray(node) && way.length > 0) {
        const changed = structuredClone(value)
        const at = way.reduce<Record<string, unknown>>((each, step) => each[step] as Record<string, unknown>, changed)
        at.nonsense = 1
        found.push([way, changed])
      }
      for (const [step, each] of Object.entries(node)) walk(each, [...way, Array.isArray(node) ? Number(step) : step])
    }
    walk(value, [])
    return found
  }

  // proves: SVC-01, AUTH-03, AUTH-07
  it('lets nobody set what is not theirs to set: no column of any table, no field of any answer, but those that it asks for', async () => {
    const before = await unaudited()
    const columns = await world.rows<{ name: string }>(
      `select distinct attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and attnum > 0 and not attisdropped`,
    )
    const known = new Set([
      ...columns.map(({ name }) => name),
      ...routes.flatMap(({ action }) => fieldsOf(action.response as Schema)),
    ])
    assert.ok(known.size > 300 && known.has('tenant_id') && known.has('session_version'), `${known.size} fields`)
    const changing = routes.filter(each => each.method !== 'GET' && !takesMore.includes(nameOf(each)))
    for (const [at, route] of changing.entries()) {
      const asked = sampleRequest(route, records)
      const part = asked.form ? 'form' : 'body'
      const own = inputOf(route)[part]?.properties ?? {}
      for (const field of neverTaken) {
        // By a status of its table a record is moved, as that table says.
        if (field === 'status' && isMove(route)) continue
        assert.ok(!own[field], `${nameOf(route)} takes ${field}`)
      }
      const planted = [...known].filter(field => !own[field] && field !== 'file')
      // The service reads ten fields of a form, and a refusal names twenty issues.
      const never = chunksOf(
        neverTaken.filter(each => planted.includes(each)),
        part === 'form' ? 3 : 18,
      )
      // No route takes a field that its schema does not have, whatever its name: each name is tried on many routes.
      const others = part === 'form' ? [] : chunksOf(planted, 18).filter((_, index) => index % 12 === at % 12)
      for (const fields of [...never, ...others]) {
        const changed = { ...asked[part], ...Object.fromEntries(fields.map(field => [field, 1])) }
        const reply = await ask(route, { ...asked, [part]: changed }, { as: callerOf(route) })
        assert.equal(reply.statusCode, 422, `${nameOf(route)} ${reply.body}`)
        const refused = (reply.json().detail as { loc: string[]; type: string }[])
          .filter(({ type }) => type === 'extra_forbidden')
          .map(({ loc }) => loc[1]!)
        assert.deepEqual(refused.sort(), fields.toSorted(), nameOf(route))
      }
    }
    assert.deepEqual(await unaudited(), before)
  })

  /** Refused in every request, whatever its route. */
  const neverTaken = [
    ...['id', 'tenant_id', 'role', 'status', 'is_platform_user', 'is_system', 'is_builtin', 'created_by', 'created_at'],
    ...['number', 'session_version', 'content_revision', 'password_hash'],
  ]
  const chunksOf = <T>(all: T[], size: number) =>
    Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
  /** The names of all fields of a schema, however deep. */
  const fieldsOf = (schema: Schema): string[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => [name, ...fieldsOf(each)]),
    ...(schema.anyOf ?? []).flatMap(fieldsOf),
    ...(schema.items ? fieldsOf(schema.items) : []),
  ]
  const moves = ['deviations/:id', 'capa/:id', 'capa/:id/actions/:action_id', 'training/:id', 'training/curricula/:id']
  const isMove = (route: Route) => moves.some(each => nameOf(route) === `PUT /api/${each}`)

  interface Swept {
    asked: Asked
    first: Awaited<ReturnType<typeof ask>>
    paged: Awaited<ReturnType<typeof ask>>
    head: Awaited<ReturnType<typeof ask>>
    /** Entries that the HEAD left in the audit trail. */
    left: number
    /** Who had another answer when they asked again. */
    unsteady: string[]
  }
  let sweep: Promise<{ answers: Map<Route, Swept>; changed: [unknown, unknown] }> | undefined
  /** Each GET in all ways that must be answered alike, one right after the other, because some answers change with time. */
  const sweepGets = () => (sweep ??= sweepOnce())
  async function sweepOnce() {
    const before = await unaudited()
    const answers = new Map<Route, Swept>()
    for (const route of routes.filter(each => each.method === 'GET' && !logsIn(each))) {
      const asked = sampleRequest(route, records)
      const as = callerOf(route)
      const unsteady: string[] = []
      const isSame = (one: Swept['first'], other: Swept['first']) =>
        one.statusCode === other.statusCode && (tellsTheMoment(route) || steady(one.body) === steady(other.body))
      for (const other of ['uma', 'otto']) {
        const [one, again] = [await ask(route, asked, { as: other }), await ask(route, asked, { as: other })]
        if (!isSame(one, again)) unsteady.push(other)
      }
      const [first, second] = [await ask(route, asked, { as }), await ask(route, asked, { as })]
      if (!isSame(first, second)) unsteady.push(as)
      const paged = await ask(route, { ...asked, query: { ...asked.query, page: 1, page_size: 20 } }, { as })
      const last = await lastEntry()
      const head = await send(world, { method: 'HEAD' }, asked, { token: await world.tokenOf(as) })
      const [{ left } = { left: Number.NaN }] = await world.rows<{ left: number }>(
        'select count(*)::integer as left from audit_entries where id > $1',
        [last],
      )
      answers.set(route, { asked, first, paged, head, left, unsteady })
    }
    return { answers, changed: [await unaudited(), before] as [unknown, unknown] }
  }

  // proves: SVC-06
  it('changes no record where it is a GET, whoever asks, and answers the same again', async () => {
    const { answers, changed } = await sweepGets()
    for (const [route, { unsteady }] of answers) assert.deepEqual(unsteady, [], nameOf(route))
    assert.deepEqual(...changed)
  })

  // proves: SVC-06
  it('answers HEAD as GET, without a body and without a trace', async () => {
    const { answers } = await sweepGets()
    for (const [route, { first, head, left }] of answers)
      assert.deepEqual([head.statusCode, head.body, left], [first.statusCode, '', 0], nameOf(route))
  })

  const wrongPages = [
    { page: 0 },
    { page: -1 },
    { page_size: 0 },
    { page_size: 101 },
    { page: 1.5 },
    { sort: 'nonsense' },
  ]
  /** An array that is answered whole, or as the page that is asked for. */
  async function isPaged(route: Route, asked: Asked, all: unknown[]) {
    const as = callerOf(route)
    const found = async (query: object) => ask(route, { ...asked, query: { ...asked.query, ...query } }, { as })
    for (const wrong of wrongPages) assert.equal((await found(wrong)).statusCode, 422, nameOf(route))
    assert.deepEqual((await found({ page: 1, page_size: 1 })).json(), all.slice(0, 1), nameOf(route))
    assert.deepEqual((await found({ page: 2, page_size: 1 })).json(), all.slice(1, 2), nameOf(route))
    assert.deepEqual((await found({ page: 1_000_000_000 })).json(), [], nameOf(route))
  }

  // proves: SVC-04, SVC-10
  it('is not broken by being asked for a page, and holds to the defaults where it is not', async () => {
    const { answers } = await sweepGets()
    for (const route of routes.filter(each => each.method === 'GET' && logsIn(each))) {
      const asked = sampleRequest(route, records)
      const query = { ...asked.query, page: 1, page_size: 20 }
      const [plain, paged] = [await ask(route, asked), await ask(route, { ...asked, query })]
      assert.deepEqual([paged.statusCode, paged.body], [plain.statusCode, plain.body], nameOf(route))
    }
    for (const [route, { asked, first, paged }] of answers) {
      assert.equal(paged.statusCode, first.statusCode, `${nameOf(route)} ${paged.body}`)
      if (!tellsTheMoment(route)) assert.equal(steady(paged.body), steady(first.body), nameOf(route))
      if (!inputOf(route).query?.properties?.page) continue
      const plain = await ask(route, asked, { as: callerOf(route) })
      if (Array.isArray(plain.json())) {
        await isPaged(route, asked, plain.json())
        continue
      }
      const { items, page, page_size, total, pages } = plain.json()
      assert.deepEqual(
        { page, page_size, pages },
        { page: 1, page_size: 20, pages: Math.ceil(total / 20) },
        nameOf(route),
      )
      assert.equal(items.length, Math.min(total, 20), nameOf(route))
      for (const wrong of wrongPages)
        assert.equal(
          (await ask(route, { ...asked, query: { ...asked.query, ...wrong } }, { as: callerOf(route) })).statusCode,
          422,
          nameOf(route),
        )
      const far = await ask(
        route,
        { ...asked, query: { ...asked.query, page: 1_000_000_000, page_size: 100 } },
        { as: callerOf(route) },
      )
      assert.deepEqual(far.json().items, [], nameOf(route))
      const [newest] = (
        await ask(route, { ...asked, query: { ...asked.query, page_size: 1 } }, { as: callerOf(route) })
      ).json().items
      if (!tellsTheMoment(route)) assert.deepEqual(newest, items[0], nameOf(route))
    }
  })

  // proves: ERR-05, RID-01, HLTH-05
  it('refuses in German who reads German, and says the same in English in the audit trail', async () => {
    const faults: string[] = []
    let sentences = 0
    // Those of /api/auth end the session that the others need.
    const refusing = closed.filter(({ method, url }) => method !== 'DELETE' && !url.startsWith('/api/auth/'))
    for (const route of refusing)
      for (const body of [undefined, { nothing: true }]) {
        const asked = { ...sampleRequest(route, records), path: pathOf(route.url, nobodysId), ...(body && { body }) }
        const reply = await ask(route, asked, { as: callerOf(route) === 'pat' ? 'pat' : 'otto', headers: readsGerman })
        if (reply.statusCode < 400) continue
        assert.equal(reply.headers['content-language'], 'de', nameOf(route))
        const { detail } = reply.json() as { detail: string | { msg: string }[] }
        for (const sentence of Array.isArray(detail) ? detail.map(({ msg }) => msg) : [detail]) {
          sentences++
          if (englishIn(sentence) !== undefined) faults.push(`${nameOf(route)}: ${sentence}`)
        }
      }
    assert.deepEqual(faults, [])
    assert.ok(sentences > 200, `${sentences} sentences`)
    const reasons = await world.rows<{ reason: string }>(
      `select distinct reason from audit_entries where action = 'access.denied'`,
    )
    assert.ok(reasons.length > 20, `${reasons.length} reasons`)
    assert.deepEqual(
      reasons.filter(({ reason }) => /[äöüß]|\b(?:Sie|nicht)\b/.test(reason)),
      [],
    )
  })

  it('says in German, to who reads German, each sentence that has a code', async () => {
    const faults: string[] = []
    let sentences = 0
    for (const route of closed.filter(({ method, action }) => method === 'GET' && !logsIn({ action } as Route))) {
      const reply = await ask(route, sampleRequest(route, records), { as: callerOf(route), headers: readsGerman })
      if (reply.statusCode !== 200 || !String(reply.headers['content-type']).startsWith('application/json')) continue
      for (const sentence of sentencesIn(reply.json())) {
        sentences++
        if (englishIn(sentence) !== undefined) faults.push(`${nameOf(route)}: ${sentence}`)
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(sentences > 10, `${sentences} sentences`)
  })

  it('is all there is: any other path answers 404, and any other method 405 with those that there are', async () => {
    const token = await world.tokenOf('ada')
    const mounted = new Set(routes.map(nameOf))
    for (const url of new Set(routes.map(route => route.url))) {
      const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(method =>
        mounted.has(`${method === 'HEAD' ? 'GET' : method} ${url}`),
      )
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
        if (allowed.includes(method)) continue
        // The same answer for everybody: it says what the API description says, and nothing of a record or a person.
        for (const by of [{ token }, {}]) {
          const reply = checkAnswer(await send(world, { method }, { path: pathOf(url, 1) }, by), url)
          assert.deepEqual(
            [reply.statusCode, reply.headers.allow, reply.json().code],
            [405, allowed.join(', '), 'method_not_allowed'],
            `${method} ${url}: ${reply.body}`,
          )
        }
      }
    }
    for (const path of ['/', '/status', '/api', '/api/nothing', '/api/documents/1/nothing', '/api/documents/1/../../x'])
      assert.equal(checkAnswer(await send(world, { method: 'GET' }, { path }, { token }), path).statusCode, 404, path)
  })

  // proves: RID-01, RID-02
  it("keeps a caller's request id in success and in refusal, and answers a preflight with one", async () => {
    const headers = { 'x-request-id': 'my.request_id-1' }
    for (const route of routes) {
      const reply = await ask(route, withUnknown(route, sampleRequest(route, records)), {
        as: callerOf(route),
        headers,
      })
      assert.equal(reply.headers['x-request-id'], 'my.request_id-1', nameOf(route))
      const preflight = await world.server.inject({
        method: 'OPTIONS',
        url: pathOf(route.url, 1),
        headers: {
          origin: 'http://localhost:3000',
          'access-control-request-method': route.method as string,
          ...headers,
        },
      })
      assert.ok(preflight.statusCode < 300, nameOf(route))
      assert.equal(preflight.headers['x-request-id'], 'my.request_id-1', nameOf(route))
    }
  })

  // proves: SVC-03
  it('succeeds with what it asks for, and answers as it declares', async () => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    addFormats.default(ajv)
    for (const ours of Object.keys(outgoingFormats)) ajv.addFormat(ours, true)
    for (const route of routes) {
      const { as = callerOf(route), ...asked } = {
        ...sampleRequest(route, records),
        ...(await successes[nameOf(route)]?.()),
      }
      const reply = await ask(route, asked, { as })
      if (nameOf(route) === ofAnEmptyInstallation) {
        assert.equal(reply.statusCode, 409, reply.body)
        continue
      }
      assert.equal(reply.statusCode, route.status, `${nameOf(route)}: ${reply.body}`)
      const schema = route.action.response as Schema
      if (schema.format === 'binary') {
        assert.match(String(reply.headers['content-disposition']), /^attachment/, nameOf(route))
        continue
      }
      const value = [204, 302].includes(route.status) ? null : reply.json()
      assert.ok(ajv.validate(schema, value), `${nameOf(route)}: ${ajv.errorsText()}`)
      const { id } = (value ?? {}) as { id?: number }
      if (route.status === 201) assert.match(String(reply.headers.location), new RegExp(`/${id}$`), nameOf(route))
    }
    assert.deepEqual(
      Object.keys(successes).filter(each => !routes.some(route => nameOf(route) === each)),
      [],
      'samples of routes that are not there',
    )
  })

  const draftCapa = async (fields: object = {}) =>
    (await accepted(world.as('alan').post('/api/capa/', capas(world).body(fields)))).json().id as number

  let proposals = 0
  const proposed = async () => {
    const template = records.acme.workflow_template!
    const word = `change ${++proposals}`
    const { configuration_change } = await addConfigurationChange(world, {
      ...{ word, admin: 'ada', by: 'quinn', template, isRejected: false },
    })
    return `/api/configuration-changes/${configuration_change}`
  }

  const failJob = () =>
    world.superuser.query(
      `update background_jobs set status = 'failed', error = 'It failed', finished_at = now() where id = $1`,
      [records.acme.job],
    )

  const toSign = async () => {
    const body = { document_id: records.acme.document, signature_type: 'witness', intent: 'Seen' }
    return { kind: 'passkey', acts: [{ method: 'POST', path: '/api/signatures/', body }] }
  }

  const fileToRemove = async () => {
    const { id } = await cases(world).deviation({ by: 'quinn' })
    const form = await accepted(world.as('quinn').upload(`/api/deviations/${id}/attachments`, {}))
    return { attachment_id: form.json().id as number }
  }
  const removalRequested = async () => {
    const { attachment_id } = await fileToRemove()
    const body = { attachment_id, reason: 'It names a patient' }
    return `/api/file-removals/${(await accepted(world.as('quinn').post('/api/file-removals/', body))).json().id}`
  }

  let importedGroups = 0
  const importOf = async (...acts: string[]) => {
    const imports = migrationsOf(world)
    const id = await imports.ofGroup(`Imported group ${++importedGroups}`)
    for (const act of acts) await imports.step(id, act)
    return imports.url(id)
  }
  const loadedImport = async () => {
    const path = await importOf('check', 'rehearse')
    const { report_sha256 } = (await accepted(world.as('ada').get(path))).json()
    await accepted(world.as('quinn').post(`${path}/accept`, { report_sha256 }))
    await world.work()
    return path
  }
  const disposable = async () => {
    const document_id = await pastRetention(world, 'alan', records.acme.document_type!)
    return { versions: [{ document_id, version: '1.0' }], reason: 'The retention period is over' }
  }
  const disposalProposed = async () =>
    `/api/disposals/${(await accepted(world.as('quinn').post('/api/disposals/', await disposable()))).json().id}`
  const holdPlaced = async () => {
    const body = { affected_item: 'Another batch', reason: 'Litigation' }
    return `/api/legal-holds/${(await accepted(world.as('quinn').post('/api/legal-holds/', body))).json().id}`
  }

  /** A provider that answers. */
  let providers = 0
  const reachable = async () => {
    const word = `provider-${++providers}`
    const { id } = await addProvider(world, forger, { slug: word, client_id: word })
    return { id: id as number, place: `/api/auth/oidc/acme/${word}`, client_id: word }
  }
  const stranger = async (username: string) =>
    (await accepted(world.as('ada').post('/api/users/', person(username)))).json().id as number

  /** The fields that a well-formed request still needs to succeed. */
  const commented = async () => {
    const path = `/api/documents/${records.acme.document}/comments`
    return `${path}/${(await accepted(world.as('ada').post(path, { text: 'Step 3 is missing' }))).json().id}`
  }

  const successes: Record<string, () => Promise<Partial<Asked> & { as?: string }>> = {
    'POST /api/auth/token': async () => ({ body: { username: 'ada', password } }),
    'POST /api/auth/session': async () => ({ body: { username: 'ada', password } }),
    'POST /api/auth/passkeys/': async () => {
      const options = (await accepted(world.as('ada').post('/api/auth/passkeys/options', { password }))).json()
      return { body: { name: 'Key', response: newAuthenticator(originOf(world)).create(options) } }
    },
    'POST /api/auth/passkeys/login': async () => {
      const { authenticator } = await withPasskey(world, 'ada')
      const url = '/api/auth/passkeys/login/options'
      const options = (await accepted(world.server.inject({ method: 'POST', url }))).json()
      return { body: { response: authenticator.get(options) } }
    },
    'PUT /api/documents/:id/comments/:comment_id': async () => ({ path: await commented() }),
    'POST /api/documents/:id/comments/:comment_id/reopen': async () => {
      const path = await commented()
      await accepted(world.as('ada').post(`${path}/resolve`, {}))
      return { path: `${path}/reopen` }
    },
    'POST /api/signing-challenges/': async () => ({ body: await toSign() }),
    'POST /api/signing-challenges/:id/passkey': async () => {
      const { authenticator } = await withPasskey(world, 'ada')
      const challenge = (await accepted(world.as('ada').post('/api/signing-challenges/', await toSign()))).json()
      return {
        path: `/api/signing-challenges/${challenge.id}/passkey`,
        body: { response: authenticator.get(challenge.passkey) },
      }
    },
    'GET /api/auth/oidc/:tenant/:provider/start': async () => ({ path: `${(await reachable()).place}/start` }),
    'POST /api/auth/oidc/:tenant/:provider/back-channel-logout': async () => {
      const { place, client_id } = await reachable()
      const logout_token = await forger.logoutToken({ sub: 'nobody', aud: client_id })
      return { path: `${place}/back-channel-logout`, body: { logout_token } }
    },
    'POST /api/auth/identities': async () => ({ body: { provider_id: (await reachable()).id, password } }),
    'DELETE /api/auth/identities/:id': async () => {
      const body = { provider_id: (await reachable()).id, subject: 'ada-there' }
      const link = await accepted(world.as('ada').post(`/api/users/${world.people.ada!.id}/identities`, body))
      return { path: `/api/auth/identities/${link.json().id}`, body: { password } }
    },
    'POST /api/identity-providers/': async () => ({
      body: { slug: 'new', name: 'New', issuer: forger.issuer, client_id: 'new', client_secret: 'new' },
    }),
    'PUT /api/identity-providers/:id': async () => ({ body: { name: 'Renamed' } }),
    'POST /api/identity-providers/:id/read-metadata': async () => ({
      path: `/api/identity-providers/${(await reachable()).id}/read-metadata`,
    }),
    'POST /api/identity-providers/:id/test-signing': async () => ({
      path: `/api/identity-providers/${(await reachable()).id}/test-signing`,
    }),
    'POST /api/identity-providers/:id/confirm-settings': async () => {
      const { id } = await reachable()
      await world.superuser.query(`begin; set local session_replication_role = replica;
        update identity_providers set subject_claim = 'oid' where id = ${id}; commit`)
      return { path: `/api/identity-providers/${id}/confirm-settings` }
    },
    'POST /api/identity-providers/:id/test': async () => ({
      path: `/api/identity-providers/${(await reachable()).id}/test`,
    }),
    'POST /api/users/:id/identities': async () => ({
      path: `/api/users/${await stranger('linked')}/identities`,
      body: { provider_id: (await reachable()).id, subject: 'somebody' },
    }),
    'POST /api/sso-domains/:id/verify': async () => {
      const { id, text } = (
        await accepted(world.as('ada').post('/api/sso-domains/', { domain: 'proven.example' }))
      ).json()
      dns.texts.set('proven.example', [text])
      return { path: `/api/sso-domains/${id}/verify` }
    },
    'PUT /api/users/:id/break-glass': async () => {
      const id = await stranger('glass')
      await world.superuser.query(`begin; set local session_replication_role = replica;
        update credentials set totp_confirmed_at = now(), must_change_password = false where user_id = ${id};
        update users set role_id = (select role_id from users where id = ${world.people.ada!.id}) where id = ${id}; commit`)
      return { path: `/api/users/${id}/break-glass` }
    },
    'POST /api/users/:id/end-sessions': async () => ({ path: `/api/users/${world.people.uma!.id}/end-sessions` }),
    'POST /api/ai/analyze': async () => ({
      body: {
        document_id: (await told(world).draft({ title: 'Gowning', by: 'ada', pages: ['Gloves are changed.'] })).id,
        instructions: 'gloves',
      },
    }),
    'GET /api/deviations/similar': async () => ({ query: { q: 'deviation' } }),
    'POST /api/service-accounts/': async () => ({
      body: { username: 'new-machine', full_name: 'New machine', owner_id: world.people.ada!.id },
    }),
    'POST /api/service-accounts/:id/deactivate': async () => {
      const { id } = await openMachine(world, { username: 'former-machine' })
      return { path: `/api/service-accounts/${id}/deactivate` }
    },
    'POST /api/service-accounts/:id/keys': async () => ({
      body: {
        ...{ name: 'Line 4', permissions: ['documents.read'] },
        expires_at: new Date(Date.now() + 86_400_000).toISOString(),
      },
    }),
    'POST /api/service-accounts/:id/keys/:key_id/rotate': async () => ({ body: { overlap_hours: 24 } }),
    'POST /api/auth/register': async () => ({ body: person('newcomer') }),
    'POST /api/auth/reset-password': async () => {
      await accepted(
        world.server.inject({ method: 'POST', url: '/api/auth/forgot-password', payload: { username: 'rita' } }),
      )
      await world.work()
      const texts = smtp.received.map(each => partsOf(each)['text/plain']!)
      const token = texts.map(text => /reset-password:\s+(\S+)/.exec(text)?.[1]).find(each => each !== undefined)
      return { body: { token, new_password: 'Purple kettle 47 boats' } }
    },
    'POST /api/users/invite': async () => ({ body: invited('guest') }),
    'POST /api/users/:id/invite': async () => {
      const { id } = (await accepted(world.as('ada').post('/api/users/invite', invited('visitor')))).json()
      return { path: `/api/users/${id}/invite` }
    },
    'POST /api/users/:id/withdraw-invitation': async () => {
      const { id } = (await accepted(world.as('ada').post('/api/users/invite', invited('applicant')))).json()
      return { path: `/api/users/${id}/withdraw-invitation` }
    },
    'POST /api/users/invite-many': async () => ({
      body: { csv: 'username,email,full_name,role\nfirst,first@example.org,A Guest,Author\n' },
    }),
    'POST /api/auth/change-password': async () => ({ as: 'anna' }),
    'POST /api/auth/logout': async () => ({ as: 'rob' }),
    'POST /api/auth/totp/enroll': async () => ({ as: 'alan', body: { password } }),
    'POST /api/auth/totp/confirm': async () => {
      const { secret } = (await accepted(world.as('quentin').post('/api/auth/totp/enroll', { password }))).json()
      return { as: 'quentin', body: { otp: new TOTP({ secret }).generate() } }
    },
    'DELETE /api/auth/totp': async () => {
      await accepted(world.as('petra').post('/api/auth/totp/enroll', { password }))
      return { as: 'petra', body: { password } }
    },
    'POST /api/training/assign': async () => ({
      body: { training_id: records.acme.training_program, user_ids: [records.acme.user] },
    }),
    // The assignment of the samples is waived before.
    'POST /api/training/assignments/:id/cancel': async () => {
      const program = (
        await accepted(world.as('quinn').post('/api/training/', { title: 'Another', type: 'classroom' }))
      ).json()
      const body = { training_id: program.id, user_ids: [world.people.petra!.id] }
      const { assigned } = (await accepted(world.as('quinn').post('/api/training/assign', body))).json()
      return { path: `/api/training/assignments/${assigned[0].assignment_id}/cancel` }
    },
    'GET /api/tenant-exports/:id/download': async () => ({
      path: `/api/tenant-exports/${await readyExport(world)}/download`,
    }),
    'DELETE /api/tenant-exports/:id': async () => ({ path: `/api/tenant-exports/${await readyExport(world)}` }),
    'POST /api/file-removals/': async () => ({ body: { ...(await fileToRemove()), reason: 'It names a patient' } }),
    'POST /api/file-removals/:id/approve': async () => ({ path: `${await removalRequested()}/approve` }),
    'POST /api/file-removals/:id/reject': async () => ({ path: `${await removalRequested()}/reject` }),
    'POST /api/file-removals/:id/withdraw': async () => ({ path: `${await removalRequested()}/withdraw`, as: 'quinn' }),
    'POST /api/migrations/:id/manifest': async () => ({
      path: `${await importOf()}/manifest`,
      form: { sheet: 'groups' },
      file: { bytes: groups('Weighing'), name: 'list.csv' },
    }),
    'POST /api/migrations/:id/files': async () => ({
      path: `${await importOf()}/files`,
      form: {},
      file: { bytes: filesOf('scan.pdf'), name: 'files.zip' },
    }),
    'PUT /api/migrations/:id': async () => ({ path: await importOf(), body: { title: 'Another title' } }),
    'POST /api/migrations/:id/check': async () => ({ path: `${await importOf()}/check` }),
    'POST /api/migrations/:id/rehearse': async () => ({ path: `${await importOf('check')}/rehearse` }),
    'POST /api/migrations/:id/rows/:row_id/sample': async () => {
      const path = await importOf('check')
      const { items } = (await accepted(world.as('ada').get(`${path}/rows`))).json()
      return { path: `${path}/rows/${items[0].id}/sample`, as: 'quinn', body: { finding: 'ok' } }
    },
    'POST /api/migrations/:id/accept': async () => {
      const path = await importOf('check', 'rehearse')
      const { report_sha256 } = (await accepted(world.as('ada').get(path))).json()
      return { path: `${path}/accept`, as: 'quinn', body: { report_sha256 } }
    },
    'POST /api/migrations/:id/continue': async () => ({ path: `${await loadedImport()}/continue`, body: {} }),
    'POST /api/migrations/:id/release': async () => ({
      path: `${await loadedImport()}/release`,
      as: 'quinn',
      body: {},
    }),
    'POST /api/migrations/:id/discard': async () => ({ path: `${await importOf()}/discard` }),
    'POST /api/disposals/': async () => ({ body: await disposable() }),
    'POST /api/disposals/:id/approve': async () => ({ path: `${await disposalProposed()}/approve` }),
    'POST /api/disposals/:id/reject': async () => ({ path: `${await disposalProposed()}/reject` }),
    'POST /api/disposals/:id/withdraw': async () => ({ path: `${await disposalProposed()}/withdraw`, as: 'quinn' }),
    'POST /api/legal-holds/': async () => ({ body: { affected_item: 'A batch', reason: 'Litigation' } }),
    'POST /api/legal-holds/:id/lift': async () => ({ path: `${await holdPlaced()}/lift` }),
    'POST /api/configuration-changes/:id/approve': async () => ({ path: `${await proposed()}/approve` }),
    'POST /api/configuration-changes/:id/reject': async () => ({ path: `${await proposed()}/reject` }),
    'POST /api/configuration-changes/:id/withdraw': async () => ({ path: `${await proposed()}/withdraw`, as: 'quinn' }),
    'POST /api/users/': async () => ({ body: person('starter') }),
    'POST /api/audit/reviews/': async () => ({
      body: { date_from: '2020-01-01', date_to: new Date(Date.now() - 1).toISOString(), outcome: 'no_findings' },
    }),
    'POST /api/users/:id/deactivate': async () => ({ path: `/api/users/${world.people.uma!.id}/deactivate` }),
    'POST /api/users/:id/reactivate': async () => ({ path: `/api/users/${world.people.uma!.id}/reactivate` }),
    'POST /api/users/:id/hand-over': async () => {
      const [uma, quinn] = [world.people.uma!.id, world.people.quinn!.id]
      const id = await draftDocument(world, 'alan', records.acme.document_type!)
      await accepted(world.as('quinn').put(`/api/documents/${id}`, { owner_id: uma }))
      await accepted(world.as('ada').post(`/api/users/${uma}/deactivate`))
      return { path: `/api/users/${uma}/hand-over`, body: { successor_id: quinn, change_reason: 'She left' } }
    },
    'PUT /api/users/:id/role': async () => ({ path: `/api/users/${world.people.uma!.id}/role` }),
    'POST /api/users/:id/reset-password': async () => ({ path: `/api/users/${world.people.uma!.id}/reset-password` }),
    'POST /api/mails/:id/retry': async () => {
      await failMail(world, records.acme.mail!)
      return {}
    },
    'POST /api/mails/:id/dismiss': async () => {
      await failMail(world, records.acme.mail!)
      return {}
    },
    'POST /api/jobs/:id/retry': async () => {
      await failJob()
      return {}
    },
    'POST /api/platform/tenants/:id/retry-mails': async () => {
      await failMail(world, records.acme.mail!)
      return {}
    },
    'POST /api/platform/tenants/:id/retry-jobs': async () => {
      await failJob()
      return {}
    },
    'POST /api/platform/tenants/': async () => ({ body: { name: 'Third', admin: person('third') } }),
    'POST /api/roles/': async () => ({ body: { name: 'Another role' } }),
    'DELETE /api/roles/:id': async () => {
      const { id } = (await accepted(world.as('ada').post('/api/roles/', { name: 'Short-lived' }))).json()
      return { path: `/api/roles/${id}` }
    },
    'POST /api/workflow-templates/': async () => {
      const { definition } = (
        await accepted(world.as('ada').get(`/api/workflow-templates/${records.acme.workflow_template}`))
      ).json()
      return { body: { name: 'Another template', definition } }
    },
    'POST /api/document-types/': async () => ({
      body: { name: 'Another type', prefix: 'AT', workflow_template_id: records.acme.workflow_template },
    }),
    'POST /api/auth/accept-signature-statement': async () => {
      const settings = { signature_statement: { text: 'As binding as by hand' } }
      const { signature_statement } = (await accepted(world.as('rex').put('/api/settings/', settings))).json()
      return { as: 'rex', body: { version: signature_statement.version } }
    },
    'POST /api/documents/:id/remind': async () => {
      const id = await draftDocument(world, 'alan', records.acme.document_type!)
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
      return { path: `/api/documents/${id}/remind` }
    },
    'PUT /api/capa/:id/actions/order': async () => ({
      path: `/api/capa/${await draftCapa()}/actions/order`,
      body: { action_ids: [] },
    }),
    'POST /api/capa/:id/approve-draft': async () => ({ path: `/api/capa/${await draftCapa()}/approve-draft` }),
    'POST /api/capa/:id/approve-plan': async () => {
      const document_ids = [await draftDocument(world, 'alan', records.acme.document_type!)]
      const fields = { document_ids, priority: 'high', root_cause: 'Known', assigned_to: world.people.alan!.id }
      const actions = [{ description: 'Train', assigned_to: world.people.anna!.id }]
      return { as: 'quinn', path: `/api/capa/${await draftCapa({ ...fields, actions })}/approve-plan` }
    },
    'POST /api/capa/:id/reject-draft': async () => ({ path: `/api/capa/${await draftCapa()}/reject-draft` }),
    'POST /api/capa/:id/effectiveness': async () => ({
      path: `/api/capa/${await draftCapa()}/effectiveness`,
      body: { criteria: 'None', method: 'trend', due_date: '2199-01-31', reviewer_id: world.people.quinn!.id },
    }),
    'POST /api/documents/:id/controlled-copies': async () => {
      const authors = { admin: 'ada', author: 'alan', approver: 'quinn' }
      const id = await effectiveDocument(world, authors, records.acme.document_type!, 'Printed')
      return { path: `/api/documents/${id}/controlled-copies` }
    },
    'POST /api/controlled-copies/:id/print': async () => ({ body: { reason: 'A page was torn' } }),
    'POST /api/controlled-copies/:id/transfer': async () => ({
      body: { holder_id: world.people.quinn!.id, change_reason: 'She runs the line now' },
    }),
    'POST /api/controlled-copies/:id/confirm': async () => ({ as: 'quinn' }),
    'POST /api/documents/:id/approve': async () => {
      const id = await draftDocument(world, 'alan', records.acme.document_type!)
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
      return { as: 'quinn', path: `/api/documents/${id}/approve` }
    },
    'POST /api/documents/:id/withdraw-approval': async () => {
      const id = await draftDocument(world, 'alan', await world.typeId('SOP'))
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
      await accepted(world.as('quinn').post(`/api/documents/${id}/approve`, {}))
      return { as: 'quinn', path: `/api/documents/${id}/withdraw-approval`, body: { reason: 'The wrong annex' } }
    },
    'POST /api/documents/:id/delegate': async () => {
      const id = await draftDocument(world, 'alan', records.acme.document_type!)
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
      const body = { to: world.people.ada!.id, reason: 'On leave' }
      return { as: 'quinn', path: `/api/documents/${id}/delegate`, body }
    },
    'POST /api/documents/:id/end-delegation': async () => {
      const id = await draftDocument(world, 'alan', records.acme.document_type!)
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
      const body = { to: world.people.ada!.id, reason: 'On leave' }
      await accepted(world.as('quinn').post(`/api/documents/${id}/delegate`, body))
      return { as: 'quinn', path: `/api/documents/${id}/end-delegation` }
    },
    'POST /api/deputies/': async () => ({
      body: { deputy_id: world.people.quinn!.id, starts_on: '2198-01-01', ends_on: '2198-01-31' },
      as: 'ada',
    }),
    'POST /api/documents/:id/periodic-review': async () => {
      const authors = { admin: 'ada', author: 'alan', approver: 'quinn' }
      const id = await effectiveDocument(world, authors, records.acme.document_type!, 'Reviewed')
      const body = { outcome: 'keep_effective', comment: 'It is as we work' }
      return { as: 'quinn', path: `/api/documents/${id}/periodic-review`, body }
    },
    'POST /api/training/': async () => ({ body: { title: 'Another program', type: 'classroom' } }),
    'PUT /api/training/:id': async () => ({ body: { title: 'Another title', change_reason: 'Clearer' } }),
    'POST /api/training/:id/start': async () => ({ as: 'alan' }),
    'POST /api/training/:id/complete': async () => ({ as: 'alan', body: { answers: [] } }),
    'POST /api/training/assignments/:id/verify': async () => {
      const { create, assign, complete } = trainings(world)
      const { id } = await create({ requires_verification: true })
      const assignment = await assign(id, ['alan'])
      await accepted(complete('alan', id))
      return { as: 'quinn', path: `/api/training/assignments/${assignment}/verify` }
    },
    'POST /api/training/assignments/:id/remind': async () => {
      const { create, assign } = trainings(world)
      const { id } = await create()
      return { path: `/api/training/assignments/${await assign(id, ['alan'])}/remind` }
    },
    'POST /api/training/curricula/': async () => ({ body: { name: 'Another curriculum' } }),
    'POST /api/groups/': async () => ({ body: { name: 'Another group' } }),
    'POST /api/groups/:id/add-member': async () => ({ body: { user_id: world.people.anna!.id } }),
    'DELETE /api/groups/:id/remove-member/:user_id': async () => {
      const url = `/api/groups/${records.acme.group}`
      const { members } = (await accepted(world.as('ada').get(url))).json()
      return { path: `${url}/remove-member/${members[0].user_id}` }
    },
    'DELETE /api/groups/:id': async () => {
      const { id } = (await accepted(world.as('ada').post('/api/groups/', { name: 'Short-lived group' }))).json()
      return { path: `/api/groups/${id}` }
    },
    'POST /api/deviations/:id/links': async () => ({
      path: `/api/deviations/${(await cases(world).deviation({ by: 'alan' })).id}/links`,
    }),
    'POST /api/users/access-reviews/': async () => ({
      body: {
        accounts_sha256: (await world.as('ada').get('/api/users/access-review')).json().accounts_sha256,
        outcome: 'no_findings',
      },
      as: 'ada',
    }),
    'POST /api/capa/:id/links': async () => ({ path: `/api/capa/${(await cases(world).capa()).id}/links` }),
    'POST /api/deviations/:id/extend': async () => ({
      path: `/api/deviations/${(await cases(world).deviation({ by: 'alan' })).id}/extend`,
      body: { due_date: dayFromNow(world, 90), reason: 'Late' },
    }),
    'POST /api/capa/:id/extend': async () => ({
      path: `/api/capa/${(await cases(world).capa()).id}/extend`,
      body: { due_date: dayFromNow(world, 90), reason: 'Late' },
    }),
    'POST /api/documents/:id/transition': async () => {
      const id = await draftDocument(world, 'alan', records.acme.document_type!)
      return { as: 'alan', path: `/api/documents/${id}/transition`, body: { transition: 'submit' } }
    },
  }
  const person = (username: string) => ({
    username,
    email: `${username}@example.org`,
    full_name: 'A Person',
    password: 'Purple kettle 47 boats',
  })
  const invited = (username: string) => ({ username, email: `${username}@example.org`, full_name: 'A Guest' })
})
