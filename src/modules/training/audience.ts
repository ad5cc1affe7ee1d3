import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { type ClockTask, clockTask, type DueContext } from '#action/clock-task.ts'
import { daysLater } from '#kernel/day.ts'
import { conflict } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { holding, todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { assignPeople } from './assign-people.ts'
import { chunksOf, most_at_once, most_in_look } from './assign-rules.ts'
import { findLacking, type Lacking, type Looking, openOfDeactivated } from './audience-queries.ts'
import { messages } from './messages.ts'
import { findProgram } from './program-queries.ts'
import { endOpen } from './waive.ts'

/** After so many days who has used up the attempts of a quiz is assigned it anew. */
const rest_days = 30

async function looking({ tx, services }: Pick<ActionContext<unknown>, 'tx' | 'services'>): Promise<Looking> {
  return {
    today: await todayOf({ tx, services }),
    failed_since: new Date(services.clock.now().getTime() - rest_days * 86_400_000).toISOString(),
    able: await holding(tx, 'training.complete', 'u'),
  }
}

/** How many were assigned what they lack. */
async function supply(context: ActionContext<unknown>, lacking: readonly Lacking[]): Promise<number> {
  const { tx } = context
  const today = await todayOf(context)
  const causes = Map.groupBy(lacking, ({ program_id, source, source_id }) => `${program_id} ${source} ${source_id}`)
  let count = 0
  for (const people of causes.values()) {
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

const supplyAudience = command({
  summary: 'Assign a training to those who should have it and have it not',
  permission: 'training.assign',
  input: { params: Type.Object({ program_id: Id, user_ids: Type.Array(Id) }) },
  response: Type.Null(),
  async run(context, { params }) {
    const lacking = await findLacking(context.tx, await looking(context), { ...params, limit: most_at_once })
    if ((await supply(context, lacking)) === 0) throw conflict(messages.training_nobody_to_assign())
    return null
  },
})

async function audienceDue({ services, read }: DueContext) {
  const lacking = await read(async tx => findLacking(tx, await looking({ tx, services }), { limit: most_in_look }))
  return [...Map.groupBy(lacking, ({ program_id }) => program_id)].flatMap(([program_id, people]) =>
    chunksOf(people, most_at_once).map(some => ({
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
    const still = await openOfDeactivated(context.tx, most_at_once, params.ids)
    const ids = still.map(({ id }) => id)
    if ((await endOpen(context, ids, 'cancelled', 'The account was deactivated')) === 0)
      throw conflict(messages.training_nothing_to_cancel())
    return null
  },
})

/** Who should have what by curriculum and by group, also who joined or changed the role while nothing ran. */
export const supplyAudiences: ClockTask = clockTask({
  name: 'training.audience',
  every_minutes: 1,
  due: audienceDue,
  action: supplyAudience,
})

export const cancelForDeactivated: ClockTask = clockTask({
  name: 'training.deactivated',
  every_minutes: 1,
  due: ({ read }) =>
    read(async (tx: Tx) =>
      chunksOf(await openOfDeactivated(tx, most_in_look), most_at_once).map(some => ({
        params: { ids: some.map(({ id }) => id) },
      })),
    ),
  action: cancelOfDeactivated,
})

/**
 * Told in the transaction in which people become members of a group: what is assigned to it, and to a curriculum of it, reaches them
 * with their membership. What is too much for one transaction they are assigned within a minute.
 */
export async function joinedGroup(context: ActionContext<unknown>, _group_id: number, user_ids: number[]) {
  const lacking = await findLacking(context.tx, await looking(context), { user_ids, limit: most_at_once })
  await supply(context, lacking)
}
