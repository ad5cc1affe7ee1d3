import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { ok } from '#test/builders/documents.ts'
import { told } from '#test/builders/told.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('what the assistant may take', () => {
  let world: World
  let model: Openai
  before(async () => {
    model = await openOpenai()
    world = await openWorld({ ...model.environment, AI_MONTHLY_TOKENS: '1000000', AI_MAX_OUTPUT_TOKENS: '1000' })
    await told(world).effective({ title: 'Gowning', pages: ['Gloves are changed every two hours.'] })
  })
  after(async () => {
    await world.close()
    await model.close()
  })
  beforeEach(() => {
    model.requests.length = 0
    model.answer(() => ({ text: 'Gloves are changed every two hours [1].', usage: { input: 700, output: 300 } }))
  })

  const chat = (by = 'alan') => world.as(by).post('/api/ai/chat', { message: 'How often are gloves changed?' })
  const settings = async (change: object) => ok(await world.as('ada').put('/api/ai/settings', change))
  const usage = async () => ok(await world.as('ada').get('/api/ai/usage'))
  const limitless = { monthly_tokens: null, monthly_cost_micros: null, is_enabled: true }

  it('is decided by the Admin, of their own company alone, and each change is on the trail', async () => {
    assert.deepEqual(ok(await world.as('rex').get('/api/ai/settings')), {
      ...limitless,
      input_price_micros: 0,
      output_price_micros: 0,
      provider: 'openai-compatible',
      model: 'test-model',
      installation_monthly_tokens: 1_000_000,
      revision: 1,
      updated_at: null,
      updated_by: null,
    })
    const changed = await settings({ monthly_tokens: 5000, change_reason: 'A trial' })
    assert.deepEqual([changed.monthly_tokens, changed.revision], [5000, 2])
    const again = await settings({ input_price_micros: 3_000_000, output_price_micros: 15_000_000 })
    assert.deepEqual([again.monthly_tokens, again.revision], [5000, 3])
    const entries = await world.rows<{ changes: object; reason: string | null }>(
      `select changes, reason from audit_entries where action = 'assistant_settings.updated' order by id`,
    )
    assert.deepEqual(entries[0], {
      changes: { monthly_tokens: { from: null, to: 5000 }, revision: { from: 1, to: 2 } },
      reason: 'A trial',
    })
    const stale = await world.as('ada').put('/api/ai/settings', { is_enabled: false, revision: 2 })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /ada at .* \(input_price_micros, output_price_micros\)/)
    assert.equal(ok(await world.as('rex').get('/api/ai/settings')).monthly_tokens, null)
    for (const [name, reads] of [
      ['quinn', 200],
      ['otto', 200],
      ['alan', 403],
    ] as const) {
      assert.equal((await world.as(name).get('/api/ai/settings')).statusCode, reads, name)
      assert.equal((await world.as(name).get('/api/ai/usage')).statusCode, reads, name)
      assert.equal((await world.as(name).put('/api/ai/settings', { is_enabled: false })).statusCode, 403, name)
    }
    await settings({ ...limitless, input_price_micros: 0, output_price_micros: 0 })
  })

  it('is counted by what was asked and by who asked, in tokens and in money', async () => {
    await settings({ input_price_micros: 3_000_000, output_price_micros: 15_000_000 })
    const before = await usage()
    ok(await chat('alan'))
    ok(await chat('anna'))
    const after = await usage()
    assert.equal(after.tokens - before.tokens, 2000)
    // 700 tokens at 3 for a million, 300 at 15.
    assert.equal(after.cost_micros - before.cost_micros, 2 * (2100 + 4500))
    const [{ kind, calls, answered, tokens }] = after.by_kind
    assert.deepEqual([kind, calls, answered, tokens], ['chat', 2, 2, 2000])
    assert.deepEqual(
      after.by_person
        .map((each: { user: { username: string }; tokens: number }) => [each.user.username, each.tokens])
        .sort(),
      [
        ['alan', 1000],
        ['anna', 1000],
      ],
    )
    assert.equal(ok(await world.as('rex').get('/api/ai/usage')).tokens, 0)
    await settings({ input_price_micros: 0, output_price_micros: 0 })
  })

  it('ends with the month: nothing is sent beyond it, and the refusal says when it begins anew', async () => {
    const { tokens } = await usage()
    await settings({ monthly_tokens: tokens + 1500 })
    const reply = await chat()
    assert.equal(reply.statusCode, 503)
    const { until } = await usage()
    assert.deepEqual([reply.json().code, reply.json().params], ['assistant_tokens_used_up', { renewed_at: until }])
    const wait_s = Number(reply.headers['retry-after'])
    assert.ok(Math.abs(wait_s - (Date.parse(until) - Date.now()) / 1000) < 60, `${wait_s}`)
    assert.match(until, /-01T00:00:00/)
    assert.equal(model.requests.length, 0)
    assert.equal(ok(await world.as('rex').get('/api/ai/usage')).tokens, 0)
    world.clock.moved_ms = Date.parse(until) - Date.now() + 1000
    try {
      ok(await chat())
    } finally {
      world.clock.moved_ms = 0
      await settings(limitless)
    }
  })

  it('is a limit in money as well', async () => {
    const { cost_micros } = await usage()
    await settings({ output_price_micros: 1_000_000, monthly_cost_micros: cost_micros + 999 })
    const refused = await chat()
    assert.equal(refused.statusCode, 503)
    assert.equal(refused.json().code, 'assistant_budget_used_up')
    await settings({ monthly_cost_micros: cost_micros + 1000 })
    ok(await chat())
    await settings({ ...limitless, output_price_micros: 0 })
  })

  it('of the installation is kept to whatever the company allows itself', async () => {
    await settings({ monthly_tokens: 900_000_000_000 })
    assert.equal((await usage()).most_tokens, 1_000_000)
    await settings(limitless)
    assert.equal((await usage()).most_tokens, 1_000_000)
  })

  it('is not passed by two who ask at one moment', async () => {
    const { tokens } = await usage()
    // Room for one call, which may take 1,000 tokens and its question, and not for two.
    await settings({ monthly_tokens: tokens + 2500 })
    const bothAsked = Promise.withResolvers<void>()
    model.answer(async () => {
      await bothAsked.promise
      return { text: 'Gloves are changed every two hours [1].', usage: { input: 700, output: 300 } }
    })
    const replies = Array.from({ length: 4 }, () => chat())
    const first = await Promise.race(replies)
    bothAsked.resolve()
    const statuses = (await Promise.all(replies)).map(({ statusCode }) => statusCode).sort((a, b) => a - b)
    assert.equal(first.statusCode, 503)
    assert.deepEqual(statuses, [200, 503, 503, 503])
    assert.equal(model.requests.length, 1)
    await settings(limitless)
  })

  it('is nothing where the company has switched it off', async () => {
    await settings({ is_enabled: false })
    const reply = await chat()
    assert.deepEqual(
      [reply.statusCode, reply.json().detail],
      [503, 'The assistant is switched off by the settings of your company.'],
    )
    assert.equal(model.requests.length, 0)
    await settings(limitless)
    ok(await chat())
  })

  it('is given back by what failed before anything was sent, and counts what was', async () => {
    const before = await usage()
    model.misbehave((_request, response) => {
      response.destroy()
    })
    assert.equal((await chat()).statusCode, 503)
    const after = await usage()
    assert.equal(after.tokens, before.tokens)
    assert.equal(after.by_kind[0].failed, before.by_kind[0].failed + 1)
  })

  it('is taken by a call whose process was killed until the clock ends it as failed', async () => {
    const { id: user_id, tenant_id } = world.people.alan!
    await world.superuser.query(`begin; set local session_replication_role = replica;
      insert into ai_calls (tenant_id, user_id, kind, provider, model, prompt_version, prompt_sha256, tokens)
        values (${tenant_id}, ${user_id}, 'chat', 'p', 'm', 'chat-1', repeat('0', 64), 5); commit`)
    const open = () => world.rows(`select id from ai_calls where status = 'started'`)
    await world.tick()
    assert.equal((await open()).length, 1)
    world.clock.moved_ms = 3_600_000
    await world.tick()
    world.clock.moved_ms = 0
    assert.equal((await open()).length, 0)
    const [entry] = await world.rows<{ username: string; reason: string; outcome: string }>(
      `select username, reason, outcome from audit_entries where action = 'ai_call.failed' order by id desc limit 1`,
    )
    assert.deepEqual(entry, {
      username: 'system',
      reason: 'The process ended before the answer arrived',
      outcome: 'failed',
    })
  })
})
