import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { daysLater } from '#kernel/day.ts'
import { conflict } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { holding, todayOf } from '#modules/accounts'
import { forEachDue, type Schedule, type TenantRound } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { chunksOf, maxAtOnce, maxPerRun } from '../assignments/rules.ts'
import { endOpen } from '../assignments/waive.ts'
import { messages } from '../messages.ts'
import { findProgram } from '../programs/queries.ts'
import { findLacking, type Lacking, openOfDeactivated, type SearchMoment } from './audience-queries.ts'
import { assignPeople } from './people.ts'

/** A failed training is assigned again after so many days. */
const retryDays = 30

async function searchMoment({ tx, services }: Pick<ActionContext<unknown>, 'tx' | 'services'>): Promise<SearchMoment> {
  return {
    today: await todayOf({ tx, services }),
    failed_since: new Date(services.clock.now().getTime() - retryDays * 86_400_000).toISOString(),
    able: await holding(tx, 'training.complete', 'u'),
  }
}

/** Assigns the missing programs and answers how many assignments that made. */
async function assignMissing(context: ActionContext<unknown>, lacking: readonly Lacking[]): Promise<number> {
  const { tx } = context
  const today = await todayOf(context)
  const sources = Map.groupBy(lacking, ({ program_id, source, source_id }) => `${program_id} ${source} ${source_id}`)
  let count = 0
  for (const people of sources.values()) {
    const { program_id, source, source_id, due_days } = people[0]!
    const program = await findProgram(tx, program_id)
    const { assigned } = await assignPeople(
      context,
      program!,
      people.map(({ user_id }) => user_id),
      { source, source_id, ...(due_days !== null && { due_date: daysLater(today, due_days) }) },
    )
    count += assigned.length
  }
  return count
}

const assignAudience = command({
  summary: 'Assign a training to people who need it',
  permission: 'training.assign',
  input: { params: Type.Object({ program_id: Id, user_ids: Type.Array(Id) }) },
  response: Type.Null(),
  async run(context, { params }) {
    const lacking = await findLacking(context.tx, await searchMoment(context), { ...params, limit: maxAtOnce })
    if ((await assignMissing(context, lacking)) === 0) throw conflict(messages.training_nobody_to_assign())
    return null
  },
})

async function audienceDue({ services, read }: TenantRound) {
  const lacking = await read(async tx => findLacking(tx, await searchMoment({ tx, services }), { limit: maxPerRun }))
  return [...Map.groupBy(lacking, ({ program_id }) => program_id)].flatMap(([program_id, people]) =>
    chunksOf(people, maxAtOnce).map(some => ({
      params: { program_id, user_ids: some.map(({ user_id }) => user_id) },
    })),
  )
}

const cancelOfDeactivated = command({
  summary: 'Cancel the open training of people who were deactivated',
  permission: 'training.assign',
  input: { params: Type.Object({ ids: Type.Array(Id) }) },
  response: Type.Null(),
  async run(context, { params }) {
    const still = await openOfDeactivated(context.tx, maxAtOnce, params.ids)
    const ids = still.map(({ id }) => id)
    if ((await endOpen(context, ids, 'cancelled', 'The account was deactivated')) === 0)
      throw conflict(messages.training_nothing_to_cancel())
    return null
  },
})

/** Also finds people who joined or changed their role while the service was down. */
export const assignAudiences: Schedule = {
  name: 'training.audience',
  every_minutes: 1,
  round: forEachDue({
    where: { task: 'training.audience' },
    due: audienceDue,
    action: assignAudience,
  }),
}

export const cancelForDeactivated: Schedule = {
  name: 'training.deactivated',
  every_minutes: 1,
  round: forEachDue({
    where: { task: 'training.deactivated' },
    due: ({ read }) =>
      read(async (tx: Tx) =>
        chunksOf(await openOfDeactivated(tx, maxPerRun), maxAtOnce).map(some => ({
          params: { ids: some.map(({ id }) => id) },
        })),
      ),
    action: cancelOfDeactivated,
  }),
}

/**
 * Called in the transaction in which people become members of a group, so that they are assigned its training at once. Assignments
 * beyond the limit of one transaction follow within a minute.
 */
export async function joinedGroup(context: ActionContext<unknown>, _group_id: number, user_ids: number[]) {
  const lacking = await findLacking(context.tx, await searchMoment(context), { user_ids, limit: maxAtOnce })
  await assignMissing(context, lacking)
}
