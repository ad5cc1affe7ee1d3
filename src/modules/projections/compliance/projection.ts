import {
  findComplianceDrift,
  markAssignees,
  markEveryone,
  markJoinedAndLeft,
  markReaders,
  markUsers,
  recountCompliance,
} from '#modules/training'
import type { Projection } from '../projection.ts'
import { concernsEveryone } from './rules.ts'

/**
 * A change only marks the people whose training it may change; the counts follow within a minute, or when somebody reads them. A mark
 * too many is harmless.
 */
export const compliance: Projection = {
  name: 'compliance',
  async update(tx, { recorded, idsOf }) {
    if (recorded.some(concernsEveryone)) {
      await markEveryone(tx)
      return
    }
    const marks = [
      [markAssignees, idsOf('training_assignment')],
      [markJoinedAndLeft, idsOf('group')],
      [markUsers, idsOf('user')],
      [markReaders, recorded.flatMap(({ event, id }) => (event === 'document.state_changed' ? (id ?? []) : []))],
    ] as const
    for (const [mark, ids] of marks) if (ids.length > 0) await mark(tx, ids)
  },
  /** Everybody is counted again; until then, readers count everybody themselves. */
  rebuild: recountCompliance,
  findDrift: findComplianceDrift,
}
