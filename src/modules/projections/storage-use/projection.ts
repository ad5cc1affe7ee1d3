import type { Projection } from '../projection.ts'
import { countAgain, readDifference } from './queries.ts'

/** How much the files of a tenant take. `takeSpace` counts each file under the lock by which it decides whether the file still fits. */
export const storageUse: Projection = {
  name: 'storage-use',
  async update() {},
  rebuild: countAgain,
  async findDrift(tx) {
    const difference = await readDifference(tx)
    return difference ? [difference] : []
  },
}
