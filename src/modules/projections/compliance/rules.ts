import { isDeepStrictEqual } from 'node:util'
import type { Recorded } from '#action'

/** The fields of an event's record that count for the compliance of everyone. */
const fieldsOfEveryone: Record<string, readonly string[]> = {
  'role.updated': ['inherits'],
  'training_program.updated': ['status', 'type', 'document_id', 'requires_verification'],
  'curriculum.created': ['status'],
  'curriculum.updated': ['status', 'role_names', 'groups', 'programs'],
}

/** Tells whether an event changes who needs which training, or which training counts. */
export function concernsEveryone({ event, before, after }: Pick<Recorded, 'event' | 'before' | 'after'>): boolean {
  const [was, is] = [before, after] as (Record<string, unknown> | undefined)[]
  return (fieldsOfEveryone[event] ?? []).some(field => !isDeepStrictEqual(was?.[field], is?.[field]))
}
