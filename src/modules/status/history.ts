import type { Services } from '#action'
import type { Schedule } from '#modules/jobs'
import { deleteHours, insertLooks, listHours } from './queries.ts'
import type { Dependency, HealthHour } from './schema.ts'

const hourMs = 3_600_000
/** With the hour that it is, a day. */
const keptMs = 23 * hourMs

const hourOf = (now: Date) => new Date(Math.floor(now.getTime() / hourMs) * hourMs)
const nobody = { tenantId: null, userId: null }

/**
 * Keeps how the dependencies were in each hour of the last day. While the database does not answer nothing can be kept, so that an hour with
 * few looks says itself that something was wrong.
 */
export const keepHealth: Schedule = {
  name: 'status.health_history',
  every_minutes: 5,
  async round({ database, dependencies, clock }) {
    const found = await Promise.all(dependencies.all.map(each => each.look()))
    const hour = hourOf(clock.now())
    await database.transaction(
      nobody,
      'read write',
      async tx => {
        await insertLooks(tx, hour, found)
        await deleteHours(tx, new Date(hour.getTime() - keptMs))
      },
      { canRunAgain: true },
    )
    return { done: 0, refused: 0, failed: 0 }
  },
}

/** The looks that a whole hour has. */
export const looksOfAnHour = 60 / keepHealth.every_minutes

/** Each hour of the last day, the oldest first; one without looks is empty. */
export async function readHistory({ database, clock }: Pick<Services, 'database' | 'clock'>): Promise<HealthHour[]> {
  const now = hourOf(clock.now()).getTime()
  const rows = await database.transaction(nobody, 'read only', tx => listHours(tx, new Date(now - keptMs)))
  return Array.from({ length: keptMs / hourMs + 1 }, (_, index) => {
    const begin = now - keptMs + index * hourMs
    const of = rows.filter(({ hour }) => Date.parse(hour) === begin)
    return {
      hour: new Date(begin).toISOString(),
      looks: Math.max(0, ...of.map(({ looks }) => looks)),
      dependencies: of.map(({ dependency, worst, detail }) => ({
        name: dependency as Dependency['name'],
        worst: worst as Dependency['status'],
        detail,
      })),
    }
  })
}
