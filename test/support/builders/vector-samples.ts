import type { Embeddings } from '#platform/models/embeddings.ts'
import { unit } from '#platform/models/unit.ts'
import { type VectorsItem, vectorsJob } from '../../../src/modules/search/vectors.ts'
import { deviationVectorsJob } from '../../../src/modules/similar/vectors.ts'
import type { World } from '../world/world.ts'

const vectorOf = (text: string) => {
  const times = (words: RegExp) => text.toLowerCase().match(words)?.length ?? 0
  return unit(Float32Array.from([times(/frosty|arctic/g), times(/rotor|spindle/g), 0.01, ...Array(13).fill(0)]))
}

/** A model that knows two things: what is cold, and what turns. */
export const meaningModel: Embeddings = {
  ...{ id: 'test:meaning:16', dimensions: 16, isLocal: true },
  embed: async texts => texts.map(vectorOf),
  state: () => ({ status: 'Operational' }),
  reach: async () => {},
  former: () => undefined,
}

/** The deviations of a person's company that wait for a vector. */
export const deviationsWithoutVector = (world: World, of: string) =>
  world.database.transaction({ tenantId: world.people[of]!.tenant_id, userId: null }, 'read write', tx =>
    deviationVectorsJob.find(tx, world.services),
  )

export async function makeDeviationVectors(world: World, of: string) {
  for (const { data } of await deviationsWithoutVector(world, of))
    await deviationVectorsJob.run(world.services, data as { tenant_id: number; deviation_id: number }, {
      ...{ number: 1, isLast: false, signal: new AbortController().signal },
    })
}

/** The deviations and texts of a person's company get vectors, of which the usual installation makes none. */
export async function addVectors(world: World, of: string) {
  const { embeddings } = world.services
  world.services.embeddings = meaningModel
  await makeDeviationVectors(world, of)
  const missing = await world.database.transaction(
    { tenantId: world.people[of]!.tenant_id, userId: null },
    'read write',
    tx => vectorsJob.find(tx, world.services),
  )
  for (const { data } of missing)
    await vectorsJob.run(world.services, data as VectorsItem, {
      ...{ number: 1, isLast: false, signal: new AbortController().signal },
    })
  world.services.embeddings = embeddings
}
