import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { ValidateFunction } from 'ajv'
import { readExamples } from '#http/examples.ts'
import type { permissions } from '#kernel/catalogue.ts'
import { openValidator } from '#kernel/json-schema.ts'
import { withResponses } from '#test/builders/responses.ts'
import { openWorld, type World } from '#test/world/world.ts'

/** Every endpoint of the specification, by its module. */
const specified: Record<string, string[]> = {
  auth: ['POST /api/auth/register', 'POST /api/auth/token', 'GET /api/auth/me'],
  documents: [
    'POST /api/documents/upload',
    'GET /api/documents/',
    'GET /api/documents/{id}',
    'GET /api/documents/{id}/download',
    'PUT /api/documents/{id}',
    'POST /api/documents/{id}/approve',
    'POST /api/documents/{id}/configure-approval',
  ],
  'document types and workflow templates': [
    'GET /api/document-types/',
    'POST /api/document-types/',
    'GET /api/document-types/{id}',
    'PUT /api/document-types/{id}',
    'GET /api/workflow-templates/',
    'POST /api/workflow-templates/',
    'GET /api/workflow-templates/{id}',
  ],
  search: ['GET /api/search/'],
  assistant: ['POST /api/ai/chat', 'POST /api/ai/generate', 'POST /api/ai/analyze'],
  templates: ['GET /api/templates/', 'POST /api/templates/use'],
  training: [
    'POST /api/training/assign',
    'POST /api/training/bulk-assign',
    'GET /api/training/my-training',
    'GET /api/training/{id}',
    'POST /api/training/{id}/complete',
  ],
  deviations: [
    'POST /api/deviations/',
    'GET /api/deviations/',
    'GET /api/deviations/{id}',
    'PUT /api/deviations/{id}',
    'POST /api/deviations/suggest-severity',
    'GET /api/deviations/similar',
  ],
  capa: [
    'POST /api/capa/',
    'GET /api/capa/',
    'GET /api/capa/{id}',
    'PUT /api/capa/{id}',
    'POST /api/capa/{id}/approve-draft',
    'POST /api/capa/{id}/effectiveness',
    'GET /api/capa/{id}/effectiveness',
    'PUT /api/capa/{id}/effectiveness/{review_id}',
  ],
  dashboard: [
    'GET /api/dashboard/assigned-items',
    'GET /api/dashboard/pending-approvals',
    'GET /api/dashboard/overdue-items',
    'GET /api/dashboard/approaching-deadlines',
    'GET /api/dashboard/stats',
  ],
  audit: ['GET /api/audit/', 'GET /api/audit/export'],
  signatures: ['POST /api/signatures/', 'GET /api/signatures/', 'GET /api/signatures/{id}'],
  groups: [
    'GET /api/groups/',
    'POST /api/groups/',
    'GET /api/groups/{id}',
    'PUT /api/groups/{id}',
    'DELETE /api/groups/{id}',
    'POST /api/groups/{id}/add-member',
    'DELETE /api/groups/{id}/remove-member/{user_id}',
  ],
  notifications: [
    'GET /api/notifications/',
    'POST /api/notifications/{id}/mark-read',
    'POST /api/notifications/mark-all-read',
  ],
  roles: ['GET /api/roles/', 'GET /api/roles/{id}'],
  'health and status': ['GET /api/health', 'GET /api/status/health', 'GET /api/status'],
}

/** Missing modules and endpoints. The list must be exact, and ends empty. */
const notYet: string[] = []

