import { startService } from '#test/processes/service-process.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer, urlsOf } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { openIdentity } from '../src/commands/identity.ts'
import { fillTenant, type Size } from './fill.ts'
import { timed } from './service.ts'

/** Passkeys are of an address. */
const shared = { SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-bench', PUBLIC_URL: 'https://qms.example' }

/** A database to fill, and to see by what it is asked. Its commits wait for the disk, which those of tests do not. */
export async function openBenchWorld() {
  const world = await openWorld({ LOG_LEVEL: 'warning', ...shared })
  await world.superuser.query(`alter database ${world.postgres.app.database} reset synchronous_commit`)
  // Before rows are filled in whose files are not there: a first start would take them for another installation's.
  const { config, storage } = world.services
  await openIdentity({ config, database: world.database, storage, log: world.services.log })
  return world
}

/**
 * The service as it is started, on the world's database, with the world's keys and files: a token or a draft of the one is good for
 * the other.
 */
export async function serve(world: World, options: readonly string[] = []) {
  const begun = performance.now()
  const service = await startService(
    { DATA_DIR: world.folder, ...shared, ...urlsOf(world.postgres) },
    { program: [...options, 'src/main.ts', 'serve'] },
  )
  service.hearNoMore()
  const answer = await fetch(`${service.address}/api/health`)
  if (!answer.ok) throw new Error(`GET /api/health: ${answer.status}`)
  return {
    url: service.address,
    pid: service.child.pid!,
    started_ms: performance.now() - begun,
    async close() {
      service.child.kill('SIGTERM')
      await service.ended
    },
  }
}
type Served = Awaited<ReturnType<typeof serve>>

/** Where a load goes, and how much there is. */
export interface Place {
  world: World
  served: Served
  size: Size
}

/** Several tenants on one server, filled and served. */
export async function openPlaces(say: (progress: string) => void) {
  const server = await openTestServer()
  const opened: (() => Promise<void>)[] = [() => server.close()]
  await server.addPeopled(addPeople)
  return {
    async open(size: Size): Promise<Place & { filled_s: number }> {
      const world = await openBenchWorld()
      opened.push(() => world.close())
      const { seconds: filled_s } = await timed(() => fillTenant(world, size, say))
      const served = await serve(world)
      opened.push(() => served.close())
      return { world, served, size, filled_s }
    },
    async close() {
      for (const each of opened.reverse()) await each()
    },
  }
}
