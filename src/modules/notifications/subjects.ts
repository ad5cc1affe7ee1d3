import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import { nameOf } from '#modules/accounts'
import { recordSubject } from '#modules/casework'
import { subjectOf } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import type { NotificationInput } from './notice.ts'
import { findHolderName, findNamesOfDeputy, findTrainings } from './queries.ts'

type Subject = Pick<NotificationInput, 'document' | 'record' | 'person' | 'training' | 'standIn' | 'holder'>

export const resourceOf = (event: EventName) => {
  const [resource] = event.split('.')
  return resource === 'auth' ? 'user' : resource!
}

/** Looks up each record once, because a command can record hundreds of events. */
export async function openSubjects(tx: Tx, recorded: readonly Recorded[]) {
  const known = new Map<string, Promise<Subject>>()
  const assigned = recorded.flatMap(({ event, id }) => (resourceOf(event) === 'training_assignment' && id ? [id] : []))
  const trainings = await findTrainings(tx, assigned)

  async function find(resource: string, id: number, version: string | undefined): Promise<Subject> {
    switch (resource) {
      case 'document':
        return { document: await subjectOf(tx, id, version) }
      case 'deviation':
      case 'capa':
        return { record: await recordSubject(tx, resource, id) }
      case 'user':
        return { person: await nameOf(tx, id) }
      case 'training_assignment':
        return { training: trainings.get(id) }
      case 'deputy':
        return { standIn: await findNamesOfDeputy(tx, id) }
      case 'controlled_copy':
        return { holder: await findHolderName(tx, id) }
      default:
        return {}
    }
  }

  return ({ event, id, after }: Recorded): Promise<Subject> => {
    if (id === null) return Promise.resolve({})
    const { version } = (after ?? {}) as { version?: unknown }
    const key = `${resourceOf(event)} ${id} ${typeof version === 'string' ? version : ''}`
    const found = known.get(key) ?? find(resourceOf(event), id, typeof version === 'string' ? version : undefined)
    known.set(key, found)
    return found
  }
}
