import type { Tx } from '#platform/db/database.ts'
import { lockLog } from '../log/queries.ts'
import { blockOf, placesPerBlock } from './blocks.ts'
import { addPlaces, deletePlaces, findLastSeq, listDrift } from './queries.ts'

/** A statement ends after a minute, and reads every entry of its blocks. */
const blocksPerBatch = 100
const blocksAtMost = 2 ** 31

/** The places by which lists of the audit trail are counted. The sealer writes them with the places of the entries in the tree. */
export const auditPlaces = {
  name: 'audit-places',
  /** The sealer waits until the end of the transaction. */
  async rebuild(tx: Tx) {
    await lockLog(tx, { skip: false })
    await deletePlaces(tx)
    for (const { first, end } of await batches(tx))
      await addPlaces(tx, first * placesPerBlock + 1, end * placesPerBlock)
  },
  async findDrift(tx: Tx) {
    const drift: string[] = []
    for (const { first, end } of await batches(tx))
      for (const { dimension, value, block } of await listDrift(tx, first, end))
        drift.push(`block ${block}: ${[dimension, ...(value === '' ? [] : [value])].join(' ')}`)
    return drift
  },
}

/** The last one has no end, because somebody may have added rows behind the entries. */
async function batches(tx: Tx) {
  const count = Math.floor(blockOf(await findLastSeq(tx)) / blocksPerBatch) + 1
  return Array.from({ length: count }, (_, nth) => ({
    first: nth * blocksPerBatch,
    end: nth === count - 1 ? blocksAtMost : (nth + 1) * blocksPerBatch,
  }))
}
