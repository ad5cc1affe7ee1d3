import { batches } from '../batches.ts'
import type { Projection } from '../projection.ts'
import { listDeviations, listDrift, rebuildRows, updateRows } from './queries.ts'

/** Words, items and filters of every deviation for search, and for deviations that are alike. */
export const deviationIndex: Projection = {
  name: 'deviation-index',
  async update(tx, changed) {
    const ids = changed.idsOf('deviation')
    if (ids.length > 0) await updateRows(tx, ids)
  },
  async rebuild(tx) {
    for await (const ids of batches(listDeviations, tx)) await rebuildRows(tx, ids)
  },
  async findDrift(tx) {
    const drift: string[] = []
    for await (const ids of batches(listDeviations, tx))
      for (const { deviation_id, columns } of await listDrift(tx, ids))
        drift.push(`deviation ${deviation_id}: ${columns.join(', ')}`)
    return drift
  },
}
