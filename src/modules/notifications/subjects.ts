import { sql } from 'kysely'
import type { Recorded } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import type { Tx } from '#platform/db/database.ts'
import type { DocumentSubject, NotificationInput, RecordSubject, TrainingSubject } from './notice.ts'

/** Each module tells how its own records are called. */
export interface Subjects {
  document(tx: Tx, id: number, version: string | undefined): Promise<DocumentSubject | undefined>
  record(tx: Tx, kind: 'deviation' | 'capa', id: number): Promise<RecordSubject | undefined>
  person(tx: Tx, id: number): Promise<string | undefined>
}

type Subject = Pick<NotificationInput, 'document' | 'record' | 'person' | 'training'>

export const resourceOf = (event: EventName) => {
  const [resource] = event.split('.')
  return resource === 'auth' ? 'user' : resource!
}

/** Looks up each record once, because a command can record hundreds of events. */
export async function openSubjects(subjects: Subjects, tx: Tx, recorded: readonly Recorded[]) {
  const known = new Map<string, Promise<Subject>>()
  const assigned = recorded.flatMap(({ event, id }) => (resourceOf(event) === 'training_assignment' && id ? [id] : []))
  const trainings = await findTrainings(tx, assigned)

  async function find(resource: string, id: number, version: string | undefined): Promise<Subject> {
    switch (resource) {
      case 'document':
        return { document: await subjects.document(tx, id, version) }
      case 'deviation':
      case 'capa':
        return { record: await subjects.record(tx, resource, id) }
      case 'user':
        return { person: await subjects.person(tx, id) }
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
