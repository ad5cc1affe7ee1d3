import { sql } from 'kysely'
import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import { nameOf } from '#modules/accounts'
import { recordSubject } from '#modules/casework'
import { subjectOf } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import type { NotificationInput, TrainingSubject } from './notice.ts'

type Subject = Pick<NotificationInput, 'document' | 'record' | 'person' | 'training'>

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

async function findTrainings(tx: Tx, ids: readonly number[]): Promise<Map<number, TrainingSubject>> {
  if (ids.length === 0) return new Map()
  const rows = await tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .select(['a.id', 'p.number', 'p.title', 'a.due_date'])
    .select(sql<string>`coalesce(u.full_name, u.username)`.as('trainee'))
    .where('a.id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
  return new Map(rows.map(({ id, ...training }) => [id, training]))
}
