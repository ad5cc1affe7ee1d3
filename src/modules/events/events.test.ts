// Event streams over real connections, with sessions, several processes and a database that goes away.
import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { after, afterEach, before, describe, it } from 'node:test'
import type { ActionContext } from '#action'
import { systemActor } from '#modules/accounts'
import { startJob, steppedJob } from '#modules/jobs'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openBrowser, ours } from '#test/builders/sessions.ts'
import { trainings } from '#test/builders/training.ts'
import { until } from '#test/world/background.ts'
import { quiet } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { openEvents } from './hub.ts'
import { readers } from './rules.ts'
import type { Ending, LiveEvent } from './schema.ts'

const count = steppedJob<object, { steps: number }>({
  name: 'test.count',
  step: async (_, { state: { steps = 0 } }) => ({
    state: { steps: steps + 1 },
    done: 1,
    skipped: 0,
    isOver: steps === 1,
  }),
})
const eventTiming = { look_ms: 25, renew_ms: 250, settled_ms: 1100 }

/** Reads the events of an answer as they come. */
function readEvents(response: IncomingMessage) {
  const seen: Json[] = []
  const state: { done?: Json; isClosed: boolean } = { isClosed: false }
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (name === 'piece') seen.push(JSON.parse(data!))
      else if (name) state.done = JSON.parse(data!)
    }
  })
  response.on('close', () => {
    state.isClosed = true
  })
  response.on('error', () => {})
  return { seen, state }
}

function streamsOf(world: World, port: () => number) {
  const open: { close(): void }[] = []
  const follow = async (headers: Record<string, string>) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = httpRequest(
      { host: '127.0.0.1', port: port(), path: '/api/events', headers: { accept: 'text/event-stream', ...headers } },
      resolve,
    )
    request.on('error', reject)
    request.end()
    const close = () => request.destroy()
    open.push({ close })
    const response = await promise
    return { response, close }
  }
  const as = async (name: string) => {
    const { response, close } = await follow({ authorization: `Bearer ${await world.tokenOf(name)}` })
    assert.equal(response.statusCode, 200)
    const { seen, state } = readEvents(response)
    await until(() => seen.length > 0)
    return { seen, state, close, changed: () => seen.filter(({ type }) => type === 'changed') }
  }
  return {
    follow,
    as,
    async closeAll() {
      for (const each of open.splice(0)) each.close()
      await until(() => world.services.events.open() === 0)
    },
  }
}