interface Media {
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
interface Operation {
  tags?: string[]
  summary?: string
  description?: string
  operationId?: string
  security?: object[]
  'x-permission'?: keyof typeof permissions
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { description?: string; content?: Record<string, Media> }>
}
interface Document {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
}

describe('the description of the API', () => {
  let world: World
  let document: Document
  let operations: [string, Operation][]
  before(async () => {
    world = await openWorld({ REGISTRATION_ENABLED: 'true', REGISTRATION_TENANT: 'acme' })
    const reply = await world.server.inject('/docs/json')
    assert.equal(reply.statusCode, 200)
    document = reply.json()
    operations = Object.entries(withResponses(structuredClone(document)).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    )
  })
  after(() => world.close())

  // proves: SVC-02
  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document) as never)
    assert.deepEqual(result.errors ?? [], [])
    assert.equal(result.valid, true)
    assert.match(document.openapi, /^3\.1\./)
    assert.equal(document.info.version, '1.0.0')
  })

  it('has each route with what it does, what it needs and what it answers, and nothing else', () => {
    const mounted = world.app.routes.map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`)
    assert.deepEqual(operations.map(([name]) => name).sort(), mounted.sort())
    for (const { method, url, status, action } of world.app.routes) {
      const name = `${method} ${url.replace(/:(\w+)/g, '{$1}')}`
      const [, operation] = operations.find(([each]) => each === name)!
      assert.equal(operation.summary, action.summary)
      assert.ok(operation.responses[status], `${name} says what its ${status} holds`)
      assert.ok(operation.responses[422] && operation.responses[500], name)
      if (url.includes(':')) assert.ok(operation.responses[404] && operation.responses[409], name)
      if (action.kind === 'open') {
        assert.equal(operation.security, undefined, name)
        continue
      }
      assert.deepEqual(operation.security, [{ bearer: [] }, { session: [] }], name)
      assert.ok(operation.responses[401] && operation.responses[403], name)
      assert.equal(operation['x-permission'], action.permission, name)
      assert.ok(operation.description?.includes(`\`${action.permission}\``), name)
    }
    const ids = operations.flatMap(([, { operationId }]) => operationId ?? [])
    assert.equal(new Set(ids).size, ids.length, 'an operation id is one of its kind')
  })

  // proves: SVC-02
  it('has an example of each request and each answer, which the service would take and give', () => {
    const examples = readExamples()
    const names = operations.map(([name]) => name)
    assert.deepEqual(
      Object.keys(examples.operations).filter(name => !names.includes(name)),
      [],
      'examples of operations that are not there',
    )
    const ajv = openValidator({ allErrors: true })
    // Most operations are refused in the same shapes, and to compile one takes longer than to check a hundred examples.
    const known = new Map<string, ValidateFunction>()
    const validatorOf = (schema: object) => {
      const text = JSON.stringify(schema)
      const validate = known.get(text) ?? ajv.compile(schema)
      known.set(text, validate)
      return validate
    }
    /** The example, or each of several by the ways to use the operation. */
    const assertTaken = (schema: object, { example, examples = {} }: Media, what: string) => {
      const all = Object.entries(examples).map(([way, { value }]): [string, unknown] => [`${what} (${way})`, value])
      const validate = validatorOf(schema)
      for (const [which, each] of all.length > 0 ? all : [[what, example] as const]) {
        assert.notEqual(each, undefined, `${which} has no example: see test/support/examples`)
        assert.ok(validate(each), `${which}: ${ajv.errorsText(validate.errors)}`)
      }
    }
    for (const [name, { requestBody, responses }] of operations) {
      for (const type of ['application/json', 'multipart/form-data']) {
        const asked = requestBody?.content[type]
        if (asked) assertTaken(asked.schema, asked, `the request of ${name}`)
      }
      for (const [status, { content }] of Object.entries(responses)) {
        const answered = content?.['application/json']
        if (answered && status !== 'default') assertTaken(closed(answered.schema), answered, `the ${status} of ${name}`)
      }
    }
  })

  /** Takes no field that it does not name: an example does not keep what an answer has no more. */
  function closed(schema: unknown): object {
    if (Array.isArray(schema)) return schema.map(closed)
    if (typeof schema !== 'object' || schema === null) return schema as never
    const inside = Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, closed(each)]))
    return 'properties' in schema && !('additionalProperties' in schema)
      ? { ...inside, additionalProperties: false }
      : inside
  }

  // proves: SVC-02
  it('has every endpoint of the specification, but for those that are named here', t => {
    const there = new Set(operations.map(([name]) => name))
    const missing = Object.values(specified)
      .flat()
      .filter(name => !there.has(name))
    for (const [module, names] of Object.entries(specified)) {
      const open = names.filter(name => !there.has(name))
      if (open.length > 0) t.diagnostic(`not mounted yet, ${module}: ${open.join(', ')}`)
    }
    assert.deepEqual(missing.sort(), [...notYet].sort())
    for (const name of there) assert.match(name, / \/api\//)
  })

  // proves: SVC-02
  it('is shown at /docs by pages that load nothing from outside', async () => {
    const page = await world.server.inject('/docs/')
    assert.equal(page.statusCode, 200)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.equal((await world.server.inject('/docs')).statusCode < 400, true)
    const seen = new Set<string>()
    const todo = [...referencesOf(page.body, '/docs/')]
    assert.ok(todo.length >= 4, 'the page refers to its scripts and styles')
    for (const url of todo) {
      if (seen.has(url)) continue
      seen.add(url)
      assert.ok(url.startsWith('/'), `the page loads ${url}`)
      const reply = await world.server.inject(url)
      assert.equal(reply.statusCode, 200, url)
      if (url.endsWith('.css')) todo.push(...referencesOf(reply.body, url))
      // A script would fetch by these: a loader of code or styles from another host, whatever else it mentions.
      assert.doesNotMatch(reply.body, /(?:importScripts|import)\(\s*["'`]https?:/, url)
    }
    assert.ok([...seen].some(url => url.endsWith('.js')) && [...seen].some(url => url.endsWith('.css')))
  })

  it('is shown by areas, which have all that they refer to and together have every operation', async () => {
    const areas = new Set(operations.flatMap(([, { tags = [] }]) => tags))
    const shown: string[] = []
    for (const area of areas) {
      const { paths, ...rest } = (await world.server.inject(`/docs/areas/${area}`)).json<Document>()
      const referred = [...JSON.stringify({ paths, ...rest }).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
      const { components } = rest as { components?: Record<string, Record<string, object>> }
      for (const [ref, kind, name] of referred) assert.ok(components?.[kind!]?.[name!], `${area} has no ${ref}`)
      for (const [path, methods] of Object.entries(paths))
        shown.push(...Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`))
    }
    assert.deepEqual(shown.sort(), operations.map(([name]) => name).sort())
    assert.equal((await world.server.inject('/docs/areas/nothing')).statusCode, 404)
  })

  it('lets scripts of its own run and nothing from elsewhere; DOCS_ENABLED=false takes it away', async () => {
    for (const url of ['/docs', '/docs/areas/auth', '/docs/static/swagger-ui-bundle.js']) {
      const { statusCode, headers } = await world.server.inject(url)
      assert.equal(statusCode, 200, url)
      if (url.includes('/areas/')) continue
      assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self';/)
      assert.doesNotMatch(String(headers['content-security-policy']), /upgrade-insecure-requests|https:/)
    }
    const without = await openWorld({ DOCS_ENABLED: 'false' })
    try {
      for (const url of ['/docs', '/docs/', '/docs/json', '/docs/areas/auth', '/docs/static/index.html'])
        assert.equal((await without.server.inject(url)).statusCode, 404, url)
    } finally {
      await without.close()
    }
  })

  /** The references that a page or a style sheet loads; a link to be clicked on is none. Pictures in the text itself are left out. */
  function referencesOf(text: string, base: string): string[] {
    const loads = [
      ...text.matchAll(/<(?:script|img|iframe|source)\b[^>]*?\bsrc=["']([^"']+)/gi),
      ...text.matchAll(/<link\b[^>]*?\bhref=["']([^"']+)/gi),
      ...text.matchAll(/\burl\(\s*["']?([^"')]+)/gi),
      ...text.matchAll(/@import\s+["']([^"']+)/gi),
    ].map(([, url]) => url!)
    return loads
      .filter(url => !url.startsWith('data:') && !url.startsWith('#'))
      .map(url => {
        const resolved = new URL(url, `http://here.invalid${base}`)
        return resolved.hostname === 'here.invalid' ? resolved.pathname : resolved.href
      })
  }
})
