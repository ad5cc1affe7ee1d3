import type { ActionContext } from '#action'
import { notFound } from '#kernel/errors.ts'
import { steppedJob } from '#modules/jobs'
import { maxAtOnce } from '../assignments/rules.ts'
import { findProgram, type ProgramRow } from '../programs/queries.ts'
import type { AssignmentSource } from '../rules.ts'
import { type Assigned, assignPeople } from './people.ts'

/** People who are assigned a program from the same source; each person is in one part. */
export interface Part {
  source: AssignmentSource
  source_id?: number
  user_ids: number[]
}

export const countPeople = (parts: readonly Part[]) => parts.reduce((sum, { user_ids }) => sum + user_ids.length, 0)

export async function assignParts(
  context: ActionContext<unknown>,
  program: ProgramRow,
  parts: readonly Part[],
  due_date: string | undefined,
): Promise<Assigned> {
  const all: Assigned = { assigned: [], already_assigned: [], skipped: [] }
  for (const { user_ids, ...origin } of parts) {
    if (user_ids.length === 0) continue
    const one = await assignPeople(context, program, user_ids, { ...origin, ...(due_date && { due_date }) })
    all.assigned.push(...one.assigned)
    all.already_assigned.push(...one.already_assigned)
    all.skipped.push(...one.skipped)
  }
  return all
}

/** The next people from index `from` on, as many as one transaction takes. */
export function partsFrom(parts: readonly Part[], from: number): Part[] {
  let begin = from
  let room = maxAtOnce
  const taken: Part[] = []
  for (const part of parts) {
    const user_ids = part.user_ids.slice(begin, begin + room)
    begin = Math.max(0, begin - part.user_ids.length)
    room -= user_ids.length
    if (user_ids.length > 0) taken.push({ ...part, user_ids })
  }
  return taken
}

/** The input of the background job. */
export interface AssignWork {
  program_id: number
  parts: Part[]
  due_date?: string
}

export const assignJob = steppedJob<AssignWork, { at: number }>({
  name: 'training.assign',
  async step(context, { input: { program_id, parts, due_date }, state: { at = 0 } }) {
    const program = await findProgram(context.tx, program_id)
    if (!program) throw notFound('Training program')
    const some = partsFrom(parts, at)
    const { assigned, already_assigned, skipped } = await assignParts(context, program, some, due_date)
    const next = at + countPeople(some)
    return {
      state: { at: next },
      done: assigned.length,
      skipped: already_assigned.length + skipped.length,
      isOver: next >= countPeople(parts),
    }
  },
})
