// Whether anything but the assistant notices that its model is away (SVC-07): how long each of some requests takes while other people
// ask the assistant, with AI off, answering, refused, failing and hanging; and while what makes vectors of texts hangs.
//
//   node bench/without-ai.ts [--rounds 100] [--people 3]
//
// All installations are up at once, each with a database of its own, and are asked in turn, so that what else the machine does comes
// to each. One request after the other is measured; the people ask the assistant once in a second each.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openLanguageModel } from '#platform/models/language-model.ts'
import { openEmbeddings } from '#platform/models/open-embeddings.ts'
import { papers } from '#test/builders/documents.ts'
import { told } from '#test/builders/told.ts'
import { openOpenai } from '#test/fakes/openai.ts'
import { faults, withStatus } from '#test/faults/openai-faults.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { percentile } from './service.ts'

const { values: given } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, people: { type: 'string', default: '3' } },
})
const rounds = Number(given.rounds)
const people = Number(given.people)
const unmeasured_rounds = 3
const deviation = {
  title: 'Alarm ignored',
  description: 'An alarm of the freezer was ignored for two hours.',
  severity: 'minor',
}
const limit = { SERVER_LIMIT_CONCURRENCY: '24' }

const [answering, failing, hanging] = [await openOpenai(), await openOpenai(), await openOpenai()]
failing.misbehave(withStatus(500))
hanging.misbehave(faults.hang)
const nobody = await freePort()
const embeddings = (url: string) => ({
  EMBEDDINGS_PROVIDER: 'openai-compatible',
  EMBEDDINGS_MODEL: 'test-embeddings',
  EMBEDDINGS_BASE_URL: url,
  EMBEDDINGS_DIMENSIONS: '64',
})
const modes: Record<string, Record<string, string>> = {
  off: {},
  answering: answering.environment,
  refused: { ...failing.environment, AI_BASE_URL: `http://127.0.0.1:${nobody}/v1` },
  failing: failing.environment,
  hanging: hanging.environment,
  'vectors hang': { ...hanging.environment, ...embeddings(hanging.url) },
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const worlds = new Map<string, Awaited<ReturnType<typeof prepare>>>()
try {
  for (const [mode, environment] of Object.entries(modes)) worlds.set(mode, await prepare(environment))
  await measure()
} finally {
  for (const { world } of worlds.values()) await world.close()
  await answering.close()
  await failing.close()
  await hanging.close()
  await server.close()
}

async function freePort() {
  const taken = createServer()
  await new Promise<void>(done => taken.listen(0, '127.0.0.1', done))
  const { port } = taken.address() as AddressInfo
  await new Promise(done => taken.close(done))
  return port
}

/** An installation with something in it, and how to ask it over HTTP. */
async function prepare(environment: Record<string, string>) {
  const world = await openWorld({ LOG_LEVEL: 'critical', ...limit, ...environment })
  // They rest as long as in production, not as in tests.
  const { config, log } = world.services
  world.services.languageModel = openLanguageModel(config, log)
  world.services.embeddings = await openEmbeddings(config)
  const { submitted } = papers(world)
  for (let n = 0; n < 20; n++) await submitted({ title: `Gowning for room ${n}` })
  await world.work({ mayFail: true })
  const { id } = await told(world).effective({
    title: 'Cleaning of the filling line',
    pages: ['The filling line is cleaned with alcohol before each shift, and the cleaning is recorded.'],
  })
  const address = await world.server.listen({ host: '127.0.0.1', port: 0 })
  const tokens = new Map<string, string>()
  for (const name of ['alan', 'petra', 'quinn']) tokens.set(name, await world.tokenOf(name))
  const ask = async (by: string, method: string, path: string, body?: object) => {
    const reply = await fetch(`${address}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens.get(by)}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, text: await reply.text() }
  }
  return { world, id, ask, statuses: new Map<number, number>() }
}
type Prepared = Awaited<ReturnType<typeof prepare>>

/** The measured requests; their preparation, such as the draft to be approved, is not measured. */
function questions({ ask, id, world }: Prepared): Record<string, (draft: number) => ReturnType<Prepared['ask']>> {
  return {
    'list of documents': () => ask('alan', 'GET', '/documents/?page_size=20'),
    'a document': () => ask('alan', 'GET', `/documents/${id}`),
    'report a deviation': () => ask('alan', 'POST', '/deviations/', deviation),
    'approve a document': draft => ask('petra', 'POST', `/documents/${draft}/approve`, {}),
    search: () => ask('alan', 'GET', '/search/?q=cleaning+line'),
    'suggest a severity': () =>
      ask('alan', 'POST', '/deviations/suggest-severity', { description: deviation.description }),
    'similar deviations': () =>
      ask('alan', 'GET', `/deviations/similar?q=${encodeURIComponent(deviation.description)}`),
    health: async () => {
      const { statusCode, body } = await world.server.inject('/api/health')
      return { status: statusCode, text: body }
    },
  }
}

async function measure() {
  const times = new Map<string, number[]>()
  let isOver = false
  const asking = [...worlds.values()].flatMap(prepared =>
    Array.from({ length: people }, async (_, n) => {
      await setTimeout((n * 1000) / people)
      while (!isOver) {
        const { status } = await prepared.ask('quinn', 'POST', '/ai/chat', {
          message: 'How often is the line cleaned?',
          context_documents: [prepared.id],
        })
        prepared.statuses.set(status, (prepared.statuses.get(status) ?? 0) + 1)
        await setTimeout(1000)
      }
    }),
  )
  console.log(
    `load ${loadavg()
      .map(each => each.toFixed(2))
      .join(' ')}; ${rounds} rounds, ${people} people ask the assistant`,
  )
  for (let round = -unmeasured_rounds; round < rounds; round++) {
    for (const [mode, prepared] of worlds) {
      const draft = await submittedDraft(prepared.world, round)
      for (const [name, question] of Object.entries(questions(prepared))) {
        const begun = performance.now()
        const { status, text } = await question(draft)
        const taken = performance.now() - begun
        if (status >= 300) throw new Error(`${mode}, ${name}: ${status} ${text}`)
        const key = `${name}\n${mode}`
        if (round >= 0) times.set(key, [...(times.get(key) ?? []), taken])
      }
    }
  }
  isOver = true
  await Promise.all(asking)
  print(times)
}

async function submittedDraft(world: World, round: number): Promise<number> {
  const { upload, move } = papers(world)
  const { id } = await upload({ title: `Draft ${round}` }, { bytes: pdf(`draft ${round}`), name: 'draft.pdf' })
  await move('alan', id, 'submit')
  return id
}

function print(times: Map<string, number[]>) {
  const names = [...new Set([...times.keys()].map(key => key.split('\n')[0]!))]
  const of = (name: string, mode: string, share: number) =>
    percentile(
      times.get(`${name}\n${mode}`)!.toSorted((a, b) => a - b),
      share,
    )
  console.log(
    `\n${'milliseconds (times of off)'.padEnd(24)}${Object.keys(modes)
      .map(mode => mode.padStart(17))
      .join('')}`,
  )
  for (const name of names) {
    for (const [label, share] of [
      ['p50', 0.5],
      ['p95', 0.95],
      ['p99', 0.99],
    ] as const) {
      const cells = Object.keys(modes).map(mode => {
        const [ms, base] = [of(name, mode, share), of(name, 'off', share)]
        return `${ms.toFixed(1)} (${(ms / base).toFixed(2)})`.padStart(17)
      })
      console.log(`${`${name} ${label}`.padEnd(24)}${cells.join('')}`)
    }
  }
  for (const [mode, { statuses }] of worlds)
    console.log(
      `the assistant, ${mode}: ${[...statuses].map(([status, count]) => `${count} times ${status}`).join(', ')}`,
    )
}