describe('a stream of events', () => {
  let world: World
  let port: number
  let streams: ReturnType<typeof streamsOf>
  let paper: ReturnType<typeof papers>
  let cases: ReturnType<typeof deviations>
  before(async () => {
    world = await openWorld({ SERVER_LIMIT_CONCURRENCY: '6' }, { moreJobs: [count], eventTiming, heartbeat_ms: 50 })
    paper = papers(world)
    cases = deviations(world)
    await world.server.listen({ host: '127.0.0.1', port: 0 })
    port = (world.server.server.address() as { port: number }).port
    streams = streamsOf(world, () => port)
  })
  afterEach(() => streams.closeAll())
  after(() => world.close())

  const isTold = async (stream: Awaited<ReturnType<typeof streams.as>>, type: string, id: number) => {
    await world.seal()
    await until(() => stream.changed().some(each => each.resource_type === type && each.id === id))
  }

  it('begins with the present state, and names each record that somebody else changed', async () => {
    const quinn = await streams.as('quinn')
    const petra = await streams.as('petra')
    assert.deepEqual(Object.keys(quinn.seen[0]).sort(), ['jobs', 'type', 'unread'])
    const { id } = await cases.report()
    const { revision } = ok(await cases.put('petra', id, { department: 'Filling', change_reason: 'Looked' }))
    await isTold(quinn, 'deviation', id)
    await until(() => quinn.changed().some(each => each.id === id && each.revision === revision))
    assert.ok(
      petra.changed().every(each => each.revision !== revision),
      'the own change is no news',
    )
    assert.deepEqual(Object.keys(quinn.changed()[0]).sort(), ['id', 'resource_type', 'revision', 'type'])
  })

  it('names no record that the reader may not read', async () => {
    const [uma, quinn, rex] = [await streams.as('uma'), await streams.as('quentin'), await streams.as('rex')]
    const draft = await paper.upload({ by: 'alan' })
    const effective = await paper.effective()
    const program = await trainings(world).create({ type: 'on_the_job', title: 'Gowning' })
    await trainings(world).assign(program.id, ['uma', 'anna'])
    await isTold(quinn, 'document', draft.id)
    await isTold(uma, 'document', effective.id)
    const assigned = await world.rows<{ id: string; user_id: string }>('select id, user_id from training_assignments')
    const own = assigned.find(({ user_id }) => Number(user_id) === world.people.uma!.id)!
    const other = assigned.find(({ user_id }) => Number(user_id) === world.people.anna!.id)!
    await isTold(uma, 'training_assignment', Number(own.id))
    await isTold(quinn, 'training_assignment', Number(other.id))
    const isNamed = (type: string, id: number) =>
      uma.changed().some(each => each.resource_type === type && each.id === id)
    assert.equal(isNamed('document', draft.id), false)
    assert.equal(isNamed('training_assignment', Number(other.id)), false)
    assert.deepEqual(rex.seen.slice(1), [], 'another tenant')
  })

  it('has the number of unread notifications, and how far a job is', async () => {
    const quinn = await streams.as('quinn')
    const { unread } = quinn.seen[0]
    await paper.submitted()
    const { tenant_id, id } = world.people.quinn!
    await world.seal()
    await until(() => quinn.seen.some(({ type }) => type === 'unread'))
    assert.ok(quinn.seen.findLast(({ type }) => type === 'unread')!.unread > unread)
    ok(await world.as('quinn').post('/api/notifications/mark-all-read'))
    await world.seal()
    await until(() => quinn.seen.findLast(({ type }) => type === 'unread')!.unread === 0)

    const { actor } = (await world.services.accounts.find({ tenantId: tenant_id, userId: id, sessionId: null }))!
    const { id: job } = await world.services.runner.inSeparateTransaction(
      { ...actor, authTime: 0 },
      { requestId: 'job', clientAddr: '' },
      (context: ActionContext<undefined>) => startJob(context, count, { input: {}, total: 2 }),
    )
    await world.seal()
    await until(() => quinn.seen.some(each => each.type === 'job' && each.id === job && each.status === 'queued'))
    await world.work()
    await until(() => quinn.seen.some(each => each.type === 'job' && each.id === job && each.status === 'completed'))
    assert.deepEqual(
      quinn.seen.findLast(({ type }) => type === 'job'),
      {
        ...{ type: 'job', id: job, status: 'completed', total: 2, done: 2, skipped: 0 },
      },
    )
  })

  it('ends with the session, and with the permission', async () => {
    const browser = await openBrowser(world, 'anna')
    const { response } = await streams.follow({ cookie: browser.cookie })
    assert.equal(response.statusCode, 200)
    const anna = readEvents(response)
    await until(() => anna.seen.length > 0)
    assert.equal((await browser.post('/api/auth/logout', undefined, ours)).statusCode, 204)
    await world.seal()
    await until(() => anna.state.isClosed)
    assert.deepEqual(anna.state.done, { unread: 0, jobs: [], ended: 'signed_out' })

    const otto = await streams.as('otto')
    const denied = ['notifications.read']
    ok(await world.as('ada').put(`/api/users/${world.people.otto!.id}/permissions`, { granted: [], denied }))
    await world.seal()
    await until(() => otto.state.done)
    assert.equal(otto.state.done!.ended, 'signed_out')
    ok(await world.as('ada').put(`/api/users/${world.people.otto!.id}/permissions`, { granted: [], denied: [] }))
  })

  it('has the rights that its reader has now', async () => {
    const alan = await streams.as('alan')
    const before = await cases.report()
    await isTold(alan, 'deviation', before.id)
    const { id } = world.people.alan!
    ok(await world.as('ada').put(`/api/users/${id}/permissions`, { granted: [], denied: ['deviations.read'] }))
    await world.seal()
    const later = await cases.report()
    const group = ok(await world.as('ada').post('/api/groups/', { name: 'Told', group_type: 'department' }))
    ok(
      await world
        .as('ada')
        .put(`/api/users/${id}/permissions`, { granted: ['groups.read'], denied: ['deviations.read'] }),
    )
    const renamed = ok(
      await world.as('ada').put(`/api/groups/${group.id}`, { name: 'Told again', change_reason: 'Better' }),
    )
    await isTold(alan, 'group', renamed.id)
    assert.equal(
      alan.changed().some(each => each.id === later.id && each.resource_type === 'deviation'),
      false,
    )
    ok(await world.as('ada').put(`/api/users/${id}/permissions`, { granted: [], denied: [] }))
  })

  it('is one of eight of a person at most, and not a request under way', async () => {
    for (let n = 0; n < 8; n++) await streams.as('uma')
    const { response } = await streams.follow({ authorization: `Bearer ${await world.tokenOf('uma')}` })
    assert.equal(response.statusCode, 429)
    assert.equal(response.headers['retry-after'], '60')
    response.resume()
    // Eight streams are more than the six requests that may be under way.
    assert.equal((await fetch(`http://127.0.0.1:${port}/api/health`)).status, 200)
    await streams.closeAll()
    await streams.as('uma')
  })

  it('goes on where it was after an outage of the database, and says nothing twice over', async () => {
    const quinn = await streams.as('quinn')
    const kill = () =>
      world
        .rows(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
             and usename = 'attest_app'`,
        )
        .catch(() => {})
    await kill()
    const { id } = await cases.report().catch(() => cases.report())
    await kill()
    await until(async () => (await fetch(`http://127.0.0.1:${port}/api/health`)).status === 200)
    await isTold(quinn, 'deviation', id)
  })

  it('tells in every process what another one did', async () => {
    const database = new Database(openPool(world.postgres.app, quiet))
    const other = openEvents({ database, report: error => assert.fail(error as Error), timing: eventTiming })
    const leaving = new AbortController()
    const { id: userId, tenant_id: tenantId } = world.people.quinn!
    const { actor } = (await world.services.accounts.find({ tenantId, userId, sessionId: null }))!
    const told: LiveEvent[] = []
    const reader = { ...actor, authTime: 0 }
    const ended: Promise<Ending> = other.follow({
      actor: reader,
      renew: async () => reader,
      send: event => told.push(event),
      signal: leaving.signal,
    })
    await until(() => told.length > 0)
    const { id } = await cases.report()
    await world.seal()
    await until(() => told.some(event => event.type === 'changed' && event.id === id))
    other.stop()
    assert.equal(await ended, 'stopping')
    assert.equal(other.open(), 0)
    await database.close()
  })

  it('does not keep its session from becoming idle', async () => {
    const browser = await openBrowser(world, 'petra')
    const { response } = await streams.follow({ cookie: browser.cookie })
    const petra = readEvents(response)
    await until(() => petra.seen.length > 0)
    world.clock.moved_ms += 31 * 60_000
    await until(() => petra.state.isClosed)
    world.clock.moved_ms -= 31 * 60_000
    assert.equal(petra.state.done!.ended, 'signed_out')
  })

  it('is the present state for who asks for JSON', async () => {
    const state = ok(await world.as('uma').get('/api/events'))
    assert.deepEqual(Object.keys(state).sort(), ['ended', 'jobs', 'unread'])
    assert.equal((await world.server.inject({ method: 'GET', url: '/api/events' })).statusCode, 401)
    const head = await world.server.inject({
      ...{ method: 'HEAD', url: '/api/events' },
      headers: { authorization: `Bearer ${await world.tokenOf('uma')}`, accept: 'text/event-stream' },
    })
    assert.equal(head.statusCode, 200)
  })

  it('asks for the permission that the record asks for', () => {
    const urls: Record<string, string> = {
      ...{ deviation: '/api/deviations/:id', capa: '/api/capa/:id', group: '/api/groups/:id', role: '/api/roles/:id' },
      ...{ user: '/api/users/:id', document_type: '/api/document-types/:id', file_removal: '/api/file-removals/:id' },
      ...{ workflow_template: '/api/workflow-templates/:id', content_template: '/api/templates/:id' },
      ...{ configuration_change: '/api/configuration-changes/:id', effectiveness_review: '/api/capa/:id' },
      ...{ migration_batch: '/api/migrations/:id', disposal: '/api/disposals/:id', legal_hold: '/api/legal-holds/:id' },
    }
    assert.deepEqual(Object.keys(readers).sort(), Object.keys(urls).sort())
    for (const [type, permission] of Object.entries(readers)) {
      const found = world.app.routes.find(({ method, url }) => method === 'GET' && url === urls[type])
      assert.equal((found!.action as { permission: string }).permission, permission, type)
    }
  })

  it('ends at once when the service stops', async () => {
    const other = await openWorld({}, { eventTiming })
    await other.server.listen({ host: '127.0.0.1', port: 0 })
    const { port: its } = other.server.server.address() as { port: number }
    const quinn = await streamsOf(other, () => its).as('quinn')
    const begun = performance.now()
    await other.close()
    assert.ok(performance.now() - begun < 10_000)
    assert.equal(quinn.state.done!.ended, 'stopping')
  })
})

describe('a reader who goes while the first state is read', () => {
  it('ends their stream, and nothing else', async () => {
    const world = await openWorld()
    const events = openEvents({ database: world.database, report: assert.fail })
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const actor = { ...systemActor(world.people.uma!.tenant_id), userId: world.people.uma!.id }
      const gone = new AbortController()
      const following = events.follow({ actor, renew: async () => actor, send: () => {}, signal: gone.signal })
      gone.abort(new Error('gone'))
      await assert.rejects(following, /gone/)
      assert.deepEqual([unhandled, events.open()], [[], 0])
    } finally {
      process.off('unhandledRejection', note)
      events.stop()
      await world.close()
    }
  })
})
