// What open event streams cost a process while nothing happens: memory and processor time, eight of each person.
//
//   node bench/event-streams.ts [--streams 88] [--seconds 20]
import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld } from '#test/world/world.ts'

const { values: given } = parseArgs({
  options: { streams: { type: 'string', default: '88' }, seconds: { type: 'string', default: '20' } },
})
const [wanted, seconds] = [Number(given.streams), Number(given.seconds)]

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
await world.server.listen({ host: '127.0.0.1', port: 0 })
const { port } = world.server.server.address() as { port: number }
const { events } = world.services
const megabytes = () => {
  globalThis.gc?.()
  return process.memoryUsage().rss / 2 ** 20
}

async function measure(name: string) {
  const begun = process.cpuUsage()
  await setTimeout(seconds * 1000)
  const { user, system } = process.cpuUsage(begun)
  const share = (user + system) / 1e4 / seconds
  console.log(`${name}: ${megabytes().toFixed(0)} MB, ${share.toFixed(1)} % of a processor`)
}

const open: { destroy(): void }[] = []
try {
  await measure('no stream')
  const names = Object.keys(world.people).filter(name => world.people[name]!.tenant_id !== 1)
  for (const name of names.flatMap(name => Array<string>(8).fill(name)).slice(0, wanted)) {
    const headers = { accept: 'text/event-stream', authorization: `Bearer ${await world.tokenOf(name)}` }
    const asked = request({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false })
    asked.on('error', () => {})
    await new Promise<void>(done =>
      asked
        .on('response', response => {
          if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`)
          done(void response.resume())
        })
        .end(),
    )
    open.push(asked)
  }
  await measure(`${events.open()} idle streams of ${names.length} people`)
} finally {
  for (const each of open) each.destroy()
  await world.close()
  await server.close()
}
