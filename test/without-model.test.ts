// SVC-07: what becomes of everything else while the language model is asked and does not answer.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { told } from '#test/builders/told.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { faults, withStatus } from '#test/faults/openai-faults.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'

const most_at_once = 3
/** The time limit of the model; everything that does not need it has answered long before. */
const timeout_ms = 120_000

describe('while the language model hangs', () => {
  let world: World
  let model: Openai
  let id: number
  let address: string
  before(async () => {
    model = await openOpenai()
    world = await openWorld({
      ...model.environment,
      AI_TIMEOUT_SECONDS: String(timeout_ms / 1000),
      AI_MAX_CONCURRENCY: String(most_at_once),
      SERVER_LIMIT_CONCURRENCY: '6',
    })
    const { id: told_id } = await told(world).effective({
      title: 'Cleaning of the filling line',
      pages: ['The filling line is cleaned with alcohol before each shift, and the cleaning is recorded.'],
    })
    id = told_id
    address = await world.server.listen({ host: '127.0.0.1', port: 0 })
  })
  after(async () => {
    await world.close()
    await model.close()
  })

  const ask = async (by: string, method: string, path: string, body?: object) => {
    const reply = await fetch(`${address}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${await world.tokenOf(by)}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, text: await reply.text(), retry_after: reply.headers.get('retry-after') }
  }
  const chat = () =>
    ask('alan', 'POST', '/api/ai/chat', { message: 'How is the filling line cleaned?', context_documents: [id] })

  // proves: SVC-07
  it('everything else answers as before, on connections to the database that no question holds', async () => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    model.misbehave(async (request, response) => {
      await over
      await withStatus(500)(request, response)
    })
    const held = Array.from({ length: most_at_once }, chat)
    await until(() => model.requests.length === most_at_once)
    const busy = await chat()
    assert.deepEqual([busy.status, busy.retry_after], [503, '5'], busy.text)
    assert.equal(model.requests.length, most_at_once)

    const begun = performance.now()
    for (const [method, path, body] of [
      ['GET', '/api/documents/'],
      ['GET', `/api/documents/${id}`],
      ['GET', '/api/search/?q=cleaning'],
      ['GET', '/api/deviations/similar?q=cleaning'],
      ['POST', '/api/deviations/', { title: 'Stain', description: 'A stain on the line.', severity: 'minor' }],
    ] as const) {
      const { status, text } = await ask('alan', method, path, body)
      assert.ok(status < 300, `${method} ${path}: ${status} ${text}`)
    }
    assert.equal((await fetch(`${address}/api/health`)).status, 200)
    const used = await world.rows(
      `select state, query from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend' and state <> 'idle'`,
    )
    assert.deepEqual(used, [])
    assert.equal(model.requests.length, most_at_once, 'they hang all the time')
    assert.ok(performance.now() - begun < timeout_ms / 2)

    end()
    for (const each of await Promise.all(held)) assert.equal(each.status, 503, each.text)
    const calls = await world.rows<{ status: string }>('select status from ai_calls')
    assert.ok(calls.length >= most_at_once && calls.every(({ status }) => status === 'failed'), JSON.stringify(calls))
  })

  // proves: SVC-07, AI-04
  it('a severity is suggested by the rules', async () => {
    model.misbehave(faults.hang)
    const begun = performance.now()
    const { status, text } = await ask('alan', 'POST', '/api/deviations/suggest-severity', {
      description: 'An alarm of the freezer was ignored for two hours.',
    })
    assert.equal(status, 200, text)
    assert.ok(performance.now() - begun < timeout_ms / 2)
  })
})
