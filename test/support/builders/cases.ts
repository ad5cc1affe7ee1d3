import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/** A day some days from the one that the world's clock shows. */
export const dayFromNow = (world: World, days: number) =>
  new Date(world.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)

/** Deviations and CAPAs for tests of something else. Uma reports, Petra is QA, Alan writes CAPAs. */
export function cases(world: World) {
  const deviation = async ({ by = 'uma', ...fields }: { by?: string; [field: string]: unknown } = {}): Promise<Json> =>
    ok(
      await world.as(by).post('/api/deviations/', {
        title: 'Filter left in place',
        description: 'The filter of line 1 was not changed between two batches',
        severity: 'minor',
        detected_at: world.clock.now().toISOString(),
        ...fields,
      }),
    )
  const capa = async ({ by = 'alan', ...fields }: { by?: string; [field: string]: unknown } = {}): Promise<Json> =>
    ok(
      await world.as(by).post('/api/capa/', {
        title: 'Change of filters',
        description: 'Filters are changed by a list',
        type: 'corrective',
        source: 'deviation',
        priority: 'medium',
        due_date: dayFromNow(world, 30),
        ...fields,
      }),
    )
  return {
    deviation,
    capa,
    /** Ends a deviation without closing it. */
    cancel: async (id: number) =>
      ok(
        await world
          .as('petra')
          .put(`/api/deviations/${id}`, { status: 'cancelled', change_reason: 'Reported by mistake' }),
      ),
  }
}
