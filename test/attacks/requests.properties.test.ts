// Requests by chance, from the description of the API: none is answered by an error on our side, or by what the description does not
// say, and none changes anything of another company. FUZZ_REQUESTS says how many; FUZZ_SEED repeats a run (npm run fuzz).
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { after, before, describe, it } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import fc from 'fast-check'
import { withResponses } from '#test/builders/responses.ts'
import {
  addRecords,
  callerOf,
  checkAnswer,
  digestOfTables,
  giveSecondFactor,
  idFields,
  nobodysId,
  type Records,
  resourceOfParameter,
} from '#test/builders/samples.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { type Description, type IdsOf, type Operation, type Request, requestsOf } from './requests.ts'

const wanted = Number(process.env.FUZZ_REQUESTS || 1_000)
/** As part of all tests always the same ones: what chance finds is looked for by itself, and does not stop another's work. */
const seed = Number(process.env.FUZZ_SEED || (process.env.FUZZ_REQUESTS ? Math.floor(Math.random() * 2 ** 31) : 1))
/** Then everything begins anew: what was asked before has closed, disabled and renamed what there was. */
const requests_of_a_world = 4_000
/** Each asked one after another, so that a seed says all that happens there; while one waits for its database, another goes on. */
const worlds_at_once = Math.min(3, availableParallelism())
/** Hash a password or lay out pages, which takes a hundred times as long as all else: asked more seldom. */
const slow =
  /\/(dossier|record\.pdf)$|\/download$|\/preview$|\/auth\/(token|totp|register|change-password)$|\/reset-password$/
/** Of the operators, who have the work of any company done again. */
const ofAnyCompany = /\/platform\/tenants\/\{id\}\/retry-/
/**
 * By a setting, a monthly limit or a suspended company that a request before has set: the answer says which. And health is that of the
 * machine, which can be too busy to have its database answer within a second.
 */
const mayBeUnavailable = /^\/api\/(ai\/|auth\/register$|health$|status\/health$)/

interface Operated {
  name: string
  method: string
  path: string
  operation: Operation
  caller: string
  requests: fc.Arbitrary<Request>
  weight: number
}

describe('requests by chance (proves: ERR-01, ERR-02, SVC-02, SVC-03, SVC-01)', () => {
  let model: Openai
  before(async () => {
    model = await openOpenai()
  })
  after(() => model.close())

  it('are each answered as the description says, never by an error of ours, and change nothing of another company', async context => {
    const answers = new Map<string, Map<number, number>>()
    const wrong = new Map<string, string>()
    let begun = 0
    const others = async () => {
      while (begun < wanted) {
        const chance = seed + begun
        const count = Math.min(requests_of_a_world, wanted - begun)
        begun += count
        await inAWorld(chance, count, answers, wrong)
      }
    }
    await Promise.all(Array.from({ length: worlds_at_once }, others))
    assert.deepEqual([...wrong.values()], [], `seed ${seed}`)

    const byStatus = new Map<number, number>()
    for (const [status, count] of [...answers.values()].flatMap(each => [...each]))
      byStatus.set(status, (byStatus.get(status) ?? 0) + count)
    const succeeded = [...answers].filter(([, each]) => [...each.keys()].some(status => status < 300))
    context.diagnostic(
      `seed ${seed}: ${wanted} requests, ${succeeded.length} of ${answers.size} operations succeeded at least once; ${[
        ...byStatus,
      ]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => `${status}: ${count}`)
        .join(', ')}`,
    )
    assert.ok((byStatus.get(200) ?? 0) > wanted / 20, 'many get through')
  })

  async function inAWorld(
    chance: number,
    count: number,
    answers: Map<string, Map<number, number>>,
    wrong: Map<string, string>,
  ) {
    const world = await openWorld({
      REGISTRATION_ENABLED: 'true',
      REGISTRATION_TENANT: 'acme',
      LOG_LEVEL: 'error',
      PUBLIC_URL: 'https://qms.example',
      ...model.environment,
    })
    try {
      const records = await addRecords(world)
      await giveSecondFactor(world, 'pat')
      const operations = await operationsOf(world, records)
      const rival = { tenant: world.people.rex!.tenant_id }
      const before = await digestOfTables(world, rival)
      const drawn = fc.sample(
        fc.oneof(
          ...operations.map(operated => ({
            weight: operated.weight,
            arbitrary: operated.requests.map(request => ({ operated, request })),
          })),
        ),
        { seed: chance, numRuns: count },
      )
      for (const { operated, request } of drawn) {
        const reply = await send(world, operated, request)
        const known = answers.get(operated.name) ?? new Map<number, number>()
        answers.set(operated.name, known.set(reply.statusCode, (known.get(reply.statusCode) ?? 0) + 1))
        try {
          if (!(reply.statusCode === 503 && mayBeUnavailable.test(operated.path))) checkAnswer(reply, operated.name)
          checkDeclared(operated, reply)
        } catch (error) {
          const what = `${operated.name} ${reply.statusCode}`
          const logged = world.lines.filter(line => line.request_id === reply.headers['x-request-id'])
          const text = [(error as Error).message, JSON.stringify(request), ...logged.map(each => JSON.stringify(each))]
            .map(each => each.slice(0, 1_500))
            .join('\n')
          if (!wrong.has(what)) wrong.set(what, `${what}: ${text}`)
        }
      }
      assert.deepEqual(await digestOfTables(world, rival), before, `seed ${seed}: nothing of rival's is another`)
    } finally {
      await world.close()
    }
  }
})

async function operationsOf(world: World, records: Records): Promise<Operated[]> {
  const description = withResponses<Description>((await world.server.inject('/docs/json')).json())
  const routes = new Map(
    world.app.routes.map(route => [`${route.method} ${route.url.replace(/:(\w+)/g, '{$1}')}`, route]),
  )
  const idsOf = idsIn(records)
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Operated[] => {
      const name = `${method.toUpperCase()} ${path}`
      const route = routes.get(name)
      if (!route || ofAnyCompany.test(path)) return []
      const requests = requestsOf(path, operation, idsOf)
      return [{ name, method, path, operation, caller: callerOf(route), requests, weight: slow.test(path) ? 1 : 8 }]
    }),
  )
}

/** Mostly of acme; some of rival, and of nobody. */
const idsIn =
  (records: Records): IdsOf =>
  place => {
    const [path, parameter] = place.split(' ')
    const resource = parameter
      ? resourceOfParameter(path!.replace(/\{(\w+)\}/g, ':$1'), parameter)
      : (idFields[place] ?? place)
    const [own, others] = [records.acme[resource], records.rival[resource]]
    return own ? [own, own, own, own, own, own, ...(others ? [others] : []), nobodysId] : []
  }

async function send(world: World, { method, caller }: Operated, { path, headers, body }: Request) {
  const attempt = async () =>
    world.server.inject({
      method: method.toUpperCase() as 'POST',
      url: path,
      headers: {
        authorization: `Bearer ${await world.tokenOf(caller)}`,
        ...(body && { 'content-type': body.type }),
        ...headers,
      },
      ...(body && { payload: JSON.stringify(body.content) ?? '' }),
    })
  if (body?.type === 'multipart/form-data') return sendForm(world, caller, path, headers, body.content)
  const reply = await attempt()
  if (reply.statusCode !== 401 && reply.statusCode !== 403) return reply
  await takeBack(world, caller)
  return attempt()
}

/** An earlier request may have ended the caller's log-in, given them another role or suspended their company. */
async function takeBack(world: World, caller: string) {
  const { id, tenant_id } = world.people[caller]!
  const role = caller === 'pat' ? 'Platform operator' : 'Admin'
  await world.superuser.query(`begin; set local session_replication_role = replica;
    update tenants set is_active = true where id = ${tenant_id};
    update users set is_active = true, role_id = (select id from roles where tenant_id = ${tenant_id} and name = '${role}') where id = ${id};
    update credentials set must_change_password = false, locked_until = null where user_id = ${id};
    delete from login_addresses where user_id = ${id}; commit`)
  const [row] = await world.rows<{ session_version: number }>(
    'select session_version from credentials where user_id = $1',
    [id],
  )
  world.people[caller]!.session_version = row!.session_version
}

async function sendForm(world: World, caller: string, path: string, headers: Record<string, string>, content: unknown) {
  const form = new FormData()
  const fields = typeof content === 'object' && content !== null ? Object.entries(content) : [['x', content] as const]
  for (const [name, value] of fields)
    if (name === 'file') form.append(name, new Blob([new Uint8Array(pdf(JSON.stringify(value)))]), 'a.pdf')
    else form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  const encoded = new Response(form)
  return world.server.inject({
    method: 'POST',
    url: path,
    headers: {
      authorization: `Bearer ${await world.tokenOf(caller)}`,
      'content-type': encoded.headers.get('content-type')!,
      ...headers,
    },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
}

type Reply = Awaited<ReturnType<World['server']['inject']>>

/** The check of each answer that the description declares, made when it is first needed: once for the same words, whichever the world. */
function validator() {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  formats.default(ajv)
  for (const name of ['plain-text', 'words', 'binary']) ajv.addFormat(name, true)
  const texts = new WeakMap<object, string>()
  const made = new Map<string, ValidateFunction>()
  return (schema: object, value: unknown) => {
    const text = texts.get(schema) ?? JSON.stringify(schema)
    texts.set(schema, text)
    const validate = made.get(text) ?? ajv.compile(schema)
    made.set(text, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

const validate = validator()

function checkDeclared({ operation }: Operated, reply: Reply) {
  const declared = operation.responses[reply.statusCode] ?? operation.responses.default
  assert.ok(declared, `answers ${reply.statusCode}, which the description does not say: ${reply.body.slice(0, 200)}`)
  if (!declared.content || reply.body === '') return
  const type = String(reply.headers['content-type']).split(';')[0]!
  const found = declared.content[type] ?? declared.content['*/*']
  assert.ok(found, `is ${type}, and the description says ${Object.keys(declared.content).join(', ')}`)
  // A file of JSON is no answer of the API.
  if (type !== 'application/json' || !found.schema || (found.schema as { format?: string }).format === 'binary') return
  assert.deepEqual(validate(found.schema, reply.json()), [], reply.body.slice(0, 300))
}
